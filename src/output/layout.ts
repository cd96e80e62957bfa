import { basename, join, relative, sep } from "node:path";
import { outputFormatNames } from "../formats/output-formats.js";
import { MERGED_PARTS, spillDirectoryOf } from "../sinks/spill/spill-files.js";
import { stagedDirectoryOf } from "../sinks/staged-parts.js";

export const MANIFEST_NAME = "manifest.json";

/** File next to the manifest: the number of events of each name on each day. */
export const EVENTS_BY_DAY_NAME = "events-by-day.jsonl";

/** File next to the manifest: the names that were repaired for the target. */
export const RENAMES_NAME = "renames.json";

/** File next to the manifest: the sources that were read. */
export const INPUTS_NAME = "inputs.jsonl";

/** File next to the manifest of a run of `send`: what it is, for people. */
export const SENT_RUN_NAME = "run.json";

/** The plan of the first epoch: an output without it has no ledger. */
export const PLAN_PATH = "_switchyard/plan.json";

/** The lock of an output. Locks of shards and workers are beside it, and their names begin with its name. */
export const LOCK_PATH = "_switchyard/lock";

/** File in the ledger: the options that the workers of a queue share. */
export const WORKER_OPTIONS_NAME = "worker-options.json";

/** The paths of everything that an epoch of a run writes; all absolute. */
export interface Layout {
  /** 0 is the first run into the directory; each later run with new inputs adds one. */
  readonly epoch: number;
  readonly outputDirectory: string;
  /** Holds one directory for each day. */
  readonly datasetDirectory: string;
  /** Absent unless the dataset is a Delta table. */
  readonly deltaLogDirectory: string;
  readonly rejectsDirectory: string;
  /** Lists of events that were removed as duplicates. */
  readonly duplicatesDirectory: string;
  readonly manifestFile: string;
  readonly eventsByDayFile: string;
  readonly inputsFile: string;
  readonly renamesFile: string;
  /** `_switchyard`; only Switchyard reads it. */
  readonly ledgerDirectory: string;
  /** Holds the plan and the records of the epoch: `_switchyard`, or `_switchyard/epochs/<epoch>`. */
  readonly epochDirectory: string;
  readonly planFile: string;
  readonly workerOptionsFile: string;
  /** One file for each finished split. */
  readonly splitsDirectory: string;
  /** Spilled rows of all epochs, one file and its index for each split. */
  readonly spillDirectory: string;
  /** Small parts that wait to be joined. */
  readonly stagedDirectory: string;
  /** The plan of the merges, and one file for each finished merge. */
  readonly mergesDirectory: string;
  /** Journals of the events that a service has acknowledged, for unfinished splits. */
  readonly acknowledgedDirectory: string;
  /** Keys of events, for `--dedupe`. */
  readonly keysDirectory: string;
  /** Joined parts of finished day directories, one file for each. */
  readonly compactedDirectory: string;
  /** Changes of day directories; exists while `compact` works, and after it was killed until they are finished. */
  readonly compactingDirectory: string;
  /** Emptied at the start of each run, for all epochs; on the same file system as the output. */
  readonly temporaryDirectory: string;
}

export function layoutOf(outputDirectory: string, dataset: string, epoch = 0): Layout {
  const ledgerDirectory = join(outputDirectory, "_switchyard");
  const epochDirectory =
    epoch === 0 ? ledgerDirectory : join(epochsDirectoryOf(ledgerDirectory), String(epoch));
  return {
    epoch,
    outputDirectory,
    datasetDirectory: join(outputDirectory, dataset),
    deltaLogDirectory: join(outputDirectory, dataset, "_delta_log"),
    rejectsDirectory: join(outputDirectory, "rejects"),
    duplicatesDirectory: join(outputDirectory, "duplicates"),
    manifestFile: join(outputDirectory, MANIFEST_NAME),
    eventsByDayFile: join(outputDirectory, EVENTS_BY_DAY_NAME),
    renamesFile: join(outputDirectory, RENAMES_NAME),
    inputsFile: join(outputDirectory, INPUTS_NAME),
    ledgerDirectory,
    epochDirectory,
    planFile: join(epochDirectory, "plan.json"),
    workerOptionsFile: join(ledgerDirectory, WORKER_OPTIONS_NAME),
    splitsDirectory: join(epochDirectory, "splits"),
    spillDirectory: spillDirectoryOf(outputDirectory),
    stagedDirectory: stagedDirectoryOf(outputDirectory),
    mergesDirectory: join(epochDirectory, "merges"),
    acknowledgedDirectory: join(epochDirectory, "acknowledged"),
    keysDirectory: join(epochDirectory, "keys"),
    compactedDirectory: join(ledgerDirectory, "compacted"),
    compactingDirectory: join(ledgerDirectory, "compacting"),
    temporaryDirectory: join(ledgerDirectory, "tmp"),
  };
}

/** Returns the path of a file relative to its output, with `/`. */
export function pathIn({ outputDirectory }: Layout, file: string): string {
  return relative(outputDirectory, file).replaceAll(sep, "/");
}

/** Returns the layout of another epoch of the same output. */
export function layoutOfEpoch(
  { outputDirectory, datasetDirectory }: Layout,
  epoch: number,
): Layout {
  return layoutOf(outputDirectory, basename(datasetDirectory), epoch);
}

/** Returns the directory that holds the ledgers of all epochs but the first. */
export function epochsDirectoryOf(ledgerDirectory: string): string {
  return join(ledgerDirectory, "epochs");
}

/** Pattern of the names of files that list the inputs and splits of a plan. */
export const planLinesName = /^plan-\d+\.jsonl$/;

/** Pattern of a split's id. */
export const splitIdPattern = "(?:e\\d{5,}-)?\\d{6}";

/** Stands for the split's id in the names of parts that `compact` has joined. */
export const COMPACTED_PARTS = "compacted";

const dayDirectory = /^(?:[A-Za-z_]\w*=)?(\d{4,6}-\d{2}-\d{2})$/;
const extensions = outputFormatNames.map((format) => format.replace(".", "\\.")).join("|");
const partName = new RegExp(
  `^part-(${splitIdPattern}|(?:e\\d{5,}-)?${MERGED_PARTS}|${COMPACTED_PARTS})-\\d+\\.(?:${extensions})$`,
);
const rejectsName = new RegExp(`^part-(${splitIdPattern})\\.jsonl$`);

/** Returns the day (YYYY-MM-DD) of a directory of a dataset, whatever its key; undefined for others. */
export function dayOfDirectory(name: string): string | undefined {
  return dayDirectory.exec(name)?.[1];
}

/**
 * Returns the split that a file in a day directory belongs to, or `mergedPartsOf` its epoch for a
 * merged part; undefined if Switchyard did not name it.
 */
export function splitOfPartName(name: string): string | undefined {
  return partName.exec(name)?.[1];
}

/** Returns the split that a rejects file belongs to. */
export function splitOfRejectsName(name: string): string | undefined {
  return rejectsName.exec(name)?.[1];
}

export function rejectsNameOf(splitId: string): string {
  return `part-${splitId}.jsonl`;
}

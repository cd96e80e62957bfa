import { join } from "node:path";
import { MERGED_PARTS, spillDirectoryOf } from "../../sinks/spill/spill-files.js";
import { outputFormatNames } from "../output-formats.js";

export const MANIFEST_NAME = "manifest.json";

/** File next to the manifest: the number of events of each name on each day. */
export const EVENTS_BY_DAY_NAME = "events-by-day.jsonl";

/** The paths of everything that an export writes; all absolute. */
export interface Layout {
  readonly outputDirectory: string;
  /** Holds one directory for each day. */
  readonly datasetDirectory: string;
  readonly rejectsDirectory: string;
  readonly manifestFile: string;
  readonly eventsByDayFile: string;
  /** `_switchyard`; only Switchyard reads it. */
  readonly ledgerDirectory: string;
  readonly planFile: string;
  readonly lockFile: string;
  /** One file for each finished split. */
  readonly splitsDirectory: string;
  /** Spilled rows, one file for each split. */
  readonly spillDirectory: string;
  /** The plan of the merges, and one file for each finished merge. */
  readonly mergesDirectory: string;
  /** Journals of the events that a service has acknowledged, for unfinished splits. */
  readonly acknowledgedDirectory: string;
  /** Emptied at the start of each run; on the same file system as the output. */
  readonly temporaryDirectory: string;
}

export function layoutOf(outputDirectory: string, dataset: string): Layout {
  const ledgerDirectory = join(outputDirectory, "_switchyard");
  return {
    outputDirectory,
    datasetDirectory: join(outputDirectory, dataset),
    rejectsDirectory: join(outputDirectory, "rejects"),
    manifestFile: join(outputDirectory, MANIFEST_NAME),
    eventsByDayFile: join(outputDirectory, EVENTS_BY_DAY_NAME),
    ledgerDirectory,
    planFile: join(ledgerDirectory, "plan.json"),
    lockFile: join(ledgerDirectory, "lock"),
    splitsDirectory: join(ledgerDirectory, "splits"),
    spillDirectory: spillDirectoryOf(outputDirectory),
    mergesDirectory: join(ledgerDirectory, "merges"),
    acknowledgedDirectory: join(ledgerDirectory, "acknowledged"),
    temporaryDirectory: join(ledgerDirectory, "tmp"),
  };
}

const dayName = /^\d{4,6}-\d{2}-\d{2}$/;
const extensions = outputFormatNames.map((format) => format.replace(".", "\\.")).join("|");
const partName = new RegExp(`^part-(\\d{6}|${MERGED_PARTS})-\\d+\\.(?:${extensions})$`);
const rejectsName = /^part-(\d{6})\.jsonl$/;

export function isDayName(name: string): boolean {
  return dayName.test(name);
}

/**
 * Returns the split that a file in a day directory belongs to, or `MERGED_PARTS` for a merged part;
 * undefined if Switchyard did not name it.
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

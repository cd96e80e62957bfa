import { resolve } from "node:path";
import { UsageError } from "../base/errors.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { nameOptions } from "../base/option-text.js";
import { inTemporaryDirectory } from "../base/temporary-directory.js";
import { columnsOf, planRanges } from "../formats/input-formats.js";
import type { rowFieldsOf } from "../mapper/field-plan.js";
import type { RunOptions } from "../options/options.js";
import type { FoundFile, NamedPath } from "../sources/directory-walk.js";
import { discoverSources } from "../sources/discovery.js";
import { nameFeedColumns } from "../sources/feed-columns.js";
import { isBelow, listInputs, withoutPaths } from "../sources/inputs.js";
import { notesOfListed } from "../sources/listed-files.js";
import {
  describeLeftOut,
  kindOfHidden,
  type LeftOut,
  type OtherKind,
} from "../sources/other-files.js";
import type { Source } from "../sources/source.js";
import type { Discovery } from "../sources/source-discovery.js";
import { SourceTable } from "../sources/source-table.js";
import type { InputReading } from "./run-spec.js";
import { detectionOf } from "./run-tools.js";

/** Reads the inputs that the options name, in all formats. */
export const inputReading: InputReading = {
  discover: (options, signal, mayBeGone) => discover(options, signal, { mayBeGone }),
  planRanges,
  openCounter: async (...run) => {
    const { openCounter } = await import("./count-rows.js");
    return openCounter(...run);
  },
};

interface DiscoveryHints {
  /** Names of members that rows may have. */
  readonly rowFields?: ReturnType<typeof rowFieldsOf>;
  /** Returns true for inputs (absolute paths) that may be missing. */
  readonly mayBeGone?: ((path: string) => boolean) | undefined;
  /** Returns true for kinds of files that are data too, although they hold no events. */
  readonly isData?: ((kind: OtherKind) => boolean) | undefined;
}

/** Finds the sources of a run. Throws `UsageError` for inputs that do not exist or hold no events. */
export async function discover(
  options: RunOptions,
  signal: AbortSignal,
  hints: DiscoveryHints = {},
): Promise<Discovery> {
  const table = new SourceTable();
  const hidden: LeftOut[] = [];
  const files = await listFiles(options, signal, { ...hints, table, hidden });
  const found = await discoverFiles(files, options, signal, { ...hints, table });
  const leftOut = [...found.leftOut, ...hidden];
  const isEmpty = found.sources.length === 0 && found.failures.length === 0;
  const mayBeEmpty = options.inputs.some((one) => hints.mayBeGone?.(resolve(options.cwd, one)));
  if (isEmpty && leftOut.length > 0 && !mayBeEmpty) {
    const what = describeLeftOut(leftOut);
    throw new UsageError("input_not_found", `no input holds events: ${what}. Name other inputs.`);
  }
  const hasLists = leftOut.some(({ kind }) => kind === "manifest" || kind === "checksum");
  const { s3, ratioMax } = options;
  const listed = hasLists ? await notesOfListed(files, { signal, s3, ratioMax }) : [];
  return { ...found, leftOut, notes: [...(found.notes ?? []), ...listed] };
}

interface TableHints extends DiscoveryHints {
  /** Holds the sources; without it they are separate objects. */
  readonly table?: SourceTable;
  /** Receives the hidden files and directories. */
  readonly hidden?: LeftOut[];
}

/** Lists the files of a run's inputs. */
export async function listFiles(
  { inputs, cwd, s3, outputDirectory, notInputs }: RunOptions,
  signal: AbortSignal,
  { table, mayBeGone, hidden }: TableHints = {},
): Promise<readonly FoundFile[]> {
  const own = [outputDirectory, ...notInputs];
  const onHidden = ({ name, path }: NamedPath) => {
    const isOwn = own.some((one) => isBelow(path, one));
    if (!isOwn) hidden?.push({ name, kind: kindOfHidden(name) });
  };
  const listing = { s3, signal, onHidden, ...omitUndefined({ table }) };
  const found = await listInputs(inputs, cwd, listing, mayBeGone);
  // An output directory inside an input directory is not an input: a second run would read what the
  // first one wrote.
  const files = await withoutPaths(found, own);
  if (files.length === 0 && found.length > 0) {
    throw new UsageError(
      "input_in_output",
      `no inputs are left: all of them are in the output directory ${outputDirectory}, or are files that Switchyard writes or that an option names. Name other inputs, or write to another directory.`,
    );
  }
  return files;
}

/** Finds the sources in files. */
export async function discoverFiles(
  files: readonly FoundFile[],
  options: RunOptions,
  signal: AbortSignal,
  { table, rowFields, isData }: TableHints = {},
): Promise<Discovery> {
  const { inputs, ratioMax, s3, naming } = options;
  const reading = { ratioMax, s3, signal };
  const detect = detectionOf(options, rowFields);
  const discovered = await discoverSources(files, {
    ...reading,
    named: new Set(inputs),
    readsNamed: options.inputFormat !== undefined,
    isData,
    detect,
    columnsOf: (source: Source) =>
      inTemporaryDirectory("switchyard-columns", (temporaryDirectory) =>
        columnsOf(source, { ...reading, temporaryDirectory }),
      ),
    ...omitUndefined({ table }),
  });
  const found =
    options.csv.columns === undefined
      ? await nameFeedColumns(discovered, files, {
          signal,
          isDescribed: Object.keys(options.csv).length > 0,
          discoverAll: (file) =>
            discoverSources([file], { ...reading, detect, isData: () => true }),
        })
      : discovered;
  const failures = found.failures.map(({ message, ...failure }) => ({
    ...failure,
    message: nameOptions(message, naming),
  }));
  return { ...found, failures };
}

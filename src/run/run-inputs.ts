import { UsageError } from "../base/errors.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { nameOptions } from "../base/option-text.js";
import { planRanges } from "../formats/input-formats.js";
import type { rowFieldsOf } from "../mapper/field-plan.js";
import type { RunOptions } from "../options/options.js";
import type { FoundFile } from "../sources/directory-walk.js";
import { discoverSources } from "../sources/discovery.js";
import { listInputs, withoutPaths } from "../sources/inputs.js";
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
  /** Returns true for files that are data too, whose names say that they hold no events. */
  readonly isData?: ((name: string) => boolean) | undefined;
}

/** Finds the sources of a run. Throws `UsageError` for inputs that do not exist. */
export async function discover(
  options: RunOptions,
  signal: AbortSignal,
  hints: DiscoveryHints = {},
): Promise<Discovery> {
  const table = new SourceTable();
  const files = await listFiles(options, signal, { ...hints, table });
  return discoverFiles(files, options, signal, { ...hints, table });
}

interface TableHints extends DiscoveryHints {
  /** Holds the sources; without it they are separate objects. */
  readonly table?: SourceTable;
}

/** Lists the files of a run's inputs. */
export async function listFiles(
  { inputs, cwd, s3, outputDirectory, notInputs }: RunOptions,
  signal: AbortSignal,
  { table, mayBeGone }: TableHints = {},
): Promise<readonly FoundFile[]> {
  const found = await listInputs(
    inputs,
    cwd,
    { s3, signal, ...omitUndefined({ table }) },
    mayBeGone,
  );
  // An output directory inside an input directory is not an input: a second run would read what the
  // first one wrote.
  const files = await withoutPaths(found, [outputDirectory, ...notInputs]);
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
  const more = isData === undefined ? [] : files.map(({ name }) => name).filter(isData);
  const found = await discoverSources(files, {
    named: new Set([...inputs, ...more]),
    detect: detectionOf(options, rowFields),
    ratioMax,
    s3,
    signal,
    ...omitUndefined({ table }),
  });
  const failures = found.failures.map(({ message, ...failure }) => ({
    ...failure,
    message: nameOptions(message, naming),
  }));
  return { ...found, failures };
}

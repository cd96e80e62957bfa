import { UsageError } from "../base/errors.js";
import { option } from "../base/option-text.js";
import { resolveColumns } from "./columns-option.js";
import type { Configuration } from "./configuration.js";
import { formatChoiceOf } from "./format-option.js";
import { localNameOf, type OptionName } from "./option-names.js";
import type { StreamOptions } from "./options.js";
import { resolveRunOptions, valuesOf } from "./run-options.js";

/** Options that change which events are delivered, or by whom; also if the file gives them. */
const always = ["dedupe", "shard", "queue"] as const;

/** Options of an output directory; those of the file are for other runs. */
const ofDirectories: readonly OptionName[] = [
  "layout",
  "dayZone",
  "partSize",
  "compact",
  "tableLog",
  "fresh",
  "splitSize",
  "unsafeLock",
];

/**
 * Resolves the options of an export to standard output. Throws `UsageError` like
 * `resolveExportOptions`, and for options that need an output directory.
 */
export function resolveStreamOptions(configuration: Configuration): StreamOptions {
  const { values, given } = configuration;
  const refused: OptionName[] = [
    ...always.filter((name) => values[name] !== undefined),
    ...(given.has("format") && values.format?.format !== "jsonl" ? (["format"] as const) : []),
    ...ofDirectories.filter((name) => given.has(name)),
  ];
  if (refused.length > 0) {
    throw new UsageError(
      "stream_unsupported",
      `${option("to")} - writes JSON lines to standard output and has no output directory, so ${refused.map((name) => option(localNameOf(name))).join(", ")} cannot be used: leave out what is named, or name a directory with ${option("to")}.`,
    );
  }
  const run = resolveRunOptions(configuration);
  const format = formatChoiceOf("jsonl");
  const columns = resolveColumns({ ...valuesOf(configuration), format }, run.mapping);
  return { ...run, ...columns, damaged: "keep" };
}

import path from "node:path";
import { UsageError } from "../../base/errors.js";
import {
  DECOMPRESSION_RATIO_MAX,
  PART_BYTES,
  ROW_BYTES_MAX,
  SPLIT_BYTES,
} from "../../base/limits.js";
import { omitUndefined } from "../../base/omit-undefined.js";
import { defaultPreset, type PresetName } from "../../mapper/presets.js";
import type { CsvDialect } from "../../readers/source.js";
import type { ExportOptions, PrivacyOptions, RunOptions } from "../options.js";
import { FIXES_MODULE_NAME, REPORT_NAME, REPORT_PAGE_NAME } from "../report/write-report.js";
import type { Configuration } from "./configuration.js";
import { CONFIGURATION_NAME } from "./configuration-file.js";
import type { OptionName, OptionValues } from "./configuration-options.js";
import { SCHEMA_ID } from "./configuration-schema.js";
import { HASH_SALT_VARIABLE } from "./configuration-secrets.js";
import { parseTime } from "./configuration-values.js";
import { defaultMemory, type Machine, thisMachine } from "./machine.js";

/**
 * Everything an export needs, with defaults. `mapping` is what preset and file come to. Throws
 * `UsageError` where inputs or output are missing, or no time lies between two bounds.
 */
export function resolveExportOptions(
  configuration: Configuration,
  mapping: unknown,
  machine: Machine = thisMachine(),
): ExportOptions {
  const { values } = configuration;
  return {
    ...resolveRunOptions(configuration, mapping, machine),
    outputDirectory: requireOutput(values),
    dataset: values.dataset ?? "events",
    ...writtenFormOf(values),
    dayZone: values.dayZone ?? "UTC",
    partBytes: values.partSize ?? PART_BYTES,
    csvSafe: values.csvSafe ?? false,
  };
}

/** What every run that reads inputs needs, with defaults. Throws like `resolveExportOptions`. */
export function resolveRunOptions(
  configuration: Configuration,
  mapping: unknown,
  machine: Machine = thisMachine(),
): Omit<RunOptions, "outputDirectory"> {
  const { values } = configuration;
  checkOrder("fromTime", values.fromTime, "toTime", values.toTime);
  checkOrder("minTime", values.minTime, "maxTime", values.maxTime);
  return {
    inputs: requireInputs(values),
    cwd: configuration.inputsDirectory,
    notInputs: notInputsOf(configuration),
    csv: csvDialect(values),
    preset: presetOf(values),
    mapping,
    privacy: privacyOf(configuration),
    minTimeMs: values.minTime ?? parseTime("1971-01-01") ?? 0,
    maxTimeMs: values.maxTime ?? "tomorrow",
    includeEvents: values.includeEvent ?? [],
    excludeEvents: values.excludeEvent ?? [],
    threads: values.threads ?? machine.threads,
    memoryBytes: values.memory ?? defaultMemory(machine),
    rowBytesMax: values.maxRowSize ?? ROW_BYTES_MAX,
    ratioMax: values.maxRatio ?? DECOMPRESSION_RATIO_MAX,
    splitBytes: values.splitSize ?? SPLIT_BYTES,
    maxRejects: values.maxRejects ?? { rows: 0 },
    fresh: values.fresh ?? false,
    ...(values.inputFormat === undefined ? {} : { inputFormat: values.inputFormat }),
    ...(values.transform === undefined ? {} : { transformPath: values.transform }),
    ...(values.fromTime === undefined ? {} : { fromTimeMs: values.fromTime }),
    ...(values.toTime === undefined ? {} : { toTimeMs: values.toTime }),
  };
}

function notInputsOf(configuration: Configuration): readonly string[] {
  const { values, directory, fileName } = configuration;
  const reportDirectory = reportDirectoryOf(configuration);
  const { to, transform, hashSaltFile, serverSecretFile, consoleKeyFile } = values;
  const named = [to, transform, hashSaltFile, serverSecretFile, consoleKeyFile];
  const reportNames = [REPORT_NAME, REPORT_PAGE_NAME, FIXES_MODULE_NAME];
  return [
    ...named.filter((file) => file !== undefined),
    ...(fileName === undefined ? [] : [path.join(directory, path.basename(fileName))]),
    // The directory itself may be one of the user's, with inputs in it.
    ...reportNames.map((name) => path.join(reportDirectory, name)),
    path.join(directory, SCHEMA_ID),
  ];
}

/** Where a dry run writes its report. */
export function reportDirectoryOf({ values, directory }: Configuration): string {
  return values.report ?? path.join(directory, "report");
}

export function presetOf(values: OptionValues): PresetName {
  return values.preset ?? defaultPreset;
}

/** What the files of an export are. */
export function writtenFormOf({
  format = "parquet",
  compression = "snappy",
}: OptionValues): Pick<ExportOptions, "format" | "compression"> {
  return { format, compression };
}

function checkOrder(
  startName: OptionName,
  start: number | undefined,
  endName: OptionName,
  end: number | undefined,
): void {
  if (start === undefined || end === undefined || start < end) return;
  const [startText, endText] = [start, end].map((timeMs) => new Date(timeMs).toISOString());
  throw new UsageError(
    "time_range_empty",
    `No time is from ${startName} (${startText}) up to ${endName} (${endText}, not included). Move one of them.`,
  );
}

function requireOutput({ to }: OptionValues): string {
  if (to !== undefined) return to;
  throw new UsageError(
    "output_missing",
    `No output directory: give --to <dir>, or put "export": { "to": … } into ${CONFIGURATION_NAME}.`,
  );
}

function requireInputs({ inputs = [] }: OptionValues): readonly string[] {
  if (inputs.length > 0) return inputs;
  throw new UsageError(
    "inputs_missing",
    `No inputs: name files, directories or globs, or put "inputs" into ${CONFIGURATION_NAME}.`,
  );
}

function privacyOf({ values, hashSalt }: Configuration): PrivacyOptions {
  const { drop = [], hash = [] } = values;
  if (hash.length > 0 && hashSalt === undefined) {
    throw new UsageError(
      "salt_missing",
      `Paths are to be hashed (${hash.join(", ")}), but there is no salt: put it into the ` +
        `environment as ${HASH_SALT_VARIABLE}, or into a file and give --hash-salt-file.`,
    );
  }
  return { drop, hash, ...(hashSalt === undefined ? {} : { salt: hashSalt }) };
}

function csvDialect(values: OptionValues): Partial<CsvDialect> {
  const { csvDelimiter, csvQuote, csvColumns, csvHeader } = values;
  return omitUndefined({
    delimiter: csvDelimiter,
    quote: csvQuote,
    columns: csvColumns,
    header: csvHeader,
  });
}

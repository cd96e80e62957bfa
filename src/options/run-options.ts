import path from "node:path";
import { UsageError } from "../base/errors.js";
import { QUICK_FIRST_ROWS, QUICK_PIECE_BYTES, QUICK_UNITS } from "../base/limits.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { option } from "../base/option-text.js";
import { outputFormat } from "../formats/output-formats.js";
import type { PrivacyPaths } from "../mapper/mapper-options.js";
import type { Mapping } from "../mapper/mapping.js";
import type { KeyTarget, Preset } from "../mapper/preset.js";
import { presets } from "../mapper/presets.js";
import { resolveMapping } from "../mapper/resolve-mapping.js";
import type { OutputPlace } from "../output/output-place.js";
import {
  FIXES_MODULE_NAME,
  KEPT_KEYS_NAME,
  REPORT_NAME,
  REPORT_PAGE_NAME,
} from "../output/write-report.js";
import type { Shard } from "../plan/shard.js";
import type { S3Options } from "../store/object-store.js";
import { isObjectUrl } from "../store/object-url.js";
import { loadTarget } from "../target/targets.js";
import { resolveColumns } from "./columns-option.js";
import type { Configuration } from "./configuration.js";
import { CONFIGURATION_NAME } from "./configuration-file.js";
import { SCHEMA_ID } from "./configuration-schema.js";
import { type DedupeOptions, dedupeRanges } from "./dedupe-options.js";
import { arrayIndexNames, defaultMemory, type Machine, thisMachine } from "./machine.js";
import { type CompleteValues, type OptionValues, withDefaults } from "./option-names.js";
import { LEAST_TIME, type TimeLimits } from "./option-values.js";
import type {
  ExportOptions,
  IdentitiesRequest,
  QuickLimits,
  RunOptions,
  ValidateRequest,
} from "./options.js";
import { STANDARD_OUTPUT, type WorkerOptions } from "./options.js";
import { HASH_SALT_VARIABLE } from "./secrets.js";
import { targetOptionsOf, withTarget } from "./target-option.js";

/**
 * Resolves the options of an export. Throws `UsageError` if inputs or output are missing, or options
 * contradict each other.
 */
export function resolveExportOptions(
  configuration: Configuration,
  machine: Machine = thisMachine(),
): ExportOptions {
  const values = valuesOf(configuration);
  const { layout, format, dayZone, compact } = values;
  const options = resolveRunOptions(configuration, machine);
  const outputDirectory = requireOutput(values);
  const finish = values.shard === "finish";
  const isShared = (values.shard !== undefined && !finish) || values.queue !== undefined;
  if (isShared && options.dedupe !== undefined && isObjectUrl(outputDirectory)) {
    throw new UsageError(
      "shard_unsupported",
      `${option("dedupe")} with ${option("shard")} or ${option("queue")} keeps the keys of all inputs in the output, which has to be a directory that all processes see: change ${option("to")}, or leave one of them out.`,
    );
  }
  return {
    ...options,
    outputDirectory,
    ...layout,
    ...format,
    dayZone,
    compact,
    ...resolveColumns(values, options.mapping),
    partBytes: values.partSize,
    table: tableOf(values),
    unsafeLock: values.unsafeLock,
    finish,
    ...omitUndefined({ shard: shardOf(values, machine), queue: queueOf(values) }),
  };
}

function shardOf({ shard }: CompleteValues, { arrayIndex }: Machine): Shard | undefined {
  if (shard === undefined || shard === "finish") return undefined;
  const { index = arrayIndex, count } = shard;
  if (index !== undefined && index < count) return { index, count };
  throw new UsageError(
    "shard_unknown",
    index === undefined
      ? `${option("shard")} /${count} needs the number of this process in the environment of an array job (${arrayIndexNames.join(", ")}): pass ${option("shard")} 0/${count}.`
      : `This process is number ${index} of an array job, and ${option("shard")} /${count} has numbers up to ${count - 1}: let the job have ${count} processes.`,
  );
}

function queueOf({ queue, shard }: CompleteValues): string | undefined {
  if (queue === undefined || shard === undefined) return queue;
  throw new UsageError(
    "shard_unsupported",
    `${option("queue")} distributes the splits and finishes by itself: leave out ${option("shard")}.`,
  );
}

/** Resolves the options of a worker of a queue. Throws `UsageError` if the queue is missing. */
export function resolveWorkerOptions(configuration: Configuration): WorkerOptions {
  const machine = thisMachine();
  const values = valuesOf(configuration);
  if (values.queue === undefined) {
    throw new UsageError(
      "queue_missing",
      `No queue: pass ${option("queue")} redis://host:port, or set SWITCHYARD_QUEUE.`,
    );
  }
  return {
    queue: values.queue,
    threads: values.threads ?? machine.threads,
    memoryBytes: values.memory ?? defaultMemory(machine),
    s3: s3OptionsOf(values),
    unsafeLock: values.unsafeLock,
    ...omitUndefined({
      salt: configuration.hashSalt,
      transformPath: values.transform,
      identityPath: values.identity,
      serverSecret: configuration.serverSecret,
    }),
  };
}

function tableOf({ tableLog: table, format: { format } }: CompleteValues): ExportOptions["table"] {
  if (table === "none" || outputFormat(format).hasDeltaLog) return table;
  throw new UsageError(
    "table_unsupported",
    `A Delta log lists Parquet files, and format is ${format}. Set format to parquet, or leave out tableLog.`,
  );
}

const quickLimits: QuickLimits = {
  units: QUICK_UNITS,
  pieceBytes: QUICK_PIECE_BYTES,
  firstRows: QUICK_FIRST_ROWS,
};

/** Throws `UsageError` for options that need all rows, or that choose others. */
function refuseWithQuick({ sample, limit, dedupe, requireFields }: CompleteValues): void {
  const others = [
    ...(sample < 1 ? ["sample"] : []),
    ...(limit === undefined ? [] : ["limit"]),
    ...(dedupe === undefined ? [] : ["dedupe"]),
    ...(requireFields ? ["requireFields"] : []),
  ].map(option);
  if (others.length === 0) return;
  throw new UsageError(
    "quick_unsupported",
    `${option("quick")} reads a sample that it chooses itself, and ${others.join(" and ")} ${others.length > 1 ? "need" : "needs"} other rows: leave ${option("quick")} out, or the ${others.length > 1 ? "others" : "other"}.`,
  );
}

/** Resolves the options of a dry run. Throws like `resolveExportOptions`. */
export function resolveValidateRequest(configuration: Configuration): ValidateRequest {
  const options = resolveRunOptions(configuration);
  const values = valuesOf(configuration);
  const { report, dayZone, sample } = values;
  if (values.quick) refuseWithQuick(values);
  if (values.limit !== undefined && sample < 1) {
    throw new UsageError(
      "limit_unsupported",
      `${option("limit")} reads the first rows, and ${option("sample")} rows of all inputs: leave one of them out.`,
    );
  }
  return {
    ...options,
    notInputs: [...options.notInputs, report],
    dayZone,
    ...values.format,
    ...resolveColumns(values, options.mapping),
    sampleShare: sample,
    ...(values.quick && { quick: quickLimits }),
    reportDirectory: report,
    ...omitUndefined({ countedKey: countedKeyOf(options, configuration) }),
  };
}

/**
 * Resolves the options of a run that makes a table of identities. It reads rows as they are: filters,
 * privacy and what changes events do not count. Throws like `resolveExportOptions`.
 */
export function resolveIdentitiesRequest(configuration: Configuration): IdentitiesRequest {
  const {
    dedupe: _dedupe,
    keptKeysDirectory: _keys,
    transformPath: _transform,
    identityPath: _identity,
    target: _target,
    fromTimeMs: _from,
    toTimeMs: _to,
    ...options
  } = resolveRunOptions(configuration);
  return {
    ...options,
    privacy: { drop: [], hash: [] },
    includeEvents: [],
    excludeEvents: [],
    tablePath: requireTable(valuesOf(configuration)),
  };
}

function requireTable({ to }: CompleteValues): string {
  if (to === undefined) {
    throw new UsageError(
      "output_missing",
      `No file for the table: pass ${option("to")} identities.parquet.`,
    );
  }
  if (to !== STANDARD_OUTPUT && !isObjectUrl(to)) return to;
  throw new UsageError(
    "table_name_invalid",
    `${to} is not a file of this machine, where the table is made: pass ${option("to")} identities.parquet, and copy that.`,
  );
}

/** Returns the key that `--dedupe` would use, if it is not on and the mapping has insert ids. */
function countedKeyOf(
  { dedupe, mapping }: Pick<RunOptions, "dedupe" | "mapping">,
  configuration: Configuration,
) {
  if (dedupe !== undefined || mapping.insertID.length === 0) return undefined;
  const { dayZone, preset } = valuesOf(configuration);
  return resolveDedupe({ dedupe: { within: dedupeRanges[0] }, dayZone, preset }, mapping);
}

const defaultTimeLimits: TimeLimits = { minTimeMs: Date.parse(LEAST_TIME) };

/** Resolves the options of every run that reads inputs. Throws like `resolveExportOptions`. */
export function resolveRunOptions(
  configuration: Configuration,
  machine: Machine = thisMachine(),
): Omit<RunOptions, "outputDirectory"> {
  const values = valuesOf(configuration);
  const { inputFormat, timeLimits = defaultTimeLimits } = values;
  const { minTimeMs, maxTimeMs = "tomorrow" } = timeLimits;
  const mapping = resolveMapping(values.preset, configuration.mapping);
  return {
    inputs: requireInputs(values),
    cwd: configuration.inputsDirectory,
    notInputs: notInputsOf(configuration, values),
    csv: values.csvDialect ?? {},
    preset: values.preset,
    mapping,
    privacy: privacyOf(configuration),
    minTimeMs,
    maxTimeMs,
    includeEvents: values.includeEvent ?? [],
    excludeEvents: values.excludeEvent ?? [],
    threads: values.threads ?? machine.threads,
    memoryBytes: values.memory ?? defaultMemory(machine),
    rowBytesMax: values.maxRowSize,
    ratioMax: values.maxRatio,
    splitBytes: values.splitSize,
    s3: s3OptionsOf(values),
    damaged: values.damaged,
    maxRejects: configuration.rejectLimits.export ?? values.maxRejects,
    fresh: values.fresh,
    ...omitUndefined({
      naming: configuration.naming,
      target: targetOptionsOf(loadTarget(values.target), values.repair),
      inputFormat,
      transformPath: values.transform,
      identityPath: values.identity,
      fromTimeMs: values.fromTime,
      toTimeMs: values.toTime,
      limit: values.limit,
      dedupe: resolveDedupe(values, mapping),
      keptKeysDirectory: path.join(values.report, KEPT_KEYS_NAME),
    }),
  };
}

/** Returns the values of a configuration with the table's defaults. */
export function valuesOf({ values, directory }: Configuration): CompleteValues {
  return withDefaults(withTarget(values), directory);
}

/** Returns an output and the way to it. `directory`: absolute, or an address. */
export function placeOf(configuration: Configuration, directory: string): OutputPlace {
  const values = valuesOf(configuration);
  return { directory, s3: s3OptionsOf(values), unsafeLock: values.unsafeLock };
}

/**
 * Returns the export that a command works on. Throws `UsageError` if none is configured; the
 * message says what it is needed for with `verb`.
 */
export function requireExport(configuration: Configuration, verb: string): OutputPlace {
  const { to } = configuration.values;
  if (to === STANDARD_OUTPUT) throw notDirectory(verb);
  if (to !== undefined) return placeOf(configuration, to);
  throw new UsageError(
    "output_missing",
    `There is no export to ${verb}; pass its directory, or set "export": { "to": … } in ${CONFIGURATION_NAME}.`,
  );
}

function s3OptionsOf(values: CompleteValues): S3Options {
  const { s3Endpoint: endpoint, s3Region: region } = values;
  const { maxRequestsPerSecond: requestsPerSecond, s3Checksums: checksums } = values;
  return { checksums, ...omitUndefined({ endpoint, region, requestsPerSecond }) };
}

function notInputsOf(
  { directory, fileName }: Configuration,
  values: CompleteValues,
): readonly string[] {
  const { to, transform, identity, report, compare, target } = values;
  const { hashSaltFile, serverSecretFile, consoleKeyFile } = values;
  const named = [to, transform, identity, compare, hashSaltFile, serverSecretFile, consoleKeyFile];
  // The name of a target that Switchyard has is not a path.
  const targetFile = path.isAbsolute(target) ? [target] : [];
  return [
    ...targetFile,
    ...named.filter((file) => file !== undefined).filter((file) => file !== STANDARD_OUTPUT),
    ...(fileName === undefined ? [] : [path.join(directory, path.basename(fileName))]),
    // Only these files: the directory of the report may hold inputs.
    ...[REPORT_NAME, REPORT_PAGE_NAME, FIXES_MODULE_NAME].map((name) => path.join(report, name)),
    path.join(directory, SCHEMA_ID),
  ];
}

function notDirectory(verb: string): UsageError {
  return new UsageError(
    "output_missing",
    `"-" is standard output, which only \`switchyard export\` writes to: name a directory to ${verb}.`,
  );
}

function requireOutput({ to }: CompleteValues): string {
  if (to === STANDARD_OUTPUT) throw notDirectory("write");
  if (to !== undefined) return to;
  throw new UsageError(
    "output_missing",
    `No output directory: pass ${option("to")} <dir>, or add "export": { "to": … } to ${CONFIGURATION_NAME}.`,
  );
}

function requireInputs({ inputs = [] }: CompleteValues): readonly string[] {
  if (inputs.length > 0) return inputs;
  throw new UsageError(
    "inputs_missing",
    `No inputs: name files, directories or globs, or add "inputs" to ${CONFIGURATION_NAME}.`,
  );
}

function privacyOf({ values, hashSalt }: Configuration): PrivacyPaths {
  const { drop = [], hash = [], cutQuery: cut = [] } = values;
  if (hash.length > 0 && hashSalt === undefined) {
    throw new UsageError(
      "salt_missing",
      `Hashing ${hash.join(", ")} needs a salt: set ${HASH_SALT_VARIABLE}, or pass ` +
        `${option("hashSaltFile")} with a file that holds it.`,
    );
  }
  const cutQuery = cut.length === 0 ? undefined : cut;
  return { drop, hash, ...omitUndefined({ cutQuery, salt: hashSalt }) };
}

/**
 * Resolves which repeated events are removed; undefined if none are. Throws `UsageError` if events
 * have no key, or one that privacy removes.
 */
export function resolveDedupe(
  values: Pick<CompleteValues, "dayZone" | "preset"> & Pick<OptionValues, "dedupe" | "drop">,
  mapping: Mapping,
  flag = option("dedupe"),
): DedupeOptions | undefined {
  const { dedupe, dayZone, preset, drop = [] } = values;
  if (dedupe === undefined) return undefined;
  const { within, by: chosen } = dedupe;
  const { dedupeBy: known = ["insertID"] }: Preset = presets[preset];
  const by = chosen ?? known.filter((target) => target === "insertID" || isMapped(mapping, target));
  const unmapped = by.find((target) => !isMapped(mapping, target));
  if (unmapped === "insertID") {
    throw new UsageError(
      "dedupe_key_missing",
      `${flag} needs an insert id, and the mapping has none: map insertID to the field that identifies a repeated event${flag === option("dedupe") ? `, or pass ${option("dedupe")} by=event,timestamp,userID,stableID,metadata` : ""}.`,
    );
  }
  if (unmapped !== undefined) {
    throw new UsageError(
      "dedupe_key_missing",
      `${option("dedupe")} by=${unmapped} names a target that the mapping does not fill: map it, or leave it out.`,
    );
  }
  const dropped = chosen?.find((target) => drop.includes(target));
  if (dropped !== undefined) {
    throw new UsageError(
      "dedupe_key_missing",
      `${option("dedupe")} by=${dropped} names a target that ${option("drop")} removes from every event: use ${option("hash")} ${dropped} instead of ${option("drop")}, or leave it out of the key.`,
    );
  }
  return { within, by, dayZone };
}

function isMapped(mapping: Mapping, target: KeyTarget): boolean {
  const source = mapping[target];
  if (Array.isArray(source)) return source.length > 0;
  return !("choices" in source && source.choices.length === 0);
}

import { createHash, scryptSync } from "node:crypto";
import { createReadStream } from "node:fs";
import { UsageError } from "../base/errors.js";
import { isObject } from "../base/is-object.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { option } from "../base/option-text.js";
import type { Mapping } from "../mapper/mapping.js";
import { type FormatChoice, formatNameOf } from "../options/format-option.js";
import {
  describeOption,
  localNameOf,
  type OptionName,
  optionNames,
} from "../options/option-names.js";
import { sizeText } from "../options/option-values.js";
import type { ExportOptions, RunOptions } from "../options/options.js";
import { type DirectoryTemplate, templateText } from "../sinks/directory-names.js";
import { columnTexts } from "../sinks/output-columns.js";

/** The options that decide the bytes of the output, as the ledger and the manifest keep them. */
export interface RecordedOptions {
  readonly dataset: string;
  readonly format: string;
  readonly dayZone: string;
  readonly [name: string]: unknown;
}

/** Returns the options that decide the output of an export. */
export async function recordOptions(options: ExportOptions): Promise<RecordedOptions> {
  return canonical({
    ...(await recordRunOptions(options)),
    dataset: options.dataset,
    dayName: options.dayName,
    partition: options.partition === "day" ? undefined : options.partition,
    format: options.format,
    compression: options.compression,
    dayZone: options.dayZone,
    partBytes: options.partBytes,
    csvSafe: options.csvSafe,
    compact: options.compact,
    insertId: options.withInsertID,
    columns: options.columns && columnTexts(options.columns),
  }) as RecordedOptions;
}

/**
 * Returns the options that decide the rows that any run delivers. Leaves out options that do not
 * change them (threads, memory, limits that only end a run). Replaces the salt by an irreversible
 * check, the transform module by a digest of it and of what it imports, and the table of identities by its
 * digest.
 */
export async function recordRunOptions(
  options: Omit<RunOptions, "outputDirectory">,
): Promise<Readonly<Record<string, unknown>>> {
  const { drop, hash, cutQuery, salt } = options.privacy;
  return canonical({
    inputFormat: options.inputFormat ?? "detected",
    csv: options.csv,
    preset: options.preset,
    mapping: recordMapping(options.mapping),
    privacy: {
      drop,
      hash,
      ...omitUndefined({ cutQuery, saltCheck: salt === undefined ? undefined : saltCheck(salt) }),
    },
    transform: await transformDigest(options.transformPath),
    identity: await identityDigest(options.identityPath),
    minTime: new Date(options.minTimeMs).toISOString(),
    maxTime: options.maxTimeMs === "tomorrow" ? "tomorrow" : isoOrNull(options.maxTimeMs),
    fromTime: isoOrNull(options.fromTimeMs),
    toTime: isoOrNull(options.toTimeMs),
    includeEvents: options.includeEvents,
    excludeEvents: options.excludeEvents,
    rowBytesMax: options.rowBytesMax,
    splitBytes: options.splitBytes,
    target: options.target?.rules,
    repair: options.target?.repair,
    dedupe: options.dedupe,
    limit: options.limit,
  }) as Readonly<Record<string, unknown>>;
}

/** Returns a mapping as it was recorded before it could have several filters. */
function recordMapping({ filter, ...mapping }: Mapping): object {
  return { ...mapping, filter: filter.length > 1 ? filter : (filter[0] ?? null) };
}

/** Returns the mapping of recorded options; undefined if it was not recorded. */
export function recordedMapping(recorded: Readonly<Record<string, unknown>>): Mapping | undefined {
  const mapping = recorded["mapping"] as Mapping | undefined;
  return mapping && { ...mapping, filter: [mapping.filter ?? []].flat() };
}

/** Recorded names that are not those of the options. */
const optionsByName: Readonly<Record<string, OptionName>> = {
  includeEvents: "includeEvent",
  excludeEvents: "excludeEvent",
  rowBytesMax: "maxRowSize",
  splitBytes: "splitSize",
  partBytes: "partSize",
  "privacy.drop": "drop",
  "privacy.hash": "hash",
  "privacy.cutQuery": "cutQuery",
  "dedupe.within": "dedupe",
  batchRows: "batchSize",
};

/**
 * Returns a line for each difference of recorded options, as users know them:
 * `--split-size: was 4MiB, is 64MiB`, `mapping.time.zone: was "UTC", is …`.
 */
export function optionDifferences(before: unknown, after: unknown): readonly string[] {
  return changesOf(asWritten(before), asWritten(after)).map(({ path, was, is }) => {
    const known = optionsByName[path] ?? optionNames.find((name) => name === path);
    if (known === undefined || describeOption(known).flag === false) {
      const name = path
        .replace(/^csv\./, `${option("csvDialect")} `)
        .replace(/^dedupe\./, `${option("dedupe")} `);
      return `${name}: was ${jsonText(was)}, is ${jsonText(is)}`;
    }
    const isSize = describeOption(known).type.placeholder === "<size>";
    const text = (value: unknown) =>
      isSize && typeof value === "number" ? sizeText(value) : jsonText(value);
    return `${option(localNameOf(known))}: was ${text(was)}, is ${text(is)}`;
  });
}

/** Returns recorded options with the layout, the format and the limits of times as users write them. */
function asWritten(recorded: unknown): unknown {
  if (!isObject(recorded)) return recorded;
  const { dataset, dayName, partition = "day", minTime, maxTime, ...rest } = recorded;
  // The size of request batches decides their form.
  const { body: _, format, compression, csvSafe, ...others } = rest;
  const layout =
    dataset === undefined || dayName === undefined
      ? { dataset, dayName }
      : { layout: templateText({ dataset, dayName, partition } as DirectoryTemplate) };
  const timeLimits =
    minTime === undefined
      ? undefined
      : `${minTime}..${maxTime === "tomorrow" ? "" : String(maxTime)}`;
  const form =
    format === undefined
      ? undefined
      : formatNameOf({ format, compression, csvSafe } as Partial<FormatChoice>);
  return { ...others, ...omitUndefined({ ...layout, format: form, timeLimits }) };
}

interface ValueChange {
  readonly path: string;
  readonly was: unknown;
  readonly is: unknown;
}

function changesOf(was: unknown, is: unknown, path = ""): readonly ValueChange[] {
  if (isObject(was) && isObject(is)) {
    const keys = [...new Set([...Object.keys(was), ...Object.keys(is)])].sort();
    return keys.flatMap((key) =>
      changesOf(was[key], is[key], path === "" ? key : `${path}.${key}`),
    );
  }
  // Older versions do not know a list that is empty, such as a new target of mappings.
  const isNew = was === undefined && Array.isArray(is) && is.length === 0;
  return isNew || jsonText(was) === jsonText(is) ? [] : [{ path, was, is }];
}

function jsonText(value: unknown): string {
  return JSON.stringify(value) ?? "not set";
}

/** Sorts members by name and drops undefined ones, so that equal values have equal JSON. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, canonical(member)]));
}

function isoOrNull(timeMs: number | undefined): string | null {
  return timeMs === undefined ? null : new Date(timeMs).toISOString();
}

/** Slow on purpose, so that the salt cannot be guessed from a manifest. */
function saltCheck(salt: string): string {
  return scryptSync(salt, "switchyard salt check", 16).toString("hex");
}

async function identityDigest(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const hash = createHash("sha256");
  try {
    for await (const block of createReadStream(path)) hash.update(block);
  } catch (error) {
    throw new UsageError(
      "identity_unreadable",
      `cannot read the table of identities ${path}: ${(error as Error).message}`,
      { cause: error },
    );
  }
  return hash.digest("hex");
}

async function transformDigest(path: string | undefined): Promise<string | null> {
  if (path === undefined) return null;
  // The lexer of modules is loaded for transforms only.
  const { digestTransform } = await import("./transform-digest.js");
  return digestTransform(path);
}

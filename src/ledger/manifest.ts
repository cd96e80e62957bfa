import { z } from "zod";
import type { Immutable } from "../base/immutable.js";
import { createZone } from "../base/luxon-zone.js";
import type { RejectCodeName } from "../base/reject-codes.js";
import { mustBe } from "../base/schema.js";

// Worker threads import only types from here: loading zod would delay their start.

/** Raised when a reader of older manifests would misunderstand a newer one. */
export const MANIFEST_VERSION = 2;

const text = z.string();
const count = z.int().min(0);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const day = z.string().regex(/^\d{4,6}-\d{2}-\d{2}$/);

/** ISO 8601 in UTC with milliseconds. */
const time = z
  .string()
  .refine((value) => !Number.isNaN(Date.parse(value)), mustBe("a date-time that exists"));

const dataset = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._=-]{0,127}$/);
const zone = z.string().refine(isZone, mustBe("a time zone"));

export const rowCountsSchema = z.object({
  read: count,
  /** Events beyond the first that a transform made of one row; 0 without a transform. */
  added: count,
  delivered: count,
  rejected: count,
  filtered: count,
  /** Events that repeat an earlier one; absent without `dedupe`. */
  duplicates: count.exactOptional(),
});

/** read + added = delivered + rejected + filtered + duplicates. */
export type RowCounts = Immutable<z.infer<typeof rowCountsSchema>>;

export const rejectSummarySchema = z.object({
  /** Not limited to the codes of this version. */
  code: text as unknown as z.ZodType<RejectCodeName>,
  rows: count,
  example: z.object({
    source: text,
    /** 1-based; absent if the reader does not know it. */
    row: count.exactOptional(),
    /** 0-based offset in the decompressed source, if there is one. */
    byte: count.exactOptional(),
    /** Number of an element of the row, if elements are rows. */
    element: text.exactOptional(),
    message: text,
  }),
});

export type RejectSummary = Immutable<z.infer<typeof rejectSummarySchema>>;
export type RejectExample = RejectSummary["example"];

export const sourceFailureSchema = z.object({
  /** Name of the source. */
  source: text,
  /** Stable code of the error. */
  code: text,
  message: text,
});

export type SourceFailure = Immutable<z.infer<typeof sourceFailureSchema>>;

/** A line of `inputs.jsonl`: a source that was planned. */
export interface ManifestInput {
  readonly name: string;
  readonly bytes: number;
  readonly fingerprint: string;
  readonly format: string;
  /** Why it could not be read to its end. */
  readonly failure?: SourceFailure;
}

const inputsSchema = z.object({ path: text, count, bytes: count, sha256 });

/** The file that lists the sources. There can be a million of them. */
export type ManifestInputs = Immutable<z.infer<typeof inputsSchema>>;

const renamesSchema = z.object({
  path: text,
  bytes: count,
  sha256,
  /** Name of the target. */
  target: text,
  /** Event names, keys of metadata and properties of users that have another name now. */
  names: count,
  metadata: count,
  users: count,
});

/** The file that maps the old names to those that were repaired for a target. */
export type ManifestRenames = Immutable<z.infer<typeof renamesSchema>>;

const fileSchema = z.object({
  /** Relative to the output directory, with `/`. */
  path: text,
  /** Name of its events, if each event has a directory. */
  event: text.exactOptional(),
  rows: count,
  bytes: count,
  sha256,
  firstTimestamp: time,
  lastTimestamp: time,
});

export type ManifestFile = Immutable<z.infer<typeof fileSchema>>;

const daySchema = z.object({
  /** YYYY-MM-DD in the zone of the days. */
  day,
  rows: count,
  bytes: count,
  firstTimestamp: time,
  lastTimestamp: time,
  files: z.array(fileSchema),
});

export type ManifestDay = Immutable<z.infer<typeof daySchema>>;

const eventCountSchema = z.object({ rows: count, firstTimestamp: time, lastTimestamp: time });

export type ManifestEventCount = Immutable<z.infer<typeof eventCountSchema>>;

const eventSchema = eventCountSchema.extend({ event: text });

/** Delivered events of one name. */
export type ManifestEvent = Immutable<z.infer<typeof eventSchema>>;

const runSchema = z.object({
  /** ISO 8601; start of the first run into this directory. */
  startedAt: text,
  endedAt: text,
  /** Duration of this run, without the runs that it resumed. */
  durationMs: z.number().min(0),
  /** Number of times that the epochs were resumed. */
  resumes: count,
  /** ISO 8601; the first start of each epoch. */
  epochs: z.array(text),
});

/** The part of a manifest that differs between two runs with the same result. */
export type ManifestRun = Immutable<z.infer<typeof runSchema>>;

const epochSchema = z.object({
  /** 0 is the first run into the directory; each later run with new inputs adds one. */
  number: count,
  /** The inputs that the epoch read; the file of `inputs` lists them in the order of the epochs. */
  sources: count,
  rows: rowCountsSchema,
});

/** The inputs of an epoch, and their rows. */
export type ManifestEpoch = Immutable<z.infer<typeof epochSchema>>;

const missingFieldsSchema = z.object({
  target: text,
  /** Paths with dots. Each row needs one of them; no row of these sources has a value. */
  fields: z.array(text),
  rows: count,
  /** Sources without a value, and all sources with rows. */
  sources: count,
  sourcesTotal: count,
  /** The first of these sources. */
  names: z.array(text),
});

/** Mapped fields without a value in any row of some sources. */
export type MissingFields = Immutable<z.infer<typeof missingFieldsSchema>>;

const duplicatesSchema = z.object({
  within: text,
  /** Targets of the key. */
  by: z.array(text),
  /** In order. */
  days: z.array(z.object({ day, rows: count })),
  /** The most rows first. */
  sources: z.array(z.object({ source: text, rows: count })),
  events: z.array(z.object({ event: text, rows: count })),
});

/** The events that were removed because they repeat an earlier one; long lists are cut. */
export type ManifestDuplicates = Immutable<z.infer<typeof duplicatesSchema>>;

export const misplacedCommasSchema = z.object({
  places: count,
  sources: count,
  /** Position of the first gap: 0-based offset in the decompressed source. */
  source: text,
  byte: count,
});

/** Gaps between the rows of JSON arrays with too many or too few commas. */
export type MisplacedCommas = Immutable<z.infer<typeof misplacedCommasSchema>>;

export const limitSchema = z.object({
  /** Rows that are read at most, in the order of the inputs; rejected rows count. */
  rows: count,
  /** True if the inputs have more rows. */
  partial: z.boolean(),
});

/** The limit of a run that reads only the first rows of its inputs. */
export type RowLimit = Immutable<z.infer<typeof limitSchema>>;

export const runAccountsSchema = z.object({
  manifestVersion: count,
  /** Version of Switchyard. */
  version: text,
  /** False if a source failed or the run was interrupted; the counts are then partial. */
  complete: z.boolean(),
  /** The options that decide what is delivered, with secrets as digests. */
  configuration: z.record(z.string(), z.unknown()),
  rows: rowCountsSchema,
  /** Absent without `limit`. */
  limit: limitSchema.exactOptional(),
  epochs: z.array(epochSchema),
  rejects: z.array(rejectSummarySchema),
  notices: z.record(z.string(), z.number()),
  /** Absent without `dedupe`. */
  duplicates: duplicatesSchema.exactOptional(),
  /** Absent if there are none. */
  missingFields: z.array(missingFieldsSchema).exactOptional(),
  misplacedCommas: misplacedCommasSchema.exactOptional(),
  /** Absent without `repair`. */
  renames: renamesSchema.exactOptional(),
  inputs: inputsSchema,
  failures: z.array(sourceFailureSchema),
  run: runSchema,
});

/** The accounts of every run, of events in files or sent to a service. */
export type RunAccounts = Immutable<z.infer<typeof runAccountsSchema>>;

/** `manifest.json`. All of it but `run` is a function of inputs, configuration and version. */
export const manifestSchema = runAccountsSchema.extend({
  /** In order. */
  epochs: z.array(epochSchema.extend({ days: z.array(day) })),
  dataset,
  format: text,
  dayZone: zone,
  totals: z.object({
    rows: count,
    bytes: count,
    files: count,
    days: count,
    firstTimestamp: time.nullable(),
    lastTimestamp: time.nullable(),
  }),
  /**
   * Delivered rows that are in no file of `days` yet because the run was interrupted; `events` and
   * the counts by day include them. Absent in a complete manifest.
   */
  pending: count.exactOptional(),
  /** Sorted by name. If there are `otherEvents`, they may hold further rows of a name. */
  events: z.array(eventSchema),
  /** Events of the names that exceed the limit of names counted one by one. */
  otherEvents: eventCountSchema.exactOptional(),
  eventsByDay: z.object({ path: text, bytes: count, sha256 }),
  days: z.array(daySchema),
});

export type Manifest = Immutable<z.infer<typeof manifestSchema>>;

function isZone(name: string): boolean {
  try {
    createZone(name);
    return true;
  } catch {
    return false;
  }
}

import { z } from "zod";
import type { Immutable } from "../base/immutable.js";
import { planLinesName, splitIdPattern } from "../output/layout.js";
import type { SplitEvents } from "../profile/event-counts.js";
import type { PartFile, SpillFile } from "../sinks/sink.js";
import {
  limitSchema,
  misplacedCommasSchema,
  rejectSummarySchema,
  rowCountsSchema,
  sourceFailureSchema,
} from "./manifest.js";

// Worker threads import types from here, and no values: loading zod would delay their start.

const text = z.string();
const count = z.int().min(0);
const id = z.string().regex(/^\d{6}$/);
const splitId = new RegExp(`^${splitIdPattern}$`);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const partSchema = z.object({
  path: text,
  day: text,
  event: text.exactOptional(),
  rows: count,
  bytes: count,
  sha256,
  firstTimestamp: z.number(),
  lastTimestamp: z.number(),
}) satisfies z.ZodType<PartFile>;

const spillSchema = z.object({
  rows: count,
  bytes: count,
  packs: count,
  indexSha256: sha256,
}) satisfies z.ZodType<SpillFile>;

const fieldValuesSchema = z.object({
  rows: count,
  /** Rows with a value, at least, for each `FieldGroup` of the mapping. */
  filled: z.array(count),
  /** Ranges without any value of some groups, by index. */
  missing: z.array(z.object({ source: text, rows: count, groups: z.array(count) })),
});

/** The rows of a split in which mapped fields have values. */
export type FieldValues = Immutable<z.infer<typeof fieldValuesSchema>>;

export const splitRecordSchema = z.object({
  id: z.string().regex(splitId),
  /** `incomplete`: a source failed. What could be read was delivered; a resumed run repeats the split. */
  status: z.enum(["complete", "incomplete"]),
  failures: z.array(sourceFailureSchema),
  rows: rowCountsSchema,
  rejects: z.array(rejectSummarySchema),
  notices: z.record(z.string(), z.number()),
  fieldValues: fieldValuesSchema.exactOptional(),
  misplacedCommas: misplacedCommasSchema.exactOptional(),
  parts: z.array(partSchema),
  /** Small parts that wait to be joined with others of their days; absent if there are none. */
  staged: z.array(partSchema).exactOptional(),
  /** Rows that wait to be merged with those of other splits; absent if all rows are in parts. */
  spill: spillSchema.exactOptional(),
  /** Checksums of what was read of large plain files, for inputs that are touched later; absent if there are none. */
  digests: z
    .array(z.object({ source: text, start: count, bytes: count, crc32: count }))
    .exactOptional(),
  /** Digest of the list of events that were removed as duplicates; absent if the list is empty. */
  duplicates: z.object({ list: sha256 }).exactOptional(),
  /** Counts of the sink; absent if it counts nothing. */
  counts: z.record(z.string(), z.number()).exactOptional(),
});

/** The removed events of one split, by source, and by day and name. */
export interface DuplicateCounts {
  readonly sources: readonly (readonly [source: string, rows: number])[];
  readonly events: SplitEvents;
}

/** The result of one split; written after everything that it lists is durable. */
export type SplitRecord = Immutable<z.infer<typeof splitRecordSchema>>;

const plannedMergeSchema = z.object({
  id,
  /** Days since 1970-01-01, the last one included. */
  firstDay: z.int(),
  lastDay: z.int(),
  days: count,
  rows: count,
  /** Size of the packs and the staged parts. */
  bytes: count,
});

/** Consecutive days whose spilled rows and staged parts are merged together and committed as a whole. */
export type PlannedMerge = Immutable<z.infer<typeof plannedMergeSchema>>;

export const mergePlanSchema = z.object({
  /** Digest of the content of all spill files and staged parts: the plan is void for any other content. */
  spilled: text,
  merges: z.array(plannedMergeSchema),
});

/** The merges of all rows that wait. */
export type MergePlan = Immutable<z.infer<typeof mergePlanSchema>>;

export const mergeRecordSchema = z.object({ id, rows: count, parts: z.array(partSchema) });

/** The result of one merge; written after its parts are durable. */
export type MergeRecord = Immutable<z.infer<typeof mergeRecordSchema>>;

export const sentRunSchema = z.object({
  runId: text,
  destination: text,
  inputs: z.array(text),
  /** Directory that inputs and command are relative to. */
  directory: text,
  /** ISO 8601; first start. */
  startedAt: text,
  /** Arguments that resume the run, without the program's name. */
  command: z.array(text),
});

/** Describes a run of `send` to people: `run.json` in its directory. */
export type SentRun = Immutable<z.infer<typeof sentRunSchema>>;

/**
 * The format of the ledger that this version writes. It changes if an older version could not
 * resume what a newer one has written, or the reverse; the version of Switchyard alone does not
 * matter.
 */
export const LEDGER_FORMAT = 1;

/** The formats that this version resumes; the first was written by 0.3.0. */
export const knownFormats: readonly number[] = [LEDGER_FORMAT];

/** `plan.json`: the facts of an epoch, and where the rest of its record is. */
export const planFileSchema = z.object({
  /** One of `knownFormats`. */
  format: count,
  /** Version of Switchyard. */
  version: text,
  /** The options that decide what is delivered. */
  options: z.record(z.string(), z.unknown()),
  /** Milliseconds since 1970 UTC: the meaning of `tomorrow` when the run first started. */
  maxTimeMs: z.number(),
  /** ISO 8601; first start. */
  startedAt: text,
  /** Number of times that the run was resumed. */
  resumes: count,
  limit: limitSchema.exactOptional(),
  /** The file beside this one that lists inputs and splits. Written before this one. */
  lines: z.object({ path: z.string().regex(planLinesName), bytes: count, sha256 }),
  sources: count,
  splits: count,
  unreadable: count,
});

export type PlanFile = Immutable<z.infer<typeof planFileSchema>>;

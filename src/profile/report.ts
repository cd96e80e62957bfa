import { z } from "zod";
import type { Immutable } from "../base/immutable.js";
import { type RejectCodeName, rejectCodes } from "../base/reject-codes.js";
import { traceTargets } from "../batch/row-trace.js";
import { comparisonSchema } from "./report-comparison.js";
import { duplicatesSchema } from "./report-duplicates.js";
import {
  missingFieldsSchema,
  personalSchema,
  position,
  renamedFieldsSchema,
  unusedFieldsSchema,
} from "./report-fields.js";
import { estimateSchema, identitySchema, type topIDSchema } from "./report-identity.js";
import { quickSchema } from "./report-quick.js";
import { targetReportSchema } from "./report-target.js";
import { type JsonType, valueTypes } from "./value-types.js";

/** Changes when a reader of older reports would misunderstand a newer one. */
export const REPORT_VERSION = 1;

const text = z.string();
const count = z.int().min(0);
const amount = z.number().min(0);
const share = z.number().min(0).max(1);
const time = z.string().regex(/^(\d{4}|[+-]\d{6})-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);
const rejectCode = z.enum(Object.keys(rejectCodes) as RejectCodeName[]);

const propertySchema = z
  .strictObject({
    key: text,
    rows: count.describe("Events that have the key, including those where it is null."),
    fill: share.describe("Share of the events in which the key has a value other than null."),
    types: z
      .strictObject(
        Object.fromEntries(valueTypes.map((type) => [type, count.exactOptional()])) as Record<
          JsonType,
          z.ZodExactOptional<typeof count>
        >,
      )
      .describe("Events by the type of the value. Types that do not occur are left out."),
    distinct: estimateSchema.describe("Distinct values, without null."),
    topValues: z
      .array(z.strictObject({ value: text, rows: count }))
      .describe(
        "Most frequent values, without null: strings without quotes, other values as JSON. Long values end in `…`; email addresses and secrets are replaced by `…`. Values with at most `topValuesError` rows are left out.",
      ),
    topValuesError: count.describe(
      "Each value in `topValues` has at least its `rows`, and at most this many more; 0 means exact.",
    ),
    examples: z
      .array(text)
      .describe("Further values, written alike. Nothing is known about their frequency."),
    bytes: z
      .strictObject({ min: count, mean: amount, max: count })
      .describe("Bytes of the values as JSON, without null."),
    days: z
      .strictObject({ first: day, last: day })
      .nullable()
      .describe("Days of the first and the last value up to the start of the run."),
    numbers: z
      .strictObject({ min: z.number(), max: z.number() })
      .nullable()
      .describe("Range of the values that are numbers; null if there are none."),
    personal: personalSchema,
  })
  .meta({ id: "property" });

const propertiesSchema = z
  .strictObject({
    rows: count.describe("Events whose properties were read."),
    keys: z.array(propertySchema).describe("Keys, the most frequent first."),
    otherKeys: z
      .strictObject({
        keys: count.nullable().describe("0, or null if their number is not known."),
        values: count,
      })
      .describe("Keys beyond the limit, counted together."),
  })
  .meta({ id: "properties" });

export const severities = ["error", "warning", "info"] as const;

const fixSchema = z.strictObject({
  path: z.array(text).describe('Path in the file, such as `["mapping", "timestamp", "zone"]`.'),
  value: z.unknown().describe("New value of that path."),
  line: text.describe(
    'The line to type, such as `"mapping": {"timestamp": {"zone": "America/New_York"}}`.',
  ),
  isSafe: z.boolean().describe("The fix needs no decision; `validate --apply` writes it."),
  module: z
    .strictObject({ name: text, text })
    .exactOptional()
    .describe("Transform module that the line names. All findings that need one share it."),
});

const findingSchema = z.strictObject({
  code: text.describe("Stable code, such as `time_unit_seconds`."),
  severity: z.enum(severities),
  title: text.describe("One sentence."),
  detail: text.describe("What the finding means, and the evidence. Plain text."),
  rows: count.describe("Rows or events that are affected."),
  event: text.exactOptional().describe("Event name, if the finding is about one."),
  property: text.exactOptional().describe("Property, if the finding is about one."),
  day: day.exactOptional().describe("Day, if the finding is about one."),
  rejectCode: rejectCode.exactOptional().describe("Reason, if the finding is about rejected rows."),
  acceptedBecause: z
    .enum(["acceptFindings", "maxRejects"])
    .exactOptional()
    .describe("The option that accepts the finding: it then does not count in the verdict."),
  fix: fixSchema.exactOptional().describe("The change of `pipeline.config.json` that fixes it."),
});

const daySchema = z.strictObject({
  day,
  events: count,
  hours: z
    .array(count)
    .length(24)
    .describe("Events of each hour. The hour that daylight saving repeats counts twice."),
  byEvent: z
    .array(z.tuple([count, count]))
    .describe("Pairs of an index into `events` and that event's rows of the day."),
  rejected: count.describe("Rejected rows whose time is known."),
  empty: z
    .strictObject({
      userID: count,
      stableID: count,
      value: count,
      user: count.describe("Without the ids, which are also in `user`."),
      metadata: count,
      insertID: count,
    })
    .describe("Events of the day without a value for each target of the mapping."),
});

const eventSchema = z.strictObject({
  event: text,
  rows: count,
  share: share.describe("Share of all events."),
  firstTimestamp: time,
  lastTimestamp: time,
  days: count.describe("Days on which the event occurs."),
  users: estimateSchema.nullable().describe("Distinct user ids; null like `properties`."),
  bytes: z.strictObject({ mean: amount, max: count }).describe("Bytes of the event as JSON."),
  properties: propertiesSchema
    .nullable()
    .describe("Keys of `metadata`; null for names beyond `limits.namesWithProperties`."),
});

const inputsSchema = z.strictObject({
  files: count,
  bytes: count,
  sources: z
    .array(
      z.strictObject({
        name: text,
        bytes: count,
        format: text,
        failure: z
          .strictObject({ code: text, message: text })
          .exactOptional()
          .describe("Why the source could not be read completely."),
      }),
    )
    .describe("The first sources, in the order of the inputs."),
  sourcesTotal: count,
});

const rowsSchema = z.strictObject({
  read: count,
  added: count.describe("Further events that a transform made of rows."),
  mapped: count.describe("Events that an export would contain."),
  rejected: count,
  filtered: count,
  duplicates: duplicatesSchema,
});

const timesSchema = z.strictObject({
  first: time.nullable(),
  last: time.nullable(),
  future: count.describe("Events later than the start of the run."),
  suspicious: count.describe(
    "Events at placeholder times: before 2000, or exactly midnight UTC on a day such as 2001-01-01.",
  ),
  midnight: count.describe(
    "Events at exactly 00:00:00.000 of the zone: times that are only dates.",
  ),
  zoneGuess: z
    .strictObject({
      shiftHours: z
        .int()
        .min(-12)
        .max(12)
        .describe("Hours from 02:00 to the start of the quietest six hours."),
      confidence: z.enum(["none", "weak", "strong"]),
      evidence: text,
    })
    .describe("What the hours of day suggest about the zone of times that name none."),
});

const sizesSchema = z.strictObject({
  total: count.describe("Bytes of all events as JSON lines, with line ends."),
  mean: amount,
  p50: count.describe("At most this many bytes in half of the events."),
  p95: count,
  p99: count,
  max: count,
  largest: z
    .array(z.strictObject({ event: text, bytes: count, ...position }))
    .describe("Largest events, with the positions of their rows."),
});

const basis = text
  .exactOptional()
  .describe("Digest of inputs, configuration and version: `--apply` takes fixes of the same one.");

const rejectSchema = z.strictObject({
  code: rejectCode,
  rows: count,
  advice: text.describe("What to do about it."),
  samples: z.array(
    z.strictObject({
      ...position,
      message: text,
      raw: text.describe("Bytes of the row as text, cut if long; base64 if they are not UTF-8."),
      isBase64: z.boolean(),
    }),
  ),
});

const sampleSchema = z.strictObject({
  event: text,
  ...position,
  raw: text.describe("Text of the source row, cut if long."),
  csv: z
    .strictObject({
      delimiter: text,
      quote: text,
      escape: text.exactOptional(),
      backslashes: z.boolean().describe("A backslash escapes any character."),
      nulls: z.array(text).describe("Texts that mean null."),
      columns: z.array(text),
    })
    .exactOptional()
    .describe("Dialect and columns, if the row is a record of CSV."),
  result: text.describe("The event as it would be delivered, as JSON."),
  trace: z
    .array(
      z.strictObject({
        target: z.enum(traceTargets),
        from: z.array(text).describe("Path in the row: column or members, indexes as texts."),
        to: z.array(text).describe("Path in the event; empty for the field of the filter."),
      }),
    )
    .describe(
      "Where the values of the event are from, by the mapping; at most 64 steps. What is below `to` has the same path below `from`, unless a longer `to` says otherwise.",
    ),
});

const estimatesSchema = z.strictObject({
  export: z.strictObject({ bytes: count, durationMs: amount }),
  send: z
    .strictObject({ eventsPerSecond: amount, durationMs: amount })
    .describe("At the configured rate, or at 1,000 events per second."),
  qualifyingEvents: z
    .array(
      z.strictObject({
        name: text,
        event: text,
        refused: text.exactOptional().describe("Why it cannot be created."),
      }),
    )
    .describe("Qualifying events that `switchyard qualify` would create."),
});

/**
 * Schema of `report.json`, the result of a dry run: the source of its types, of report.schema.json and
 * of the tables in docs/report.md. Except for `run`, a report is a function of inputs, configuration and
 * version.
 */
export const reportSchema = z.strictObject({
  reportVersion: z.literal(REPORT_VERSION),
  version: text.describe("Version of Switchyard."),
  run: z
    .strictObject({ startedAt: time, endedAt: time, durationMs: amount, threads: count, basis })
    .describe("When the dry run ran, and with how many threads."),
  configuration: z
    .record(text, z.unknown())
    .describe("Options of the run, with the resolved mapping."),
  dayZone: text.describe("Zone of days and hours: the one that an export uses for its days."),
  inputs: inputsSchema.describe("Files and sources, with their formats."),
  sample: z
    .strictObject({
      share: share.describe(
        "Share of the inputs' bytes that was read; compressed bytes of a sample count by their estimated content.",
      ),
      quick: quickSchema.exactOptional().describe("Estimates for all inputs, with `--quick`."),
    })
    .describe(
      "Counts are of what was read and are not scaled up; only `estimates` and `quick` are.",
    ),
  limit: z
    .strictObject({
      rows: count.describe("Rows that were read at most, in the order of the inputs."),
      partial: z.boolean().describe("True if the inputs have more rows, which were not read."),
    })
    .exactOptional()
    .describe("The limit of rows, with `--limit`; all counts are of these rows."),
  rows: rowsSchema.describe(
    "read + added = mapped + rejected + filtered, + `duplicates.exact.rows` if those are removed.",
  ),
  findings: z
    .array(findingSchema)
    .describe(
      "Problems that were found, most severe first, then by rows; those that are accepted come last. See findings.md.",
    ),
  verdict: z
    .strictObject({
      tone: z
        .enum(["error", "warning", "good"])
        .describe("`error` if the export is not ready; then the exit code is not 0."),
      sentence: text,
    })
    .describe("Whether the export is ready, from rows, findings and limits."),
  days: z
    .array(daySchema)
    .describe("Days in order. Days without events are included, up to `limits.days`."),
  otherDays: z
    .strictObject({ rows: count })
    .describe("Events of hours beyond the limit, which are in no day."),
  hoursOfDay: z.array(count).length(24).describe("Events of each hour of the day, over all days."),
  events: z.array(eventSchema).describe("Event names, the most frequent first."),
  otherEvents: z
    .strictObject({
      names: count.nullable().describe("0, or null if their number is not known."),
      rows: count,
    })
    .describe("Event names beyond the limit, counted together."),
  identity: identitySchema.describe("User ids and device ids."),
  times: timesSchema.describe("First and last event, and times that look wrong."),
  sizes: sizesSchema.describe("Bytes of the events as JSON."),
  userProperties: propertiesSchema.describe("Keys of `user` over all events, without the ids."),
  unusedFields: unusedFieldsSchema.describe(
    "Source fields that the mapping does not use, from a sample; most filled first.",
  ),
  missingFields: missingFieldsSchema.describe(
    "Mapped fields without a value in any row, or in any row of some sources.",
  ),
  renamedFields: renamedFieldsSchema.describe(
    "Fields that the mapping does not use, with values where a target has none.",
  ),
  misplacedCommas: z
    .strictObject({ places: count, sources: count, source: text, byte: count })
    .exactOptional()
    .describe("Gaps with too many or too few commas in JSON arrays; `byte` of the first `source`."),
  skippedLines: z
    .strictObject({ headers: count, marks: count })
    .exactOptional()
    .describe("CSV headers and byte order marks inside of sources, which are not rows."),
  rowsWithoutElements: count
    .exactOptional()
    .describe("Rows whose list is missing, null or empty, where elements of a list are the rows."),
  target: targetReportSchema
    .exactOptional()
    .describe("What the target would do with the events; absent if it takes all as they are."),
  rejects: z.array(rejectSchema).describe("Reasons why rows are rejected, with samples."),
  samples: z
    .array(sampleSchema)
    .describe("Source rows beside the events that they become, from many event names."),
  comparison: comparisonSchema
    .exactOptional()
    .describe("What has changed since the report of `--compare`; absent without it."),
  estimates: estimatesSchema.describe("What an export and sending will take; for all rows."),
  limits: z.record(text, count).describe("Limits of the lists in the report: see below."),
});

/** A dry run's report. Times are ISO 8601 in UTC, sizes bytes, shares from 0 to 1. */
export type Report = Immutable<z.infer<typeof reportSchema>>;
export type TargetReport = Immutable<z.infer<typeof targetReportSchema>>;
export type Severity = (typeof severities)[number];
export type Finding = Immutable<z.infer<typeof findingSchema>>;
export type Fix = Immutable<z.infer<typeof fixSchema>>;
export type ReportDay = Immutable<z.infer<typeof daySchema>>;
export type ReportEvent = Immutable<z.infer<typeof eventSchema>>;
/** A number from a sketch. */
export type Estimate = Immutable<z.infer<typeof estimateSchema>>;
export type ReportProperties = Immutable<z.infer<typeof propertiesSchema>>;
export type ReportProperty = Immutable<z.infer<typeof propertySchema>>;
export type TopID = Immutable<z.infer<typeof topIDSchema>>;
export type ReportSizes = Immutable<z.infer<typeof sizesSchema>>;
export type ReportReject = Immutable<z.infer<typeof rejectSchema>>;
export type ReportSample = Immutable<z.infer<typeof sampleSchema>>;
export type Comparison = Immutable<z.infer<typeof comparisonSchema>>;
export type QuickReport = Immutable<z.infer<typeof quickSchema>>;
export type ReportEstimates = Immutable<z.infer<typeof estimatesSchema>>;

import { rejectCodes } from "../base/reject-codes.js";
import { REPORT_VERSION, severities, valueTypes } from "./report.js";

const REPORT_SCHEMA_ID = "report.schema.json";

type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: "string" };
const count: Schema = { type: "integer", minimum: 0 };
const amount: Schema = { type: "number", minimum: 0 };
const number: Schema = { type: "number" };
const share: Schema = { type: "number", minimum: 0, maximum: 1 };
const time: Schema = {
  type: "string",
  pattern: "^(\\d{4}|[+-]\\d{6})-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$",
};
const day: Schema = { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}$" };
const rejectCode: Schema = { enum: Object.keys(rejectCodes) };

const list = (items: Schema): Schema => ({ type: "array", items });
const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: "null" }] });
const ref = (name: string): Schema => ({ $ref: `#/$defs/${name}` });

/** All members are required but those that are named as optional; there are no others. */
function object(properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []) {
  return {
    type: "object",
    required: Object.keys(properties).filter((key) => !optional.includes(key)),
    properties,
    additionalProperties: false,
  } satisfies Schema;
}

const place = { source: text, row: count, byte: count };
const placeOptional = ["row", "byte"];

const estimate = object({ count, error: share });

const property = object({
  key: text,
  rows: count,
  fill: share,
  types: {
    type: "object",
    properties: Object.fromEntries(valueTypes.map((type) => [type, count])),
    additionalProperties: false,
  },
  distinct: ref("estimate"),
  topValues: list(object({ value: text, rows: count })),
  topValuesError: count,
  bytes: object({ min: count, mean: amount, max: count }),
  numbers: orNull(object({ min: number, max: number })),
});

const properties = object({
  rows: count,
  keys: list(ref("property")),
  otherKeys: object({ keys: orNull(count), values: count }),
});

const finding = object(
  {
    code: text,
    severity: { enum: severities },
    title: text,
    detail: text,
    rows: count,
    event: text,
    property: text,
    day,
    rejectCode,
    fix: object(
      {
        path: list(text),
        value: {},
        line: text,
        isSafe: { type: "boolean" },
        module: object({ name: text, text }),
      },
      ["module"],
    ),
  },
  ["event", "property", "day", "rejectCode", "fix"],
);

const reportDay = object({
  day,
  events: count,
  hours: { type: "array", items: count, minItems: 24, maxItems: 24 },
  byEvent: list({ type: "array", prefixItems: [count, count], minItems: 2, maxItems: 2 }),
  rejected: count,
});

const event = object({
  event: text,
  rows: count,
  share,
  firstTimestamp: time,
  lastTimestamp: time,
  days: count,
  users: orNull(ref("estimate")),
  bytes: object({ mean: amount, max: count }),
  properties: orNull(ref("properties")),
});

const failure = object({ code: text, message: text });

const inputs = object({
  files: count,
  bytes: count,
  sources: list(object({ name: text, bytes: count, format: text, failure }, ["failure"])),
  sourcesTotal: count,
});

const rows = object({
  read: count,
  added: count,
  mapped: count,
  rejected: count,
  filtered: count,
  duplicates: object({
    withInsertID: count,
    withinSplits: count,
    unknown: count,
    estimated: count,
    error: amount,
  }),
});

const topIDs = list(object({ id: text, rows: count, others: ref("estimate") }));

const identity = object({
  both: count,
  userOnly: count,
  deviceOnly: count,
  none: count,
  users: ref("estimate"),
  devices: ref("estimate"),
  junkIDs: list(object({ field: { enum: ["userID", "stableID"] }, value: text, rows: count })),
  topUsers: topIDs,
  topDevices: topIDs,
});

const times = object({
  first: orNull(time),
  last: orNull(time),
  future: count,
  suspicious: count,
  midnight: count,
  zoneGuess: object({
    shiftHours: { type: "integer", minimum: -12, maximum: 12 },
    confidence: { enum: ["none", "weak", "strong"] },
    evidence: text,
  }),
});

const sizes = object({
  total: count,
  mean: amount,
  p50: count,
  p95: count,
  p99: count,
  max: count,
  largest: list(object({ event: text, bytes: count, ...place }, placeOptional)),
});

const reject = object({
  code: rejectCode,
  rows: count,
  advice: text,
  samples: list(
    object({ ...place, message: text, raw: text, isBase64: { type: "boolean" } }, placeOptional),
  ),
});

const estimates = object({
  export: object({ bytes: count, durationMs: amount }),
  send: object({ eventsPerSecond: amount, durationMs: amount }),
  qualifyingEvents: list(object({ name: text, event: text, refused: text }, ["refused"])),
});

/**
 * JSON Schema 2020-12 of `report.json`. The package ships it as report.schema.json, which a test
 * compares with this.
 */
export const reportSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: REPORT_SCHEMA_ID,
  title: "Switchyard report",
  description: "What `switchyard validate` found out about an export. docs/report.md describes it.",
  ...object({
    reportVersion: { const: REPORT_VERSION },
    version: text,
    run: object({ startedAt: time, endedAt: time, durationMs: amount, threads: count }),
    configuration: { type: "object" },
    dayZone: text,
    inputs,
    sample: object({ share }),
    rows,
    findings: list(finding),
    days: list(reportDay),
    otherDays: object({ rows: count }),
    hoursOfDay: { type: "array", items: count, minItems: 24, maxItems: 24 },
    events: list(event),
    otherEvents: object({ names: orNull(count), rows: count }),
    identity,
    times,
    sizes,
    userProperties: ref("properties"),
    rejects: list(reject),
    samples: list(object({ event: text, ...place, raw: text, result: text }, placeOptional)),
    estimates,
    limits: { type: "object", additionalProperties: count },
  }),
  $defs: { estimate, property, properties },
} as const;

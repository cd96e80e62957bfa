import { z } from "zod";
import { isZone, refuseZone } from "../base/luxon-zone.js";
import { epochOf } from "./time-format.js";
import { refusePattern } from "./time-pattern.js";

/** Splits a path into steps: `"a.b"` has two, `""` (the row itself) has none. */
export function stepsOf(path: string): string[] {
  return path === "" ? [] : path.split(".");
}

export const name = z.string().min(1);

export const dotted = name.describe("A path with dots.");

export const path = z.union([z.string().transform(stepsOf), z.array(name).min(1)]).meta({
  id: "path",
  description:
    "The path of a value in a row: names joined by dots (`context.traits.plan`), or a list of names if one of them contains a dot.",
});

export const plainField = z
  .union([
    dotted.transform((text) => ({ path: stepsOf(text) })),
    z.strictObject({ field: path }).transform(({ field }) => ({ path: field })),
  ])
  .meta({ id: "plainField" });

const textForm = z.enum(["json", "integer"]);

const reading = {
  as: z
    .union([textForm, z.array(textForm).min(1)])
    .exactOptional()
    .describe(
      '`json`: text that is a JSON string, number, boolean or null becomes its value (`"u1"` with its quotes: `u1`). `integer`: a whole number with a fraction or an exponent becomes its digits (`1000.0`, `1e+03`: `1000`), up to 2^53. Any other text stays as it is.',
    ),
  trim: z
    .boolean()
    .exactOptional()
    .describe(
      "Removes white space, control characters and characters of no width around text (such as U+00A0, U+200B and U+FEFF).",
    ),
};

/** Changes of a text before it is used. */
export interface TextReading {
  readonly as?: z.output<(typeof reading)["as"]>;
  readonly trim?: boolean;
}

const fieldWithExceptions = z
  .strictObject({
    field: path,
    ...reading,
    unlessPrefix: name.exactOptional().describe("Text that begins with this counts as null."),
    unless: z
      .array(name)
      .min(1)
      .exactOptional()
      .describe("Text or a number that is one of these counts as null."),
    unlessSameAs: path
      .exactOptional()
      .describe("A path: text or a number that this field has as well counts as null."),
    joinedWith: path
      .exactOptional()
      .describe(
        "A path: its text or number follows after a hyphen. Null if one of the two is null or empty.",
      ),
    names: z
      .record(z.string(), name)
      .exactOptional()
      .describe("The text that each text or number stands for; any other counts as null."),
  })
  .check(({ value, issues }) => {
    for (const key of ["as", "trim", "unlessSameAs"] as const) {
      if (value.joinedWith === undefined || value[key] === undefined) continue;
      issues.push({
        code: "custom",
        message: "cannot be with joinedWith",
        input: value,
        path: [key],
      });
    }
  })
  .transform(({ field, ...exceptions }) => ({ path: field, ...exceptions }));

export type FieldSource = z.output<typeof fieldWithExceptions>;

export const textField = z
  .union([dotted.transform((text): FieldSource => ({ path: stepsOf(text) })), fieldWithExceptions])
  .meta({ id: "textField" });

export const valueField = z
  .union([
    dotted.transform((text): FieldSource => ({ path: stepsOf(text) })),
    z
      .strictObject({ field: path, ...reading })
      .transform(({ field, ...changes }): FieldSource => ({ path: field, ...changes })),
  ])
  .meta({ id: "valueField" });

const oneTimeFormat = z
  .string()
  .refine((format) => epochOf(format) !== undefined || refusePattern(format) === "", {
    error: ({ input }) => refusePattern(String(input)),
  });

const timeFormat = z
  .union([
    oneTimeFormat,
    z
      .array(oneTimeFormat)
      .min(1)
      .transform((formats) => (formats.length === 1 ? (formats[0] as string) : formats)),
  ])
  .default("auto")
  .describe(
    "`auto`: ISO 8601, an English date with the month's name (RFC 2822, HTTP, `Date.toString()`), or an epoch whose unit depends on its size. `s`, `ms`, `us`, `ns`: an epoch in that unit. `100ns since 0001-01-01` and the like: a count from another day, in `s`, `ms`, `us`, `100ns`, `ns` or `days`. Anything else is a pattern of Luxon's tokens, such as `dd.MM.yyyy HH:mm`. Of a list, the first that reads a value is used.",
  );

const timeZone = z
  .string()
  .refine(isZone, { error: ({ input }) => refuseZone(String(input)) })
  .default("UTC")
  .describe(
    "The zone of times that name none: an IANA name (`America/New_York`), `UTC` or an offset (`+05:30`).",
  );

const fieldWithForm = z
  .strictObject({
    field: path,
    format: timeFormat,
    zone: timeZone,
    shifted: z
      .boolean()
      .default(false)
      .describe(
        "Epochs count the zone's wall clock instead of UTC, as Mixpanel's do in projects created before 2023.",
      ),
    as: z
      .literal("json")
      .exactOptional()
      .describe("Text that is a JSON string or number becomes its value."),
  })
  .transform(({ field, ...form }) => ({ path: field, ...form }));

export type TimeSource = z.output<typeof fieldWithForm>;

export const timeField = z
  .union([
    dotted.describe("A path with dots; format auto, zone UTC.").transform(
      (text): TimeSource => ({
        path: stepsOf(text),
        format: "auto",
        zone: "UTC",
        shifted: false,
      }),
    ),
    fieldWithForm,
  ])
  .meta({ id: "timeField" });

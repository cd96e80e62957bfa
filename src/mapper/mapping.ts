import { z } from "zod";
import {
  dotted,
  type FieldSource,
  name,
  path,
  plainField,
  stepsOf,
  type TimeSource,
  textField,
  timeField,
  valueField,
} from "./field-schemas.js";

function lastOf(steps: readonly string[]): string {
  return steps.at(-1) ?? "";
}

const pairValue = z
  .union([
    dotted.transform((text) => ({ path: stepsOf(text), isNumber: false })),
    z
      .strictObject({
        field: path,
        as: z
          .literal("number")
          .exactOptional()
          .describe('Text that is a JSON number (`"123"`) becomes that number.'),
      })
      .transform(({ field, as }) => ({ path: field, isNumber: as === "number" })),
  ])
  .meta({ id: "pairValue" });

const namedField = z
  .strictObject({
    field: path,
    name: z.string().exactOptional().describe("Default: the last name of the path."),
  })
  .transform(({ field, name: given = lastOf(field) }) => ({ path: field, name: given }));

export type MemberSource = z.output<typeof namedField>;

const memberField = z
  .union([
    name.transform((text): MemberSource => {
      const steps = stepsOf(text);
      return { path: steps, name: lastOf(steps) };
    }),
    namedField,
  ])
  .meta({ id: "memberField" });

const members = z
  .array(memberField)
  .min(1)
  .check(({ value, issues }) => {
    const names = value.map((member) => member.name);
    names.forEach((one, index) => {
      if (names.indexOf(one) === index) return;
      const message = `is the second field named ${JSON.stringify(one)}; give one of them another name`;
      issues.push({ code: "custom", message, input: value[index], path: [index] });
    });
  });

const oneOrMore = <T extends z.ZodType>(field: T) =>
  z.union([field.transform((one) => [one]), z.array(field).min(1)]);

const none = z.null().transform((): never[] => []);

const firstOf = (what: string) =>
  `${what} A list is tried in order: the first field that is not null is used.`;

/** A required target. Configurations may omit it to use the preset's. */
const neededTarget = <T extends z.ZodType>(field: T, what: string) =>
  z
    .union([field.transform((one: z.output<T>) => [one]), z.array(field).min(1)], {
      error: ({ input }) =>
        input === null
          ? "every event needs it; name its field, or leave out the key to use the preset's"
          : undefined,
    })
    .describe(firstOf(what));

const target = <T extends z.ZodType>(field: T, what: string) =>
  z
    .union([field.transform((one) => [one]), z.array(field).min(1), none])
    .exactOptional()
    .describe(firstOf(what));

const fieldList = z
  .strictObject({ fields: members })
  .transform(({ fields }) => ({ kind: "fields" as const, fields }))
  .describe("An object made of these fields, without those that are null.");

const rest = z
  .strictObject({
    rest: z.union([z.string().transform(stepsOf), z.array(name)]),
    except: z.array(z.string()).default([]).describe("Names of more members to leave out."),
  })
  .transform(({ rest: path, except }) => ({ kind: "rest" as const, path, except }))
  .describe(
    "The object at this path (if empty: the row) without the members that other targets use.",
  );

const pairs = z
  .strictObject({
    pairs: oneOrMore(plainField).describe("The path of the list. Of several, the first not null."),
    key: oneOrMore(plainField).describe(
      "Within an element of the list: the member's name. Of several, the first not null.",
    ),
    value: oneOrMore(pairValue).describe(
      "Within an element of the list: the member's value. Of several, the first not null.",
    ),
  })
  .transform(({ pairs: lists, key, value }) => ({
    kind: "pairs" as const,
    lists,
    keys: key,
    values: value,
  }))
  .describe(
    'An object made of a list of keys and values, as GA4 has them: `{ "pairs": "event_params", "key": "key", "value": ["value.string_value", "value.int_value"] }`. Of a repeated key the last value counts.',
  );

const firstObject = z
  .array(plainField)
  .min(1)
  .transform((choices) => ({ kind: "choices" as const, choices }))
  .describe("Of several objects, the first that is not null.");

const objectPart = z
  .union([
    plainField.transform((field) => ({ kind: "choices" as const, choices: [field] })),
    firstObject,
    fieldList,
    rest,
    pairs,
  ])
  .meta({ id: "objectPart" });

export type ObjectPart = z.output<typeof objectPart>;

const merged = z
  .array(objectPart)
  .min(1)
  .transform((parts) => ({ kind: "merged" as const, parts }))
  .describe(
    "The members of several objects in one. Of members of the same name, the first that is not null counts.",
  );

const objectTarget = (what: string) =>
  z
    .union([
      objectPart,
      merged,
      z.null().transform(() => ({ kind: "choices" as const, choices: [] })),
    ])
    .exactOptional()
    .describe(
      `${what} An object, a JSON text of one, a list of fields, the rest of an object, a list of keys and values, or a list of such parts, which are merged.`,
    );

const patterns = (what: string) =>
  z
    .array(z.string())
    .min(1)
    .exactOptional()
    .describe(`${what} \`*\` is any text, \`?\` any character.`);

const rowFilter = z
  .strictObject({
    field: path,
    include: patterns(
      "Rows whose text is none of these are left out, and rows without text as well.",
    ),
    exclude: patterns("Rows whose text is one of these are left out, even if they are included."),
  })
  .refine(({ include, exclude }) => include !== undefined || exclude !== undefined, {
    error: "needs the key include or exclude",
  })
  .meta({ minProperties: 2 })
  .transform(({ field, include = [], exclude = [] }) => ({ path: field, include, exclude }));

const rowFilters = z
  .union([oneOrMore(rowFilter), none])
  .exactOptional()
  .describe(
    "Which rows are events, by the text of one field, such as a call's type. Rows must pass all filters of a list. The others are counted as filtered; they are not rejects.",
  );

const rows = path
  .nullable()
  .exactOptional()
  .describe(
    "The path of a list in each row: its elements are the rows. Each step may lead to a list. Fields are paths within an element, `^.field` is a field of the object around the list, `^.^.field` one of the object around that.",
  );

/** A complete mapping, as presets write it. In the output each target has one form. */
export const mappingSchema = z.strictObject({
  description: z.string().exactOptional().describe("For readers."),
  rows,
  event: neededTarget(textField, "The event's name: text."),
  timestamp: neededTarget(timeField, "The time of the event."),
  userID: target(textField, "The user's id: text or a number."),
  stableID: target(textField, "The device's id: text or a number."),
  value: target(valueField, "The event's value: text or a number."),
  metadata: objectTarget("The event's properties."),
  user: objectTarget("The user's properties; the ids come before them."),
  insertID: target(textField, "The id that tells a repeated event from another one."),
  distinctID: target(
    textField,
    "The id by which the vendor tells repeated events apart, beside the insert id; it is in no event.",
  ),
  filter: rowFilters,
});

/** The changes of a configuration to a preset's mapping. */
export const mappingChangesSchema = mappingSchema
  .extend({
    event: mappingSchema.shape.event.exactOptional(),
    timestamp: mappingSchema.shape.timestamp.exactOptional(),
  })
  .describe("The fields of a row that make the event. A target that is left out is the preset's.");

/** A mapping as presets and guesses write it. */
export type WrittenMapping = z.input<typeof mappingSchema>;

/** Changes to a preset's mapping, as configurations write them. */
export type WrittenChanges = z.input<typeof mappingChangesSchema>;

export type MappingTargets = z.output<typeof mappingSchema>;
export type MappingChanges = z.output<typeof mappingChangesSchema>;

export type PairsSource = z.output<typeof pairs>;
export type ObjectSource = NonNullable<MappingChanges["metadata"]>;
export type RowFilter = z.output<typeof rowFilter>;

/**
 * The resolved mapping with every default made explicit; input to the mappers. Plain data, checked once in
 * the main thread.
 */
export interface Mapping {
  readonly event: readonly FieldSource[];
  readonly timestamp: readonly TimeSource[];
  readonly userID: readonly FieldSource[];
  readonly stableID: readonly FieldSource[];
  readonly value: readonly FieldSource[];
  readonly metadata: ObjectSource;
  readonly user: ObjectSource;
  readonly insertID: readonly FieldSource[];
  /** Only for keys of repeated events. */
  readonly distinctID: readonly FieldSource[];
  /** Rows are events that pass all of them. */
  readonly filter: readonly RowFilter[];
  /** Absent if the rows of the sources are the rows. */
  readonly rows?: readonly string[];
}

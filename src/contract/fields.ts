import { z } from "zod";
import { omitUndefined } from "../base/omit-undefined.js";

/** Maximum number of faults that an answer lists. */
export const FAULTS_MAX = 100;

/**
 * Returns an array schema that stops validating items after more than FAULTS_MAX faults. The answer would
 * not list the others, and finding them could block every other request for seconds.
 */
export function list<Item extends z.ZodType>(item: Item): z.ZodArray<Item> {
  return new BoundedArray({ type: "array", element: item }) as unknown as z.ZodArray<Item>;
}

interface BoundedArrayDefinition extends z.core.$ZodArrayDef {
  /** True for items that the schema returns as they are. Saves a long list the run of the schema. */
  readonly isPlain?: (item: unknown) => boolean;
}

const BoundedArray = z.core.$constructor<z.ZodArray, BoundedArrayDefinition>(
  "BoundedArray",
  (inst, def) => {
    z.ZodArray.init(inst as never, def);
    const parseWhole = inst._zod.parse;
    inst._zod.parse = (payload, context) => {
      const items: unknown = payload.value;
      if (!Array.isArray(items)) return parseWhole(payload, context);
      if (def.isPlain !== undefined && items.every(def.isPlain)) return payload;
      const values: unknown[] = [];
      payload.value = values;
      for (const [index, value] of items.entries()) {
        // No schema of the contract is asynchronous.
        const result = def.element._zod.run({ value, issues: [] }, context) as typeof payload;
        values.push(result.value);
        payload.issues.push(...z.core.util.prefixIssues(index, result.issues));
        if (payload.issues.length > FAULTS_MAX) break;
      }
      return payload;
    };
  },
);

/** Bounds of names, ids and descriptions, in characters. */
export const NAME_CHARACTERS_MIN = 3;
const NAME_CHARACTERS_MAX = 100;
const DESCRIPTION_CHARACTERS_MAX = 1_000;

/** Any JSON object. */
export type AnyObject = Readonly<Record<string, unknown>>;

export const text = (description: string) => z.string().describe(description);

export const flag = (description: string) => z.boolean().describe(description);

/** A flag in a query, where every value is text. The default is false. */
export const queryFlag = (description: string) =>
  z
    .enum(["true", "false"])
    .default("false")
    .transform((value) => value === "true")
    .describe(description);

export const textList = (description: string) => list(z.string()).describe(description);

/** Characters of the ID of a unit. */
const UNIT_ID_CHARACTERS_MAX = 1_000;

/** IDs of units, each with 1 to 1,000 characters. */
export const unitIDs = (description: string) =>
  new BoundedArray({
    type: "array",
    element: z.string().min(1).max(UNIT_ID_CHARACTERS_MAX),
    isPlain: (id) => typeof id === "string" && id.length > 0 && id.length <= UNIT_ID_CHARACTERS_MAX,
  }).describe(description) as unknown as z.ZodArray<z.ZodString>;

export const jsonObject = (description: string) =>
  z.record(z.string(), z.unknown()).describe(description);

/** A text of 3 to 100 characters that matches `pattern`, without outer blanks. */
export const nameLike = (pattern: RegExp, description: string) =>
  z
    .string()
    .min(NAME_CHARACTERS_MIN)
    .max(NAME_CHARACTERS_MAX)
    .regex(pattern)
    .refine((name) => name.trim() === name, "Must not begin or end with a blank")
    .describe(description);

const PATH_NAME_CHARACTERS_MAX = 100;

/**
 * A name that is part of a path. Refuses what clients would change on the way: control characters, unpaired
 * surrogates, outer blanks, `.` and `..`.
 */
export const pathName = (description: string) =>
  z
    .string()
    .min(1)
    .max(PATH_NAME_CHARACTERS_MAX)
    .regex(/^(?!\.{1,2}$)(?!\s)(?!.*\s$)[^\p{Cc}\p{Cs}]*$/u)
    .describe(description);

export const descriptionText = text("Purpose.").max(DESCRIPTION_CHARACTERS_MAX);

/** A fault found by a rule across fields. */
export interface RuleFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The range of a number: `min` and `max` are inclusive, `above` and `below` exclusive. */
interface NumberBounds {
  readonly integer?: boolean;
  readonly min?: number;
  readonly max?: number;
  readonly above?: number;
  readonly below?: number;
  readonly oneOf?: readonly number[];
}

const numberText = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The range of the specification's integers. */
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/**
 * A number, or a text that is a JSON number. Clients send both; both are echoed unchanged.
 * `Number(value)` is its value. Integers beyond 2^53 keep their digits only as text.
 */
export function numeric(description: string, bounds: NumberBounds = {}) {
  const expected = bounds.integer === true ? "integer" : "number";
  return z
    .union([z.number(), z.string()], {
      error: ({ input }) =>
        typeof input === "number"
          ? "Expected a finite number"
          : `Expected ${expected}, received ${kindOf(input)}`,
    })
    .check(({ value, issues }) => {
      const fault =
        typeof value === "string" && !numberText.test(value)
          ? `Expected ${expected}, received string`
          : boundFault(value, bounds);
      if (fault !== undefined) {
        issues.push({ code: "custom", message: fault, input: value });
      }
    })
    .meta({ description, ...jsonSchemaOf(bounds) });
}

/** Returns the bounds as JSON Schema. `pattern` applies to texts only, bounds to numbers only. */
function jsonSchemaOf({ integer, min, max, above, below, oneOf }: NumberBounds) {
  return {
    pattern: numberText.source,
    ...(integer === true ? { multipleOf: 1 } : {}),
    ...omitUndefined({
      minimum: min,
      maximum: max,
      exclusiveMinimum: above,
      exclusiveMaximum: below,
      enum: oneOf && [...oneOf, ...oneOf.map(String)],
    }),
  };
}

function boundFault(
  given: number | string,
  { integer, min, max, above, below, oneOf }: NumberBounds,
): string | undefined {
  const value = Number(given);
  if (!Number.isFinite(value)) return "Expected a finite number";
  if (integer === true && !Number.isInteger(value)) return "Expected integer, received float";
  if (integer === true && !Number.isSafeInteger(value)) {
    const fault = largeIntegerFault(given);
    if (fault !== undefined) return fault;
  }
  if (oneOf !== undefined && !oneOf.includes(value)) {
    return `Expected one of ${oneOf.join(", ")}`;
  }
  if (min !== undefined && value < min) return `Must be greater than or equal to ${min}`;
  if (max !== undefined && value > max) return `Must be less than or equal to ${max}`;
  if (above !== undefined && value <= above) return `Must be greater than ${above}`;
  if (below !== undefined && value >= below) return `Must be less than ${below}`;
  return undefined;
}

/** Returns the fault of an integer beyond 2^53, which has already lost digits if it is a JSON number. */
function largeIntegerFault(given: number | string): string | undefined {
  if (typeof given === "number") {
    return Math.abs(given) < 2 ** 63 ? "Send integers beyond 2^53 as text" : "Integer out of range";
  }
  if (!/^-?\d+$/.test(given)) return "Write integers beyond 2^53 in digits";
  const value = BigInt(given);
  return value >= INT64_MIN && value <= INT64_MAX ? undefined : "Integer out of range";
}

/** Returns the JSON type of a value, for error messages. */
export function kindOf(value: unknown): string {
  if (value === undefined) return "undefined";
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

/**
 * Adds a rule across fields. It runs even if single fields are wrong, to report all faults at once.
 * `find` must therefore accept values of any shape.
 */
export function withRule<Schema extends z.ZodObject>(
  schema: Schema,
  find: (value: unknown) => readonly RuleFault[],
): Schema {
  return schema.superRefine(
    (value, context) => {
      // One more than an answer lists shows that there are more.
      for (const { path, message } of find(value).slice(0, FAULTS_MAX + 1)) {
        context.addIssue({ code: "custom", path: [...path], message });
      }
    },
    { when: () => true },
  );
}

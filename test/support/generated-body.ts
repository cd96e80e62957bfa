import fc from "fast-check";
import { type Form, formsOf, type JsonSchema } from "./json-schema.js";

export interface GeneratedBodyOptions {
  /** Every optional field is there, and no list is empty. */
  readonly full?: boolean;
}

/** Bounds for schemas that have none. */
const ITEMS_MAX = 2;
const TEXT_MAX = 200;
const DOUBLE_MAX = 1e15;

// Made once: each holds a table of Unicode.
const anyCharacter = fc.string({ unit: "binary", minLength: 1, maxLength: 1 });
const grapheme = fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 });

/** Names that may not stand in a body. */
const poisonous: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Values that a schema lets through, its edges included. They come back from JSON as they are. */
export function validValues(
  schema: JsonSchema,
  options: GeneratedBodyOptions = {},
): fc.Arbitrary<unknown> {
  const forms = formsOf(schema);
  if (forms.length === 0) return anyJson;
  return fc.oneof(...forms.map((form) => valuesOfForm(form, options)));
}

function valuesOfForm(form: Form, options: GeneratedBodyOptions): fc.Arbitrary<unknown> {
  switch (form.type) {
    case "string":
      return texts(form);
    case "number":
    case "integer":
      return numbers(form);
    case "boolean":
      return fc.constantFrom(...(form.enum ?? [true, false]));
    case "null":
      return fc.constant(null);
    case "array":
      return arrays(form, options);
    case "object":
      return objects(form, options);
  }
}

function texts(form: Form): fc.Arbitrary<string> {
  const { enum: known, pattern, minLength = 0, maxLength = TEXT_MAX } = form;
  if (known !== undefined) {
    return fc.constantFrom(...known.filter((value) => typeof value === "string"));
  }
  if (isNumberText(form)) return numbers(form).map(String);
  const repeated = /^\^(\[[^\]]+\])\*\$$/.exec(pattern ?? "")?.[1];
  if (repeated !== undefined) {
    const ofLength = (...bounds: number[]) =>
      // Names have no outer blanks, which their pattern, that of the specification, does not say.
      fc
        .stringMatching(new RegExp(`^${repeated}{${bounds}}$`))
        .filter((text) => text.trim() === text);
    return fc.oneof(ofLength(minLength, maxLength), ofLength(minLength), ofLength(maxLength));
  }
  const allowed = new RegExp(pattern ?? "", "u");
  const fits = (text: string) =>
    text.length >= minLength && text.length <= maxLength && allowed.test(text);
  return fc.oneof(
    fc.string({ unit: anyCharacter, minLength, maxLength }).filter(fits),
    fc.string({ unit: grapheme, minLength, maxLength }).filter(fits),
    fc.constant("x".repeat(maxLength)),
  );
}

/** Returns true if the texts are numbers: no letter fits. */
export function isNumberText({ type, pattern }: Form): boolean {
  return type === "string" && pattern !== undefined && !new RegExp(pattern, "u").test("abc");
}

function numbers(form: Form): fc.Arbitrary<number> {
  const { enum: known, exclusiveMinimum, exclusiveMaximum, multipleOf } = form;
  if (known !== undefined) {
    return fc.constantFrom(...known.filter((value) => typeof value === "number"));
  }
  if (form.type === "integer" || multipleOf === 1) {
    const min = exclusiveMinimum === undefined ? form.minimum : exclusiveMinimum + 1;
    const max = exclusiveMaximum === undefined ? form.maximum : exclusiveMaximum - 1;
    return fc
      .bigInt({
        min: BigInt(min ?? Number.MIN_SAFE_INTEGER),
        max: BigInt(max ?? Number.MAX_SAFE_INTEGER),
      })
      .map(Number);
  }
  const [min, max] = [exclusiveMinimum ?? form.minimum, exclusiveMaximum ?? form.maximum];
  return fc
    .double({
      noNaN: true,
      min: min ?? -DOUBLE_MAX,
      max: max ?? DOUBLE_MAX,
      minExcluded: exclusiveMinimum !== undefined,
      maxExcluded: exclusiveMaximum !== undefined,
    })
    .map(withoutMinusZero);
}

function arrays({ items = {}, minItems, maxItems }: Form, options: GeneratedBodyOptions) {
  return fc.array(validValues(items, options), {
    minLength: minItems ?? (options.full === true ? 1 : 0),
    maxLength: Math.min(maxItems ?? ITEMS_MAX, ITEMS_MAX),
  });
}

function objects(form: Form, options: GeneratedBodyOptions): fc.Arbitrary<unknown> {
  const { properties, required = [] } = form;
  if (properties === undefined) return anyObject;
  const values = Object.entries(properties).map(
    ([name, schema]) => [name, validValues(schema, options)] as const,
  );
  return fc.record(Object.fromEntries(values), {
    requiredKeys: options.full === true ? Object.keys(properties) : [...required],
    noNullPrototype: true,
  });
}

const anyJson = fc.jsonValue({ maxDepth: 3 }).map(harmless);

const anyObject = fc.dictionary(fc.string(), anyJson, { noNullPrototype: true }).map(harmless);

/** Leaves out `-0`, which JSON cannot represent, and names that would set a prototype. */
function harmless(value: unknown): unknown {
  if (typeof value === "number") return withoutMinusZero(value);
  if (Array.isArray(value)) return value.map(harmless);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !poisonous.has(name))
      .map(([name, member]) => [name, harmless(member)]),
  );
}

function withoutMinusZero(value: number): number {
  return value === 0 ? 0 : value;
}

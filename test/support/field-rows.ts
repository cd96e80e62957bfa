import { kindOf } from "../../src/contract/fields.js";

/** A refused value, the position of the fault, and its message. */
export type Refusal = readonly [value: unknown, property: string, errorMessage: string];

/** A writable field of the specification's table, with values at the edges of what it allows. */
export interface FieldRow {
  readonly field: string;
  /** The row of the table, in short. */
  readonly row: string;
  readonly valid: readonly unknown[];
  readonly invalid: readonly Refusal[];
}

export type Rows = Readonly<Record<string, Omit<FieldRow, "field">>>;

export const wrongType = (
  field: string,
  expected: string,
  ...values: readonly unknown[]
): Refusal[] =>
  values.map((value) => [value, field, `Expected ${expected}, received ${kindOf(value)}`]);

/** Refusals at positions inside the field: `at("links", [[{}], "[0].url", "Required"])`. */
export const at = (field: string, ...refusals: readonly Refusal[]): Refusal[] =>
  refusals.map(([value, place, message]) => [value, `${field}${place}`, message]);

export const strings = (row: string, ...fields: readonly string[]) =>
  each(fields, (field) => ({
    row: `string${row}`,
    valid: ["", "x", "Größe 🙂"],
    invalid: wrongType(field, "string", 1, true, [], {}),
  }));

export const nullableStrings = (row: string, ...fields: readonly string[]) =>
  each(fields, (field) => ({
    row: `string or null${row}`,
    valid: ["", "x", null],
    invalid: wrongType(field, "string", 1, false, ["x"]),
  }));

export const flags = (...fields: readonly string[]) =>
  each(fields, (field) => ({
    row: "boolean",
    valid: [true, false],
    invalid: wrongType(field, "boolean", "true", 1),
  }));

export const stringLists = (...fields: readonly string[]) =>
  each(fields, (field) => ({
    row: "array of string",
    valid: [[], ["b", "a", "b"]],
    invalid: [
      ...wrongType(field, "array", "a", { 0: "a" }),
      [["a", 1], `${field}[1]`, "Expected string, received number"],
    ],
  }));

export const numbers = (...fields: readonly string[]) =>
  each(fields, (field) => ({
    row: "number (double)",
    valid: [0, -1.5, 1e9, "0.05"],
    invalid: wrongType(field, "number", "", "five", "0x1", true, [1]),
  }));

export const aboveOne = (row: string, valid: readonly unknown[], ...fields: readonly string[]) =>
  each(fields, (field) => ({
    row: `integer (int64); x > 1${row}`,
    valid: [2, 3, Number.MAX_SAFE_INTEGER, "2", "9223372036854775807", ...valid],
    invalid: [
      ...[1, 0, -5, "1"].map((value): Refusal => [value, field, "Must be greater than 1"]),
      [2.5, field, "Expected integer, received float"],
      ["2.5", field, "Expected integer, received float"],
      [2 ** 53, field, "Send integers beyond 2^53 as text"],
      [2 ** 63, field, "Integer out of range"],
      ["9223372036854775808", field, "Integer out of range"],
      ["1e18", field, "Write integers beyond 2^53 in digits"],
      ...wrongType(field, "integer", true, "two", []),
    ],
  }));

export const oneOf = (field: string, ...values: readonly string[]) =>
  each([field], () => ({
    row: `one of ${values.join(", ")}`,
    valid: values,
    invalid: [
      ["other", field, `Expected one of ${values.join(", ")}`],
      ["", field, `Expected one of ${values.join(", ")}`],
      ...wrongType(field, "string", 80, true),
    ],
  }));

/** Arrays of objects that need some texts. */
export const textItems = (field: string, item: Readonly<Record<string, unknown>>, optional = "") =>
  each([field], () => ({
    row: `array of {${Object.keys(item).join(", ")}}`,
    valid: [[], [item], [item, item]],
    invalid: [
      ...wrongType(field, "array", item),
      ...at(field, [[item, "x"], "[1]", "Expected object, received string"]),
      ...Object.keys(item)
        .filter((key) => key !== optional)
        .flatMap((key) =>
          at(
            field,
            [
              [{ ...item, [key]: null }],
              `[0].${key}`,
              `Expected ${kindOf(item[key])}, received null`,
            ],
            [[{ ...item, [key]: undefined }], `[0].${key}`, "Required"],
          ),
        ),
    ],
  }));

export function each(fields: readonly string[], rowOf: (field: string) => Rows[string]): Rows {
  return Object.fromEntries(fields.map((field) => [field, rowOf(field)]));
}

import { isObject } from "../base/is-object.js";
import { SURVEY_FIELDS_MAX } from "../base/limits.js";
import type { Row, RowValue } from "./sample-rows.js";

/** Summary of the values at one path of the sampled rows. */
export interface FieldSummary {
  readonly path: readonly string[];
  /** Rows in which it is present and not null. */
  filled: number;
  /** Rows among these whose value is an object, or text that contains one as JSON. */
  objects: number;
  /** Texts and numbers, in row order. */
  readonly scalars: (string | number)[];
}

/** Fields by their paths, `JSON.stringify`ed. */
export type Fields = ReadonlyMap<string, FieldSummary>;

/** Nesting levels that are summarized: `properties.time` is on the second. */
const DEPTH_MAX = 3;

/** Summarizes the fields of rows, also inside JSON texts; at most SURVEY_FIELDS_MAX of them. */
export function summarizeFields(rows: readonly Row[]): Fields {
  const fields = new Map<string, FieldSummary>();
  for (const row of rows) addMembers(fields, row, []);
  return fields;
}

function addMembers(fields: Map<string, FieldSummary>, row: Row, parents: readonly string[]): void {
  for (const [name, value] of Object.entries(row)) {
    const path = [...parents, name];
    const key = keyOf(path);
    let field = fields.get(key);
    if (field === undefined) {
      if (fields.size >= SURVEY_FIELDS_MAX) continue;
      field = { path, filled: 0, objects: 0, scalars: [] };
      fields.set(key, field);
    }
    if (value === null || value === "") continue;
    field.filled++;
    if (typeof value === "string" || typeof value === "number") field.scalars.push(value);
    const object = objectOf(value);
    if (object === undefined) continue;
    field.objects++;
    if (path.length < DEPTH_MAX) addMembers(fields, object, path);
  }
}

/** Returns the object that a value is or that its text contains; undefined for any other value. */
function objectOf(value: RowValue): Row | undefined {
  const object = typeof value === "string" ? parsed(value) : value;
  return isObject(object) ? (object as Row) : undefined;
}

function parsed(text: string): RowValue {
  if (!/^\s*["{]/.test(text)) return null;
  try {
    const value = JSON.parse(text) as RowValue;
    // Some exports escape an object twice.
    return typeof value === "string" && /^\s*\{/.test(value)
      ? (JSON.parse(value) as RowValue)
      : value;
  } catch {
    return null;
  }
}

function keyOf(path: readonly string[]): string {
  return JSON.stringify(path);
}

/** Finds the field at a path: the column with the dotted name, or else the nested member. */
export function fieldAt(fields: Fields, path: readonly string[]): FieldSummary | undefined {
  return fields.get(keyOf([path.join(".")])) ?? fields.get(keyOf(path));
}

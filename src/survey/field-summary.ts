import { SURVEY_FIELDS_MAX } from "../base/limits.js";
import type { Row, RowValue } from "./sample-rows.js";

/** What the rows of a sample hold at one path. */
export interface FieldSummary {
  readonly path: readonly string[];
  /** Rows in which it is there and not null. */
  filled: number;
  /** Of these, those with an object, or with a text that is one in JSON. */
  objects: number;
  /** Texts and numbers, in the order of the rows. */
  readonly scalars: (string | number)[];
}

/** Fields by their paths, `JSON.stringify`ed. */
export type Fields = ReadonlyMap<string, FieldSummary>;

/** Levels that are looked at: `properties.time` is on the second. */
const DEPTH_MAX = 3;

/**
 * Sums up the fields of rows, those inside JSON texts included. At most SURVEY_FIELDS_MAX are told apart.
 */
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

/** The object that a value is, or that its text holds; undefined for anything else. */
function objectOf(value: RowValue): Row | undefined {
  const object = typeof value === "string" ? parsed(value) : value;
  const isObject = typeof object === "object" && object !== null && !Array.isArray(object);
  return isObject ? (object as Row) : undefined;
}

function parsed(text: string): RowValue {
  if (!/^\s*["{]/.test(text)) return null;
  try {
    const value = JSON.parse(text) as RowValue;
    // Escaped twice.
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

/** What a path leads to: a column of that very name first, else step by step. */
export function fieldAt(fields: Fields, path: readonly string[]): FieldSummary | undefined {
  return fields.get(keyOf([path.join(".")])) ?? fields.get(keyOf(path));
}

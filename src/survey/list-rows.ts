import { isObject } from "../base/is-object.js";
import { parseJson } from "../base/parse-json.js";
import type { Row, RowValue, SampledSource } from "./sample-rows.js";

/** Levels of members in which lists are looked for. */
const LEVELS_MAX = 3;

/** Lists that are tried, the longest ones in the sample first. */
const LISTS_MAX = 5;

/** Returns the elements of the list at a path as rows, with the objects around the list below `^`. */
export function elementsOf(sample: SampledSource, path: readonly string[]): SampledSource {
  const rows: Row[] = [];
  const numbers: (number | undefined)[] = [];
  for (const [index, row] of sample.rows.entries()) {
    for (const element of elementsIn(row, path)) {
      rows.push(element);
      numbers.push(sample.numbers[index]);
    }
  }
  return { ...sample, rows, numbers };
}

function elementsIn(row: Row, path: readonly string[]): readonly Row[] {
  const [step, ...rest] = path;
  if (step === undefined) return [row];
  const { [step]: list = null, ...around } = row;
  return recordsOf(list).flatMap((element) => elementsIn({ ...element, "^": around }, rest));
}

/** The objects of a list, or of the JSON text of one; one object counts as a list of it. */
function recordsOf(value: RowValue): readonly Row[] {
  const list =
    typeof value === "string" && value.trimStart().startsWith("[") ? parseJson(value) : value;
  const values: readonly unknown[] = Array.isArray(list) ? list : [list];
  return values.filter((one): one is Row => isObject(one));
}

/** Finds paths of lists of objects in rows, those with the most objects first. */
export function listsIn(rows: readonly Row[]): readonly (readonly string[])[] {
  const found = new Map<string, { readonly path: readonly string[]; elements: number }>();
  const look = (row: Row, parents: readonly string[]) => {
    for (const [name, value] of Object.entries(row)) {
      const path = [...parents, name];
      const records = recordsOf(value);
      if (!isObject(value) && records.length > 0) {
        const key = JSON.stringify(path);
        const known = found.get(key) ?? { path, elements: 0 };
        known.elements += records.length;
        found.set(key, known);
      }
      if (path.length < LEVELS_MAX) for (const record of records) look(record, path);
    }
  };
  for (const row of rows) look(row, []);
  return [...found.values()]
    .sort((one, other) => other.elements - one.elements)
    .slice(0, LISTS_MAX)
    .map(({ path }) => path);
}

/** Says where the rows are. */
export function doubtOfList(path: readonly string[]): string {
  return `The rows lack an event name or a time, which the elements of the list ${path.join(".")} have: with rows, each element is a row, and ^. leads to the fields around it (docs/mapping.md).`;
}

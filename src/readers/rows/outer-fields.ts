import type { FieldRequest } from "../../batch/batch.js";
import { isPathField } from "../../sources/path-columns.js";

/** The step of a path that leads out of an element, to the row around it. */
export const OUTER_STEP = "^";

/** The columns that a field of an element is taken from, by their indexes. */
export interface FieldPlace {
  /** In the columns of the elements. */
  readonly inner?: number;
  /** In the columns of the rows around them; it counts unless it is null. */
  readonly outer?: number;
}

/** Requested fields, by the reader that has them. */
interface SplitFields {
  readonly inner: readonly FieldRequest[];
  /** The first of them is the list. */
  readonly outer: readonly FieldRequest[];
  readonly places: readonly FieldPlace[];
}

/** Scanners are pooled by their list of fields, so a list is split once. */
const known = new WeakMap<readonly FieldRequest[], Map<string, SplitFields>>();

/**
 * Splits the fields of the elements of the list `step` from those of the rows around them. With `keptPaths`,
 * columns of the path are asked of both: only kept rows know the path of their source.
 */
export function splitFields(
  fields: readonly FieldRequest[],
  step: string,
  keptPaths: boolean,
): SplitFields {
  const splits = known.get(fields) ?? new Map<string, SplitFields>();
  known.set(fields, splits);
  const key = `${keptPaths} ${step}`;
  const split = splits.get(key) ?? splitOnce(fields, step, keptPaths);
  splits.set(key, split);
  return split;
}

function splitOnce(fields: readonly FieldRequest[], step: string, keptPaths: boolean): SplitFields {
  const inner: FieldRequest[] = [];
  const outer: FieldRequest[] = [{ path: [step], form: "text" }];
  const places = fields.map((field): FieldPlace => {
    if (field.path[0] === OUTER_STEP) {
      return { outer: outer.push({ ...field, path: field.path.slice(1) }) - 1 };
    }
    const place = { inner: inner.push(field) - 1 };
    if (!keptPaths || !isPathField(field)) return place;
    return { ...place, outer: outer.push(field) - 1 };
  });
  return { inner, outer, places };
}

import type { FieldRequest } from "../../batch/batch.js";

/** Where the column of one requested field comes from. Positions count the source's columns from 0. */
export type FieldSource =
  | { readonly kind: "missing" }
  | { readonly kind: "cell"; readonly position: number }
  | { readonly kind: "quoted"; readonly position: number }
  /** A path that goes on inside the cell's JSON text; `request` is relative to it. */
  | { readonly kind: "inside"; readonly position: number; readonly request: FieldRequest }
  | { readonly kind: "joined"; readonly positions: readonly number[] };

/**
 * Finds the columns that each field is made of. A column whose name is the path joined by dots comes
 * first, then one that is named like the path's first step. Of columns with the same name only the
 * first is seen.
 */
export function findFieldSources(
  names: readonly string[],
  requests: readonly FieldRequest[],
): readonly FieldSource[] {
  const positions = new Map<string, number>();
  names.forEach((name, position) => {
    if (!positions.has(name)) positions.set(name, position);
  });
  return requests.map((request) => findFieldSource(positions, request));
}

function findFieldSource(
  positions: ReadonlyMap<string, number>,
  { path, form, except }: FieldRequest,
): FieldSource {
  const [first, ...inner] = path;
  if (first === undefined) {
    const hidden = new Set(form === "rest" ? except : []);
    const shown = [...positions].filter(([name]) => !hidden.has(name));
    return { kind: "joined", positions: shown.map(([, position]) => position) };
  }
  const whole = positions.get(path.join("."));
  const position = whole ?? positions.get(first);
  if (position === undefined) return { kind: "missing" };
  const isWhole = whole !== undefined || inner.length === 0;
  if (isWhole && form === "text") return { kind: "cell", position };
  if (isWhole && form === "json") return { kind: "quoted", position };
  const relative = isWhole ? [] : inner;
  const request =
    except === undefined ? { path: relative, form } : { path: relative, form, except };
  return { kind: "inside", position, request };
}

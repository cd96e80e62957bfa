import type { Mapping, ObjectSource } from "./mapping.js";

/** The part of a field's value that a mapping uses. */
type FieldUse = "whole" | "part" | "none";

/**
 * Returns a function that tells how a mapping uses the field at a path of the rows. Fields that a
 * filter or another target compares with are used.
 */
export function createFieldUse(mapping: Mapping): (path: readonly string[]) => FieldUse {
  const { event, timestamp, userID, stableID, value, insertID, filter, metadata, user } = mapping;
  const texts = [event, userID, stableID, value, insertID].flat();
  const used = [
    ...[...texts, ...timestamp].map(({ path }) => path),
    ...texts.flatMap(({ unlessSameAs }) => (unlessSameAs === undefined ? [] : [unlessSameAs])),
    ...(filter === null ? [] : [filter.path]),
    ...pathsOf(metadata),
    ...pathsOf(user),
  ].map(textOf);
  return (path) => {
    const field = textOf(path);
    if (used.some((other) => field.startsWith(other))) return "whole";
    return used.some((other) => other.startsWith(field)) ? "part" : "none";
  };
}

/** Joins steps so that a prefix of steps is a prefix of the text; a dot in a name counts as a step. */
function textOf(path: readonly string[]): string {
  return path.map((step) => `${step}.`).join("");
}

/** Returns the names of the members of a row that a mapping begins at. */
export function rowFieldsOf({ event, timestamp, userID, ...more }: Mapping): ReadonlySet<string> {
  const { stableID, insertID, metadata, user } = more;
  const fields = [event, timestamp, userID, stableID, insertID].flat();
  const paths = [...fields.map(({ path }) => path), ...pathsOf(metadata), ...pathsOf(user)];
  return new Set(paths.flatMap((path) => path.slice(0, 1)));
}

/** Returns the paths of the fields that an object is made of. */
export function pathsOf(source: ObjectSource): readonly (readonly string[])[] {
  switch (source.kind) {
    case "merged":
      return source.parts.flatMap(pathsOf);
    case "choices":
      return source.choices.map(({ path }) => path);
    case "fields":
      return source.fields.map(({ path }) => path);
    case "rest":
      return [source.path];
    case "pairs":
      return source.lists.map(({ path }) => path);
  }
}

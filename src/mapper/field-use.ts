import type { Mapping } from "./mapping.js";
import { pathsOf } from "./resolve-mapping.js";

/** The part of a field's value that a mapping uses. */
export type FieldUse = "whole" | "part" | "none";

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

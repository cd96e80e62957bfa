import type { FieldRequest } from "../batch/batch.js";
import type { FieldSource, Mapping, ObjectSource } from "./mapping.js";

/**
 * Indexes into the requested fields, target by target in the order of the mapping's choices. Behind
 * those of texts come the fields that choices are compared with, in the same order.
 */
export interface FieldPlan {
  readonly fields: readonly FieldRequest[];
  readonly event: readonly number[];
  readonly timestamp: readonly number[];
  readonly userID: readonly number[];
  readonly stableID: readonly number[];
  readonly value: readonly number[];
  readonly metadata: readonly number[];
  readonly user: readonly number[];
  /** One, or none without a filter. */
  readonly filter: readonly number[];
  /** Empty where nobody asked. */
  readonly insertID: readonly number[];
}

/**
 * What the readers have to extract for a mapping; what several targets want is asked for once. The
 * insert id is among it where it is asked for: events carry none.
 */
export function planFields(mapping: Mapping, withInsertID = false): FieldPlan {
  const fields: FieldRequest[] = [];
  const indexes = new Map<string, number>();
  const index = (request: FieldRequest): number => {
    const key = JSON.stringify([request.form, request.path, request.except ?? []]);
    const known = indexes.get(key);
    if (known !== undefined) return known;
    indexes.set(key, fields.length);
    return fields.push(request) - 1;
  };
  const texts = (choices: readonly FieldSource[]) =>
    [...choices.map(({ path }) => path), ...comparedPaths(choices)].map((path) =>
      index({ path, form: "text" }),
    );
  const tokens = (choices: readonly { readonly path: readonly string[] }[]) =>
    choices.map(({ path }) => index({ path, form: "json" }));
  const object = (target: ObjectSource): readonly number[] => {
    switch (target.kind) {
      case "choices":
        return texts(target.choices);
      case "fields":
        return tokens(target.fields);
      case "rest":
        return [index({ path: target.path, form: "rest", except: target.except })];
      case "pairs":
        return texts(target.lists);
    }
  };
  return {
    fields,
    event: texts(mapping.event),
    timestamp: texts(mapping.timestamp),
    userID: texts(mapping.userID),
    stableID: texts(mapping.stableID),
    value: tokens(mapping.value),
    metadata: object(mapping.metadata),
    user: object(mapping.user),
    filter: texts(mapping.filter === null ? [] : [mapping.filter]),
    insertID: withInsertID ? texts(mapping.insertID) : [],
  };
}

function comparedPaths(choices: readonly FieldSource[]): readonly (readonly string[])[] {
  return choices.flatMap(({ unlessSameAs }) => (unlessSameAs === undefined ? [] : [unlessSameAs]));
}

/** Of a choice that is compared with another field, the index of that field among its target's. */
export function comparedIndex(
  choices: readonly FieldSource[],
  indexes: readonly number[],
  place: number,
): number | undefined {
  if (choices[place]?.unlessSameAs === undefined) return undefined;
  return indexes[choices.length + comparedPaths(choices.slice(0, place)).length];
}

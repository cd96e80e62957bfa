import type { FieldRequest } from "../batch/batch.js";
import { type FieldSource, type Mapping, type ObjectPart, partsOf } from "./mapping.js";

/**
 * Indexes into the requested fields: per target, in the order of the mapping's choices. For text targets,
 * the fields that choices are compared with follow, in the same order.
 */
export interface FieldPlan {
  readonly fields: readonly FieldRequest[];
  readonly event: readonly number[];
  readonly timestamp: readonly number[];
  readonly userID: readonly number[];
  readonly stableID: readonly number[];
  readonly value: readonly number[];
  /** Indexes for each part of the object. */
  readonly metadata: readonly (readonly number[])[];
  readonly user: readonly (readonly number[])[];
  /** One index, or none if there is no filter. */
  readonly filter: readonly number[];
  /** Empty if insert ids were not requested. */
  readonly insertID: readonly number[];
}

/**
 * Plans the fields that readers extract for a mapping; a field of several targets is requested once.
 * Insert ids are extracted only on request: events do not carry them.
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
  const object = (target: ObjectPart): readonly number[] => {
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
    metadata: partsOf(mapping.metadata).map(object),
    user: partsOf(mapping.user).map(object),
    filter: texts(mapping.filter === null ? [] : [mapping.filter]),
    insertID: withInsertID ? texts(mapping.insertID) : [],
  };
}

function comparedPaths(choices: readonly FieldSource[]): readonly (readonly string[])[] {
  return choices.flatMap(({ unlessSameAs }) => (unlessSameAs === undefined ? [] : [unlessSameAs]));
}

/** Returns the index of the field that a choice is compared with; undefined if there is none. */
export function comparedIndex(
  choices: readonly FieldSource[],
  indexes: readonly number[],
  choice: number,
): number | undefined {
  if (choices[choice]?.unlessSameAs === undefined) return undefined;
  return indexes[choices.length + comparedPaths(choices.slice(0, choice)).length];
}

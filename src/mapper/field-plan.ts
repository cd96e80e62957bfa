import type { FieldRequest } from "../batch/batch.js";
import type { FieldSource } from "./field-schemas.js";
import type { Mapping, ObjectPart, ObjectSource } from "./mapping.js";

/**
 * Indexes into the requested fields: per target, in the order of the mapping's choices. For text targets,
 * the fields that choices are compared or joined with follow, in the same order.
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
  /** One index for each filter. */
  readonly filter: readonly number[];
  /** Empty if insert ids were not requested. */
  readonly insertID: readonly number[];
  /** Empty if distinct ids were not requested. */
  readonly distinctID: readonly number[];
  /** Fields of a target of which a row needs one, except for event and time, which rows cannot lack. */
  readonly groups: readonly FieldGroup[];
}

/** Requested fields of which the first that is not null is used. */
export interface FieldGroup {
  readonly target: "userID" | "stableID" | "value" | "metadata" | "user";
  /** Paths with dots. */
  readonly fields: readonly string[];
  readonly indexes: readonly number[];
}

/**
 * Plans the fields that readers extract for a mapping; a field of several targets is requested once.
 * Insert ids and distinct ids are extracted only on request: events do not carry them.
 */
export function planFields(
  mapping: Mapping,
  withInsertID = false,
  withDistinctID = false,
): FieldPlan {
  const fields: FieldRequest[] = [];
  const indexes = new Map<string, number>();
  const index = (request: FieldRequest): number => {
    const { form, path, except = [], isScalar = false } = request;
    const key = JSON.stringify([form, path, except, isScalar]);
    const known = indexes.get(key);
    if (known !== undefined) return known;
    indexes.set(key, fields.length);
    return fields.push(request) - 1;
  };
  const texts = (choices: readonly FieldSource[]) =>
    [...choices.map(({ path }) => path), ...otherPaths(choices)].map((path) =>
      index({ path, form: "text" }),
    );
  // Choices after the first are ids that take long to read, and hardly a row needs them.
  const ids = (choices: readonly FieldSource[]) => {
    const fallbackOf = choices[0]?.path ?? [];
    if (!choices.every(isPlain)) return texts(choices);
    return choices.map(({ path }, choice) => {
      const isRequested = fields.some((one) => one.form === "text" && isSamePath(one.path, path));
      if (choice === 0 || isRequested) return index({ path, form: "text" });
      return fields.push({ path, form: "text", fallbackOf }) - 1;
    });
  };
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
  const plan = {
    fields,
    event: texts(mapping.event),
    timestamp: texts(mapping.timestamp),
    userID: texts(mapping.userID),
    stableID: texts(mapping.stableID),
    value: mapping.value.map(({ path }) => index({ path, form: "json", isScalar: true })),
    metadata: partsOf(mapping.metadata).map(object),
    user: partsOf(mapping.user).map(object),
    filter: texts(mapping.filter),
    distinctID: withDistinctID ? texts(mapping.distinctID) : [],
    // Last, when it is known which fields other targets need in all rows.
    insertID: withInsertID ? ids(mapping.insertID) : [],
  };
  return { ...plan, groups: groupsOf(mapping, plan) };
}

/** Returns the objects that a source is merged from; one unless it is `merged`. */
export function partsOf(source: ObjectSource): readonly ObjectPart[] {
  return source.kind === "merged" ? source.parts : [source];
}

type Paths = readonly { readonly path: readonly string[] }[];

function groupsOf(
  { userID, stableID, value, metadata, user }: Mapping,
  plan: Omit<FieldPlan, "groups">,
): readonly FieldGroup[] {
  const group = (target: FieldGroup["target"], of: Paths, indexes: readonly number[]) => {
    const fields = of.map(({ path }) => path.join("."));
    // A field without steps is the row.
    const isPart = fields.length > 0 && !fields.includes("");
    return isPart ? [{ target, fields, indexes: indexes.slice(0, fields.length) }] : [];
  };
  const groupsOfObject = (target: "metadata" | "user", source: ObjectSource) =>
    partsOf(source).flatMap((part, index, parts): readonly FieldGroup[] => {
      const indexes = plan[target][index] ?? [];
      if (part.kind === "choices") {
        // Beside the rest of the row an object is an addition.
        const isMore = parts.some((one) => one.kind === "rest" && one.path.length === 0);
        return isMore ? [] : group(target, part.choices, indexes);
      }
      if (part.kind === "pairs") return group(target, part.lists, indexes);
      if (part.kind === "rest") return group(target, [part], indexes);
      return part.fields.flatMap((one, at) => group(target, [one], indexes.slice(at)));
    });
  return [
    ...group("userID", userID, plan.userID),
    ...group("stableID", stableID, plan.stableID),
    ...group("value", value, plan.value),
    ...groupsOfObject("metadata", metadata),
    ...groupsOfObject("user", user),
  ];
}

/** Returns the fields that the choices of a target are compared or joined with, in order. */
export function otherPaths(choices: readonly FieldSource[]): readonly (readonly string[])[] {
  return choices.flatMap(({ unlessSameAs, joinedWith }) => {
    const other = unlessSameAs ?? joinedWith;
    return other === undefined ? [] : [other];
  });
}

/** Returns the fields that the choices of a target are joined with, in order. */
export function joinedPaths(choices: readonly FieldSource[]): readonly (readonly string[])[] {
  return choices.flatMap(({ joinedWith }) => (joinedWith === undefined ? [] : [joinedWith]));
}

/** True if a choice has no exceptions: it is null where its field is null or empty. */
function isPlain({ path: _, ...exceptions }: FieldSource): boolean {
  return Object.keys(exceptions).length === 0;
}

function isSamePath(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((step, index) => step === other[index]);
}

/** Returns the index of the field that a choice is compared or joined with; undefined if there is none. */
export function otherIndex(
  choices: readonly FieldSource[],
  indexes: readonly number[],
  choice: number,
): number | undefined {
  if (otherPaths(choices.slice(choice, choice + 1)).length === 0) return undefined;
  return indexes[choices.length + otherPaths(choices.slice(0, choice)).length];
}

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
    ...otherPaths(texts),
    ...filter.map(({ path: one }) => one),
    ...pathsOf(metadata),
    ...pathsOf(user),
  ].map((path) => ({ text: textOf(path), level: levelOf(path, mapping) }));
  return (path) => {
    const field = textOf(path);
    const level = levelOf(path, mapping);
    const isWhole = used.some((one) => one.level === level && field.startsWith(one.text));
    if (isWhole) return "whole";
    return used.some(({ text }) => text.startsWith(field)) ? "part" : "none";
  };
}

/** Returns how many objects a path leads out of an element: the whole element has nothing around it. */
function levelOf(path: readonly string[], { rows = [] }: Mapping): number {
  const inside = path.findIndex((step, index) => step !== "^" || index >= rows.length);
  return inside < 0 ? path.length : inside;
}

/** Joins steps so that a prefix of steps is a prefix of the text; a dot in a name counts as a step. */
function textOf(path: readonly string[]): string {
  return path.map((step) => `${step}.`).join("");
}

/** Returns the names of the members of a row that a mapping begins at. */
export function rowFieldsOf({ event, timestamp, userID, ...more }: Mapping): ReadonlySet<string> {
  const { stableID, insertID, metadata, user, rows } = more;
  const fields = [event, timestamp, userID, stableID, insertID].flat();
  const paths = [...fields.map(({ path }) => path), ...pathsOf(metadata), ...pathsOf(user)];
  if (rows === undefined) return new Set(paths.flatMap((path) => path.slice(0, 1)));
  // Fields of the row around the lists begin with one `^` for each step.
  const outer = paths.filter((path) => rows.every((_, index) => path[index] === "^"));
  const names = outer.flatMap((path) => path.slice(rows.length, rows.length + 1));
  return new Set([...rows.slice(0, 1), ...names]);
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

import type { Fix } from "../../profile/report.js";
import { fixOf } from "./fix.js";
import type { Facts } from "./observation.js";

/** The mapping as `Report.configuration` records it: resolved, so that everything is a list. */
export interface RecordedField {
  readonly path: readonly string[];
  readonly unless?: readonly string[];
  /** Other exceptions, which a fix keeps. */
  readonly [exception: string]: unknown;
}

export interface RecordedTime {
  readonly path: readonly string[];
  readonly format: string;
  readonly zone: string;
  readonly shifted: boolean;
}

type RecordObject = Readonly<Record<string, unknown>>;
type FieldTarget = "event" | "userID" | "stableID";

export function fieldsOf(facts: Facts, target: FieldTarget): readonly RecordedField[] {
  return listAt<RecordedField>(objectAt(facts.configuration, "mapping"), target);
}

export function timesOf(facts: Facts): readonly RecordedTime[] {
  return listAt<RecordedTime>(objectAt(facts.configuration, "mapping"), "timestamp");
}

/** Whether events already go through a transform module. */
export function hasTransform({ configuration }: Facts): boolean {
  return (configuration["transform"] ?? null) !== null;
}

export function numberAt({ configuration }: Facts, name: string): number | undefined {
  const value = configuration[name];
  return typeof value === "number" ? value : undefined;
}

/** Changes every time field; undefined where the mapping is not known. */
export function timeFix(
  facts: Facts,
  change: (time: RecordedTime) => RecordedTime,
  isSafe: boolean,
): Fix | undefined {
  const times = timesOf(facts).map((time) => writtenTime(change(time)));
  return times.length === 0 ? undefined : fixOf(["mapping", "timestamp"], oneOrAll(times), isSafe);
}

/** Changes the fields of an id, or of the name; undefined where the mapping names none. */
export function fieldFix(
  facts: Facts,
  target: FieldTarget,
  change: (field: RecordedField) => RecordedField,
  isSafe: boolean,
): Fix | undefined {
  const fields = fieldsOf(facts, target).map((field) => writtenField(change(field)));
  return fields.length === 0 ? undefined : fixOf(["mapping", target], oneOrAll(fields), isSafe);
}

/** Adds a field that is looked at where the others are null. */
export function furtherFieldFix(facts: Facts, target: FieldTarget, path: readonly string[]): Fix {
  const fields = [...fieldsOf(facts, target), { path }].map(writtenField);
  return fixOf(["mapping", target], oneOrAll(fields), false);
}

/** Adds to an option that is a list of paths or names, keeping what is there. */
export function listFix(
  { configuration }: Facts,
  option: "drop" | "hash" | "excludeEvent",
  words: readonly string[],
): Fix {
  const before =
    option === "excludeEvent"
      ? listAt<string>(configuration, "excludeEvents")
      : listAt<string>(objectAt(configuration, "privacy"), option);
  return fixOf([option], [...new Set([...before, ...words])], false);
}

function writtenTime({ path, format, zone, shifted }: RecordedTime): unknown {
  const field = writtenPath(path);
  const more = {
    ...(format === "auto" ? {} : { format }),
    ...(zone === "UTC" ? {} : { zone }),
    ...(shifted ? { shifted } : {}),
  };
  return Object.keys(more).length === 0 ? shortest(field) : { field, ...more };
}

/** With all of its exceptions, whatever they are. */
function writtenField({ path, ...exceptions }: RecordedField): unknown {
  const field = writtenPath(path);
  return Object.keys(exceptions).length === 0 ? shortest(field) : { field, ...exceptions };
}

/** Alone only text is a field; the steps of a path would be fields of their own. */
function shortest(field: string | readonly string[]): unknown {
  return typeof field === "string" && field !== "" ? field : { field };
}

function writtenPath(path: readonly string[]): string | readonly string[] {
  return path.some((step) => step.includes(".")) ? path : path.join(".");
}

function oneOrAll(written: readonly unknown[]): unknown {
  return written.length === 1 ? written[0] : written;
}

function objectAt(parent: RecordObject, name: string): RecordObject {
  const value = parent[name];
  return typeof value === "object" && value !== null ? (value as RecordObject) : {};
}

function listAt<T>(parent: RecordObject, name: string): readonly T[] {
  const value = parent[name];
  return Array.isArray(value) ? (value as readonly T[]) : [];
}

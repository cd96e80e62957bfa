import type { Fix } from "../../profile/report.js";
import type { Facts } from "./observation.js";

/** A field of the mapping as `Report.configuration` records it: resolved: each target is a list. */
export interface RecordedField {
  readonly path: readonly string[];
  readonly unless?: readonly string[];
  /** Other exceptions, which a fix keeps. */
  readonly [exception: string]: unknown;
}

interface RecordedMember {
  readonly name: string;
}

interface RecordedTime {
  readonly path: readonly string[];
  readonly format: string | readonly string[];
  readonly zone: string;
  readonly shifted: boolean;
}

type RecordObject = Readonly<Record<string, unknown>>;
type FieldTarget = "event" | "userID" | "stableID" | "insertID";

export function fieldsOf(facts: Facts, target: FieldTarget): readonly RecordedField[] {
  return listAt<RecordedField>(objectAt(facts.configuration, "mapping"), target);
}

export function timesOf(facts: Facts): readonly RecordedTime[] {
  return listAt<RecordedTime>(objectAt(facts.configuration, "mapping"), "timestamp");
}

/** Returns true if the configuration already names a transform module. */
export function hasTransform({ configuration }: Facts): boolean {
  return (configuration["transform"] ?? null) !== null;
}

export function numberAt({ configuration }: Facts, name: string): number | undefined {
  const value = configuration[name];
  return typeof value === "number" ? value : undefined;
}

export function fixOf(path: readonly string[], value: unknown, isSafe: boolean): Fix {
  return { path, value, line: configurationLine(path, value), isSafe };
}

/** Changes every time field; undefined if the mapping is not known. */
export function timeFix(
  facts: Facts,
  change: (time: RecordedTime) => RecordedTime,
  isSafe: boolean,
): Fix | undefined {
  const times = timesOf(facts).map((time) => writtenTime(change(time)));
  return times.length === 0 ? undefined : fixOf(["mapping", "timestamp"], oneOrAll(times), isSafe);
}

/** Changes the fields of an id or of the event name; undefined if the mapping names none. */
function fieldFix(
  facts: Facts,
  target: FieldTarget,
  change: (field: RecordedField) => RecordedField,
  isSafe: boolean,
): Fix | undefined {
  const fields = fieldsOf(facts, target).map((field) => writtenField(change(field)));
  return fields.length === 0 ? undefined : fixOf(["mapping", target], oneOrAll(fields), isSafe);
}

/** Makes the fields of an id ignore these texts, in addition to those that they ignore already. */
export function unlessFix(
  facts: Facts,
  target: FieldTarget,
  texts: readonly string[],
  isSafe: boolean,
): Fix | undefined {
  const withUnless = (field: RecordedField) => ({
    ...field,
    unless: [...new Set([...(field.unless ?? []), ...texts])],
  });
  return fieldFix(facts, target, withUnless, isSafe);
}

/** Adds a field that is used if the others are null. */
export function furtherFieldFix(facts: Facts, target: FieldTarget, path: readonly string[]): Fix {
  const fields = [...fieldsOf(facts, target), { path }].map(writtenField);
  return fixOf(["mapping", target], oneOrAll(fields), false);
}

/** Returns the names of members that the mapping makes from whole cells of a row. */
export function cellNames(facts: Facts, target: "metadata" | "user"): ReadonlySet<string> | "all" {
  const source = objectAt(objectAt(facts.configuration, "mapping"), target);
  const parts = source["kind"] === "merged" ? listAt<RecordObject>(source, "parts") : [source];
  if (parts.some(({ kind }) => kind === "rest")) return "all";
  const fields = parts.flatMap((part) => listAt<RecordedMember>(part, "fields"));
  return new Set(fields.map(({ name }) => name));
}

/** Returns the parts of an object target as the configuration writes them; undefined if it is not known. */
export function writtenObject(
  facts: Facts,
  target: "metadata" | "user",
): readonly unknown[] | undefined {
  const source = objectAt(objectAt(facts.configuration, "mapping"), target);
  if (source["kind"] === undefined) return undefined;
  const parts = source["kind"] === "merged" ? listAt<RecordObject>(source, "parts") : [source];
  return parts.flatMap(writtenPart);
}

function writtenPart(part: RecordObject): readonly unknown[] {
  const fields = (name: string) => listAt<RecordedField>(part, name).map(writtenField);
  switch (part["kind"]) {
    case "choices": {
      const choices = fields("choices");
      return choices.length === 0 ? [] : [oneOrAll(choices)];
    }
    case "fields":
      return [
        {
          fields: listAt<RecordedField>(part, "fields").map(({ path, name }) =>
            name === path.at(-1) ? writtenField({ path }) : writtenField({ path, name }),
          ),
        },
      ];
    case "pairs": {
      const values = listAt<RecordedField>(part, "values").map(({ path, isNumber }) =>
        writtenField(isNumber === true ? { path, as: "number" } : { path }),
      );
      return [{ pairs: fields("lists"), key: fields("keys"), value: values }];
    }
    default: {
      const path = listAt<string>(part, "path");
      const except = listAt<string>(part, "except");
      return [{ rest: path, ...(except.length === 0 ? {} : { except }) }];
    }
  }
}

/** Adds to an option that is a list of paths or names, and keeps its entries. */
export function listFix(
  { configuration }: Facts,
  option: "drop" | "hash" | "excludeEvent" | "csvNull",
  entries: readonly string[],
): Fix {
  const before = {
    excludeEvent: listAt<string>(configuration, "excludeEvents"),
    csvNull: listAt<string>(objectAt(configuration, "csv"), "nulls"),
    drop: listAt<string>(objectAt(configuration, "privacy"), "drop"),
    hash: listAt<string>(objectAt(configuration, "privacy"), "hash"),
  }[option];
  return fixOf([option], [...new Set([...before, ...entries])], false);
}

/** The line as one would type it: `"mapping": {"timestamp": "time"}` for `["mapping", "timestamp"]`. */
export function configurationLine(
  [first = "", ...rest]: readonly string[],
  value: unknown,
): string {
  const nested = rest.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  return `${JSON.stringify(first)}: ${jsonOf(nested)}`;
}

/** JSON on one line with a space after each comma and colon, as people write it. */
function jsonOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value).map(
    ([key, one]) => `${JSON.stringify(key)}: ${jsonOf(one)}`,
  );
  return `{${members.join(", ")}}`;
}

function writtenTime({ path, format, zone, shifted }: RecordedTime): unknown {
  return writtenField({
    path,
    ...(format === "auto" ? {} : { format }),
    ...(zone === "UTC" ? {} : { zone }),
    ...(shifted ? { shifted } : {}),
  });
}

/** A field as the configuration writes it, with all of its exceptions. */
function writtenField({ path, ...exceptions }: RecordedField): unknown {
  const field = path.some((step) => step.includes(".")) ? path : path.join(".");
  if (Object.keys(exceptions).length > 0) return { field, ...exceptions };
  // Only text can be written without a list; the steps of a path would be read as fields.
  return typeof field === "string" && field !== "" ? field : { field };
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

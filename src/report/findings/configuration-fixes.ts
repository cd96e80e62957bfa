import type { Fix } from "../../profile/report.js";
import {
  oneOrAll,
  type RecordedField,
  type RecordedTime,
  withFurtherField,
  writtenField,
  writtenPart,
  writtenTime,
} from "../../profile/written-mapping.js";
import type { ReportedFacts } from "./observation.js";

interface RecordedMember {
  readonly name: string;
}

type FixedObject = Readonly<Record<string, unknown>>;
type FieldTarget = "event" | "userID" | "stableID" | "value" | "insertID";

export function fieldsOf(facts: ReportedFacts, target: FieldTarget): readonly RecordedField[] {
  return listAt<RecordedField>(objectAt(facts.configuration, "mapping"), target);
}

export function timesOf(facts: ReportedFacts): readonly RecordedTime[] {
  return listAt<RecordedTime>(objectAt(facts.configuration, "mapping"), "timestamp");
}

/** Returns true if the configuration already names a transform module. */
export function hasTransform({ configuration }: ReportedFacts): boolean {
  return (configuration["transform"] ?? null) !== null;
}

export function numberAt({ configuration }: ReportedFacts, name: string): number | undefined {
  const value = configuration[name];
  return typeof value === "number" ? value : undefined;
}

export function fixOf(path: readonly string[], value: unknown, isSafe: boolean): Fix {
  return { path, value, line: configurationLine(path, value), isSafe };
}

/** Changes every time field; undefined if the mapping is not known. */
export function timeFix(
  facts: ReportedFacts,
  change: (time: RecordedTime) => RecordedTime,
  isSafe: boolean,
): Fix | undefined {
  const times = timesOf(facts).map((time) => writtenTime(change(time)));
  return times.length === 0 ? undefined : fixOf(["mapping", "timestamp"], oneOrAll(times), isSafe);
}

/** Changes the fields of an id or of the event name; undefined if the mapping names none. */
function fieldFix(
  facts: ReportedFacts,
  target: FieldTarget,
  change: (field: RecordedField) => RecordedField,
  isSafe: boolean,
): Fix | undefined {
  const fields = fieldsOf(facts, target).map((field) => writtenField(change(field)));
  return fields.length === 0 ? undefined : fixOf(["mapping", target], oneOrAll(fields), isSafe);
}

/** Makes the fields of an id ignore these texts, in addition to those that they ignore already. */
export function unlessFix(
  facts: ReportedFacts,
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

/**
 * Makes the fields of a target change their texts, in addition to their changes so far. Always safe.
 * Undefined if they do already: then a transform made the texts.
 */
export function readingFix(
  facts: ReportedFacts,
  target: FieldTarget,
  { as, ...reading }: { readonly as?: string; readonly trim?: boolean },
): Fix | undefined {
  const withReading = (field: RecordedField) => {
    const forms = [...new Set([field.as ?? [], as ?? []].flat())];
    const [first] = forms;
    if (first === undefined) return { ...field, ...reading };
    return { ...field, ...reading, as: forms.length === 1 ? first : forms };
  };
  const before = fieldsOf(facts, target);
  const isChanged = JSON.stringify(before.map(withReading)) !== JSON.stringify(before);
  return isChanged ? fieldFix(facts, target, withReading, true) : undefined;
}

/** Adds a field to a target; it is used where the others have no value. */
export function furtherFieldFix(
  { configuration }: ReportedFacts,
  target: string,
  path: readonly string[],
  isSafe = false,
): Fix {
  const value = withFurtherField(objectAt(configuration, "mapping"), target, path);
  return fixOf(["mapping", target], value, isSafe);
}

/** Returns the names of members that the mapping makes from whole cells of a row. */
export function cellNames(
  facts: ReportedFacts,
  target: "metadata" | "user",
): ReadonlySet<string> | "all" {
  const source = objectAt(objectAt(facts.configuration, "mapping"), target);
  const parts = source["kind"] === "merged" ? listAt<FixedObject>(source, "parts") : [source];
  if (parts.some(({ kind }) => kind === "rest")) return "all";
  const fields = parts.flatMap((part) => listAt<RecordedMember>(part, "fields"));
  return new Set(fields.map(({ name }) => name));
}

/** Returns the parts of an object target as the configuration writes them; undefined if it is not known. */
export function writtenObject(
  facts: ReportedFacts,
  target: "metadata" | "user",
): readonly unknown[] | undefined {
  const source = objectAt(objectAt(facts.configuration, "mapping"), target);
  if (source["kind"] === undefined) return undefined;
  const parts = source["kind"] === "merged" ? listAt<FixedObject>(source, "parts") : [source];
  return parts.flatMap(writtenPart);
}

/** Adds to an option that is a list of paths or names, and keeps its entries. */
export function listFix(
  { configuration }: ReportedFacts,
  option: "drop" | "hash" | "cutQuery" | "excludeEvent" | "csvDialect.null",
  entries: readonly string[],
): Fix {
  const before = {
    excludeEvent: listAt<string>(configuration, "excludeEvents"),
    "csvDialect.null": listAt<string>(objectAt(configuration, "csv"), "nulls"),
    drop: listAt<string>(objectAt(configuration, "privacy"), "drop"),
    hash: listAt<string>(objectAt(configuration, "privacy"), "hash"),
    cutQuery: listAt<string>(objectAt(configuration, "privacy"), "cutQuery"),
  }[option];
  return fixOf(option.split("."), [...new Set([...before, ...entries])], false);
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

function objectAt(parent: FixedObject, name: string): FixedObject {
  const value = parent[name];
  return typeof value === "object" && value !== null ? (value as FixedObject) : {};
}

function listAt<T>(parent: FixedObject, name: string): readonly T[] {
  const value = parent[name];
  return Array.isArray(value) ? (value as readonly T[]) : [];
}

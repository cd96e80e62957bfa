import { omitUndefined } from "../base/omit-undefined.js";
import { type TextType, textTypes, typedTargets } from "../batch/text-types.js";

/** The texts of an event that parts can have, in the order of row buffers. */
export const textColumns = [
  "event",
  "userID",
  "stableID",
  "value",
  "user",
  "metadata",
  "insertID",
  "timeuuid",
  "platformUser",
] as const;
export type TextColumn = (typeof textColumns)[number];

const insertIDColumns: readonly ColumnSource[] = ["insertID", "timeuuid"];

/** The content of a column. */
export const columnSources = [...textColumns, "timestamp"] as const;
export type ColumnSource = (typeof columnSources)[number];

/**
 * Milliseconds of each unit of timestamps. `timestamp` is the timestamp type of a format, or ISO 8601 in
 * UTC if it has none.
 */
export const timestampUnits = { ms: 1, s: 1_000, timestamp: 1 } as const;
export type TimestampUnit = keyof typeof timestampUnits;

/** A column of parts, which is a member in JSON lines. */
export interface OutputColumn {
  readonly name: string;
  readonly source: ColumnSource;
  /** Unit of timestamps; a second loses its fraction. */
  readonly unit: TimestampUnit;
  /** Type of the texts of ids or values; texts if absent. */
  readonly type?: TextType;
}

/** The columns of rows. */
export interface RowsOptions {
  /** Rows have a column of insert ids. */
  readonly withInsertID: boolean;
  /** The columns; those of the event if absent. */
  readonly columns?: readonly OutputColumn[];
}

/** Rows as a table, or as objects whose ids are members of `user`. */
export type RowForm = "columns" | "lines";

const eventSources: Readonly<Record<RowForm, readonly ColumnSource[]>> = {
  columns: ["event", "timestamp", "userID", "stableID", "value", "user", "metadata", "insertID"],
  lines: ["event", "timestamp", "user", "metadata", "value", "insertID"],
};

/** The word for the columns of the event, with any unit of its timestamps. */
export const EVENT_COLUMNS = "event";

/** Parses `event`, or `event:s` with the unit of its timestamps; undefined if it is another text. */
export function parseEventColumns(text: string): TimestampUnit | undefined {
  const [name, unit = "ms", ...more] = text.split(":");
  if (name !== EVENT_COLUMNS || more.length > 0 || !(unit in timestampUnits)) return undefined;
  return unit as TimestampUnit;
}

/** Returns the columns of the event. */
export function eventColumns(
  form: RowForm,
  { withInsertID, unit }: { readonly withInsertID: boolean; readonly unit: TimestampUnit },
): readonly OutputColumn[] {
  return eventSources[form]
    .filter((source) => withInsertID || !needsInsertID(source))
    .map((source) => ({ name: source, source, unit }));
}

/** Returns the columns of rows. */
export function columnsOf(
  { withInsertID, columns }: RowsOptions,
  form: RowForm,
): readonly OutputColumn[] {
  return columns ?? eventColumns(form, { withInsertID, unit: "ms" });
}

/** Returns the texts that row buffers hold for these rows. */
export function textColumnsOf(options: RowsOptions): readonly TextColumn[] {
  const sources = columnsOf(options, "columns").map(({ source }) => source);
  return textColumns.filter((name) => sources.includes(name));
}

/** Returns whether a column can only be made of insert ids. */
export function needsInsertID(source: ColumnSource): boolean {
  return insertIDColumns.includes(source);
}

/** Returns whether each event has a value in a column. */
export function isRequired(source: ColumnSource): boolean {
  return ["event", "timestamp", "user", "metadata", "platformUser"].includes(source);
}

/** Returns whether a column has JSON objects. */
export function isJson(source: ColumnSource): boolean {
  return ["user", "metadata", "platformUser"].includes(source);
}

/** A name that warehouses take without quotes; then the source, and its form. */
const columnForm = new RegExp(`^([A-Za-z_]\\w{0,62})=(${columnSources.join("|")})(?::(\\w+))?$`);

/** Returns the forms that a source can be written in. */
export function formsOf(source: ColumnSource): readonly string[] {
  if (source === "timestamp") return Object.keys(timestampUnits);
  return (typedTargets as readonly string[]).includes(source) ? textTypes : [];
}

/** Parses a column such as `event_name=event`, `time=timestamp:s` or `price=value:double`; undefined if it is not one. */
export function parseColumn(text: string): OutputColumn | undefined {
  const [, name, sourceName, form] = columnForm.exec(text) ?? [];
  if (name === undefined) return undefined;
  const source = sourceName as ColumnSource;
  if (form !== undefined && !formsOf(source).includes(form)) return undefined;
  if (source === "timestamp") return { name, source, unit: (form ?? "ms") as TimestampUnit };
  return { name, source, unit: "ms", ...omitUndefined({ type: form as TextType | undefined }) };
}

/** Returns the columns as `parseColumn` takes them. */
export function columnTexts(columns: readonly OutputColumn[]): readonly string[] {
  return columns.map(({ name, source, unit, type }) => {
    const form = source === "timestamp" ? unit : type;
    return `${name}=${source}${form === undefined ? "" : `:${form}`}`;
  });
}

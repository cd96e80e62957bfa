import { dayOf, formatDay } from "../../base/day.js";
import { evenly } from "../../base/evenly.js";
import { SAMPLE_DAYS_MAX, SAMPLE_EVENTS_MAX, SAMPLE_NAMES_MAX } from "../../base/limits.js";
import type { Zone } from "../../base/zone.js";
import type { Batch, FieldRequest } from "../../batch/batch.js";
import { cellKinds } from "../../batch/column.js";
import {
  columnName,
  findPart,
  type OpenPart,
  type PartReading,
  parseTime,
  readPart,
  unitMsOf,
} from "../../formats/open-part.js";
import { nameInPart } from "../../formats/output-formats.js";
import type { Manifest } from "../../ledger/manifest.js";
import { parseValue, valueText } from "../../mapper/lossless-values.js";
import type { RowsOptions } from "../../sinks/output-columns.js";
import type { DayLine, StoredEvents, StoredEventText } from "./stored-counts.js";
import { type Difference, difference } from "./verify-difference.js";

const SHOWN_CHARACTERS_MAX = 120;

/** Samples events over days and names, spread evenly. */
export async function takeSample(
  lines: readonly DayLine[],
  stored: StoredEvents,
): Promise<readonly StoredEventText[]> {
  const sample: StoredEventText[] = [];
  for (const { day, events } of evenly(lines, SAMPLE_DAYS_MAX)) {
    for (const [event] of evenly(events, SAMPLE_NAMES_MAX)) {
      const query = { day, event, limit: SAMPLE_EVENTS_MAX, cursor: undefined };
      sample.push(...(await stored.list(query)).items);
    }
  }
  return sample;
}

/**
 * Fields of an event as texts that are equal if the values are equal; undefined for a missing
 * field.
 */
interface SampleFields {
  readonly user: string | undefined;
  readonly metadata: string | undefined;
  readonly value: string | undefined;
}

/** A stored event, with the search for its row in the export. */
interface Wanted {
  readonly stored: StoredEventText;
  /** The name as parts store it. */
  readonly name: string;
  readonly fields: SampleFields;
  isFound: boolean;
  /** Fields of the most similar row with the same name and time. */
  nearest: SampleFields | undefined;
}

/** The tools that read the parts of an export. */
export interface ExportReading extends PartReading {
  readonly directory: string;
  /** Downloads a file if the export is in a store. */
  fetch(path: string): Promise<void>;
  readonly openPart: OpenPart;
}

/** Finds each event in the parts of its day and compares every field. */
export async function compareSample(
  sample: readonly StoredEventText[],
  manifest: Manifest,
  zone: Zone,
  reading: ExportReading,
): Promise<readonly Difference[]> {
  const byDay = new Map<string, Wanted[]>();
  const unitMs = unitMsOf(reading.columns);
  const read = readColumns(reading.columns);
  for (const stored of sample) {
    const day = formatDay(dayOf(stored.timestamp, zone));
    const wanted = wantedOf(stored, manifest, read);
    byDay.set(day, [...(byDay.get(day) ?? []), wanted]);
  }
  for (const { day, files } of manifest.days) {
    const wanted = byDay.get(day);
    if (wanted === undefined) continue;
    const byTime = byTimestamp(wanted, unitMs);
    for (const file of files) {
      await reading.fetch(file.path);
      const part = await findPart(reading.directory, file.path);
      await readPart(part, read.requests, reading, (batch) => findRows(batch, read, byTime));
    }
  }
  return [...byDay.values()].flat().flatMap(differencesOf);
}

function byTimestamp(
  wanted: readonly Wanted[],
  unitMs: number,
): ReadonlyMap<number, readonly Wanted[]> {
  const byTime = new Map<number, Wanted[]>();
  for (const one of wanted) {
    const time = Math.floor(one.stored.timestamp / unitMs);
    byTime.set(time, [...(byTime.get(time) ?? []), one]);
  }
  return byTime;
}

const readSources = ["timestamp", "event", "user", "metadata", "value"] as const;

/** The columns that are compared, if the parts have them. */
interface ReadColumns {
  readonly requests: readonly FieldRequest[];
  /** Returns the index of a column in a batch; -1 if the parts do not have it. */
  indexOf(source: (typeof readSources)[number]): number;
}

function readColumns(columns: RowsOptions): ReadColumns {
  const found = readSources.filter((source) => columnName(source, columns) !== undefined);
  return {
    // Compare texts, because Parquet and CSV do not distinguish a number from a text.
    requests: found.map((source) => ({ path: [columnName(source, columns)!], form: "text" })),
    indexOf: (source) => found.indexOf(source),
  };
}

function findRows(
  batch: Batch,
  read: ReadColumns,
  wanted: ReadonlyMap<number, readonly Wanted[]>,
): void {
  const { bytes, u32 } = batch.kernel;
  const column = batch.columns[read.indexOf("timestamp")]!;
  const starts = column.starts / 4;
  const lengths = column.lengths / 4;
  for (let row = 0; row < batch.rows; row++) {
    if (bytes[column.kinds + row] === cellKinds.null) continue;
    const start = u32[starts + row]!;
    const candidates = wanted.get(parseTime(bytes, start, start + u32[lengths + row]!));
    if (candidates !== undefined) matchRow(batch, row, read, candidates);
  }
}

function matchRow(
  { columns: cells }: Batch,
  row: number,
  read: ReadColumns,
  candidates: readonly Wanted[],
): void {
  const event = cells[read.indexOf("event")];
  const text = event?.text(row) ?? "";
  const isEscaped = event?.kind(row) === cellKinds.malformedString;
  const name = isEscaped ? (JSON.parse(`"${text}"`) as string) : text;
  const named = candidates.filter((one) => one.name === name && !one.isFound);
  if (named.length === 0) return;
  const fields: SampleFields = {
    user: canonical(cells[read.indexOf("user")]?.text(row)),
    metadata: canonical(cells[read.indexOf("metadata")]?.text(row)),
    // An empty CSV cell is a missing value.
    value: cells[read.indexOf("value")]?.text(row) || undefined,
  };
  const same = named.find((one) => changedFields(one.fields, fields).length === 0);
  if (same !== undefined) same.isFound = true;
  // A row matches one event: do not report it as the nearest of another.
  else for (const one of named) one.nearest = nearer(one, fields);
}

function nearer({ fields, nearest }: Wanted, other: SampleFields): SampleFields {
  if (nearest === undefined) return other;
  const isNearer = changedFields(fields, other).length < changedFields(fields, nearest).length;
  return isNearer ? other : nearest;
}

function wantedOf(stored: StoredEventText, manifest: Manifest, read: ReadColumns): Wanted {
  const event = parseValue(stored.body) as Readonly<Record<string, unknown>>;
  const [user, metadata, value] = [event["user"], event["metadata"], event["value"]];
  const has = (name: keyof SampleFields) => read.indexOf(name) >= 0;
  return {
    stored,
    name: nameInPart(stored.event, manifest),
    fields: {
      user: has("user") ? textOf(user) : undefined,
      metadata: has("metadata") ? textOf(metadata) : undefined,
      value: has("value") ? (value === "" ? undefined : scalarText(value)) : undefined,
    },
    isFound: false,
    nearest: undefined,
  };
}

function scalarText(value: unknown): string | undefined {
  return typeof value === "string" ? value : textOf(value);
}

function canonical(text: string | undefined): string | undefined {
  return text === undefined || text === "" ? undefined : textOf(parseValue(text));
}

function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : valueText(value);
}

function changedFields(one: SampleFields, other: SampleFields): readonly (keyof SampleFields)[] {
  return (["user", "metadata", "value"] as const).filter((name) => one[name] !== other[name]);
}

function differencesOf({ stored, fields, isFound, nearest }: Wanted): readonly Difference[] {
  if (isFound) return [];
  const what = `${JSON.stringify(stored.event)} at ${new Date(stored.timestamp).toISOString()}`;
  if (nearest === undefined) {
    const message = `${what} is stored, but the export does not have it, or not as often`;
    return [difference("stored_event_unknown", "service", message)];
  }
  return changedFields(fields, nearest).map((name) => {
    const message = `${name} of ${what}: the service has ${shown(fields[name])}, the export has ${shown(nearest[name])}`;
    return difference("stored_field_differs", "service", message);
  });
}

function shown(text: string | undefined): string {
  if (text === undefined) return "nothing";
  return text.length > SHOWN_CHARACTERS_MAX ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}…` : text;
}

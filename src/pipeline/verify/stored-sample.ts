import { dayOf, formatDay } from "../../base/day.js";
import { evenly } from "../../base/evenly.js";
import { SAMPLE_DAYS_MAX, SAMPLE_EVENTS_MAX, SAMPLE_NAMES_MAX } from "../../base/limits.js";
import type { Zone } from "../../base/zone.js";
import type { Batch, FieldRequest } from "../../batch/batch.js";
import { cellKinds } from "../../batch/column.js";
import { parseValue, valueText } from "../../mapper/lossless-values.js";
import type { Manifest } from "../manifest.js";
import { findPart, type OpenPart, type PartReading } from "./open-part.js";
import { nameInPart, parseInteger } from "./part-cells.js";
import type { DayLine, StoredEvents, StoredEventText } from "./stored-counts.js";
import { type Difference, difference } from "./verify-difference.js";

const SHOWN_CHARACTERS_MAX = 120;

/** Takes some events of some names of some days, spread evenly. */
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
interface Fields {
  readonly user: string | undefined;
  readonly metadata: string | undefined;
  readonly value: string | undefined;
}

/** A stored event whose row in the export is looked for. */
interface Wanted {
  readonly stored: StoredEventText;
  /** The name as parts store it. */
  readonly name: string;
  readonly fields: Fields;
  isFound: boolean;
  /** Fields of the row with the same name and time that differs least. */
  nearest: Fields | undefined;
}

/** The tools that read the parts of an export. */
export interface ExportReading extends PartReading {
  readonly directory: string;
  readonly openPart: OpenPart;
}

/** Looks for each event in the parts of its day, and compares every field. */
export async function compareSample(
  sample: readonly StoredEventText[],
  manifest: Manifest,
  zone: Zone,
  reading: ExportReading,
): Promise<readonly Difference[]> {
  const byDay = new Map<string, Wanted[]>();
  for (const stored of sample) {
    const day = formatDay(dayOf(stored.timestamp, zone));
    const wanted = wantedOf(stored, manifest);
    byDay.set(day, [...(byDay.get(day) ?? []), wanted]);
  }
  for (const { day, files } of manifest.days) {
    const wanted = byDay.get(day);
    if (wanted === undefined) continue;
    const byTime = byTimestamp(wanted);
    for (const file of files) {
      const part = await findPart(reading.directory, file.path);
      const reader = await reading.openPart(part, requests, reading);
      try {
        for (let batch = await reader.next(); batch !== null; batch = await reader.next()) {
          reading.signal.throwIfAborted();
          findRows(batch, byTime);
        }
      } finally {
        await reader.close();
      }
    }
  }
  return [...byDay.values()].flat().flatMap(differencesOf);
}

function byTimestamp(wanted: readonly Wanted[]): ReadonlyMap<number, readonly Wanted[]> {
  const byTime = new Map<number, Wanted[]>();
  for (const one of wanted) {
    byTime.set(one.stored.timestamp, [...(byTime.get(one.stored.timestamp) ?? []), one]);
  }
  return byTime;
}

const columns = { timestamp: 0, event: 1, user: 2, metadata: 3, value: 4 } as const;

/** Texts, because Parquet and CSV do not distinguish a number from a text. */
const requests: readonly FieldRequest[] = Object.keys(columns).map((name) => ({
  path: [name],
  form: "text",
}));

function findRows(batch: Batch, wanted: ReadonlyMap<number, readonly Wanted[]>): void {
  const { bytes, u32 } = batch.kernel;
  const column = batch.columns[columns.timestamp]!;
  const starts = column.starts / 4;
  const lengths = column.lengths / 4;
  for (let row = 0; row < batch.rows; row++) {
    if (bytes[column.kinds + row] === cellKinds.null) continue;
    const start = u32[starts + row]!;
    const candidates = wanted.get(parseInteger(bytes, start, start + u32[lengths + row]!));
    if (candidates !== undefined) matchRow(batch, row, candidates);
  }
}

function matchRow({ columns: cells }: Batch, row: number, candidates: readonly Wanted[]): void {
  const event = cells[columns.event];
  const text = event?.text(row) ?? "";
  const isEscaped = event?.kind(row) === cellKinds.malformedString;
  const name = isEscaped ? (JSON.parse(`"${text}"`) as string) : text;
  const named = candidates.filter((one) => one.name === name && !one.isFound);
  if (named.length === 0) return;
  const fields: Fields = {
    user: canonical(cells[columns.user]?.text(row)),
    metadata: canonical(cells[columns.metadata]?.text(row)),
    // An empty CSV cell is a missing value.
    value: cells[columns.value]?.text(row) || undefined,
  };
  const same = named.find((one) => changedFields(one.fields, fields).length === 0);
  if (same !== undefined) same.isFound = true;
  // A row matches one event: do not report it as the nearest of another.
  else for (const one of named) one.nearest = nearer(one, fields);
}

function nearer({ fields, nearest }: Wanted, other: Fields): Fields {
  if (nearest === undefined) return other;
  const isNearer = changedFields(fields, other).length < changedFields(fields, nearest).length;
  return isNearer ? other : nearest;
}

function wantedOf(stored: StoredEventText, manifest: Manifest): Wanted {
  const event = parseValue(stored.body) as Readonly<Record<string, unknown>>;
  const value = event["value"];
  return {
    stored,
    name: nameInPart(stored.event, manifest),
    fields: {
      user: textOf(event["user"]),
      metadata: textOf(event["metadata"]),
      value: typeof value === "string" ? value || undefined : textOf(value),
    },
    isFound: false,
    nearest: undefined,
  };
}

function canonical(text: string | undefined): string | undefined {
  return text === undefined || text === "" ? undefined : textOf(parseValue(text));
}

function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : valueText(value);
}

function changedFields(one: Fields, other: Fields): readonly (keyof Fields)[] {
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

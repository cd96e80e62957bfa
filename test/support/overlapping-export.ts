import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { createRandom } from "./random.js";

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 1, 27);

export interface OverlappingHours {
  /** Hours since the start of the export, inclusive and exclusive. */
  readonly first: number;
  readonly end: number;
  /** New rows in each hour. */
  readonly rows: number;
}

/**
 * Writes hourly gzip files of an Amplitude export as it is downloaded in windows that overlap: the first
 * rows of each file are the last ones of the hour before, SDKs have uploaded some events again (in the same
 * hour or a later one), and some events arrive up to two days late. Each line has a `line` of its own in
 * `event_properties`; copies of an event have the same insert id and time. A few events have no insert id
 * and are equal, but are not copies.
 */
export function writeOverlappingHours(
  directory: string,
  { first, end, rows }: OverlappingHours,
): void {
  mkdirSync(directory, { recursive: true });
  for (let hour = first; hour < end; hour++) {
    const lines = [
      ...hourEvents(hour - 1, rows).slice(-Math.ceil(rows / 10)),
      ...hourEvents(hour, rows),
      ...retries(hour, rows),
    ];
    const text = lines.map((event, line) => `${lineOf(event, `${hour}:${line}`)}\n`).join("");
    const name = `187520_${new Date(START_MS + hour * HOUR_MS).toISOString().slice(0, 13)}.json.gz`;
    writeFileSync(join(directory, name), gzipSync(text, { level: 1 }));
  }
}

interface GeneratedEvent {
  readonly id: number | undefined;
  readonly timeMs: number;
  readonly mixed: number;
}

/** The events that were uploaded in an hour for the first time, the same at each call. */
function hourEvents(hour: number, rows: number): GeneratedEvent[] {
  if (hour < 0) return [];
  const random = createRandom(7_000 + hour);
  return Array.from({ length: rows }, (_, index) => {
    const lateMs = random() < 0.03 ? Math.floor(random() * 48 * HOUR_MS) : 0;
    const timeMs = START_MS + hour * HOUR_MS + Math.floor(random() * HOUR_MS) - lateMs;
    const id = random() < 0.01 ? undefined : hour * rows + index;
    return { id, timeMs, mixed: Math.floor(random() * 1e9) };
  });
}

/** Events of this hour and of the three before it that were uploaded again. */
function retries(hour: number, rows: number): GeneratedEvent[] {
  const random = createRandom(9_000 + hour);
  const known = [0, 1, 2, 3].flatMap((before) => hourEvents(hour - before, rows));
  return known.filter(({ id }) => id !== undefined && random() < 0.01);
}

function lineOf({ id, timeMs, mixed }: GeneratedEvent, line: string): string {
  const time = new Date(timeMs).toISOString().replace("T", " ").replace("Z", "000");
  return JSON.stringify({
    ...(id === undefined ? {} : { $insert_id: `insert-${id}` }),
    event_type: `event_${mixed % 11}`,
    event_time: time,
    user_id: mixed % 4 === 0 ? null : `customer-${mixed % 700}`,
    device_id: `device-${mixed % 1_500}`,
    event_properties: { line, price: (mixed % 9_999) / 100 },
    user_properties: { plan: mixed % 2 === 0 ? "free" : "yearly" },
  });
}

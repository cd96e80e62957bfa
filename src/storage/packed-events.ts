import { createHash } from "node:crypto";
import type { EventIntake } from "./event-store.js";
import { storedText } from "./stored-text.js";

/** Events of one name on one day. */
interface PackedSeries {
  readonly day: string;
  /** The result of `storedText`. */
  readonly event: string;
  readonly count: number;
  /** `[timestamp,"body"]` for each event, separated by commas: a JSON array without brackets. */
  readonly rows: string;
}

/** The events of a request in a few strings for the writer, which inserts them as they are. */
export interface PackedIntake {
  /** SHA-256 of the idempotency key, in base64url. */
  readonly keyDigest: string | undefined;
  readonly series: readonly PackedSeries[];
  /** Characters of all rows. */
  readonly characters: number;
}

export function packIntake({ events, idempotencyKey }: EventIntake): PackedIntake {
  const found = new Map<string, { day: string; event: string; count: number; rows: string }>();
  let characters = 0;
  for (const { day, event, timestamp, body } of events) {
    const row = `[${timestamp},${JSON.stringify(body)}]`;
    characters += row.length;
    const key = day + event;
    const series = found.get(key);
    if (series === undefined) {
      found.set(key, { day, event: storedText(event), count: 1, rows: row });
    } else {
      series.count += 1;
      series.rows += `,${row}`;
    }
  }
  const keyDigest =
    idempotencyKey === undefined
      ? undefined
      : createHash("sha256").update(idempotencyKey).digest("base64url");
  return { keyDigest, series: [...found.values()], characters };
}

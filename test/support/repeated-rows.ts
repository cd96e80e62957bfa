import type { createRandom } from "./random.js";

/** A row of an Amplitude export. */
export interface RepeatedRow {
  readonly n: number;
  readonly id: string | null;
  readonly event: string;
  readonly timeMs: number;
  /** Not valid JSON. */
  readonly isBroken: boolean;
}

/** Rows of a few days with few insert ids, so that many repeat on the same day or on another. */
export function repeatedRows(
  count: number,
  ids: number,
  random: ReturnType<typeof createRandom>,
): readonly RepeatedRow[] {
  return Array.from({ length: count }, (_, n) => ({
    n,
    id: random() < 0.05 ? null : `id-${Math.floor(random() * ids)}`,
    event: `event ${Math.floor(random() * 5)}`,
    timeMs: 1_750_000_000_000 + Math.floor(random() * 5 * 86_400_000),
    isBroken: random() < 0.01,
  }));
}

export function repeatedLine({ n, id, event, timeMs, isBroken }: RepeatedRow): string {
  const line = JSON.stringify({
    $insert_id: id,
    event_type: event,
    event_time: new Date(timeMs).toISOString(),
    user_id: `u${n % 97}`,
    event_properties: { n },
  });
  return isBroken ? line.slice(0, 40) : line;
}

/** Numbers of the events that stay. */
export function distinctNumbers(
  rows: readonly RepeatedRow[],
  within: "day" | "all",
): readonly number[] {
  const seen = new Set<string>();
  return rows.flatMap(({ n, id, timeMs, isBroken }) => {
    if (isBroken) return [];
    const key = `${id} ${within === "day" ? Math.floor(timeMs / 86_400_000) : ""}`;
    if (id !== null && seen.has(key)) return [];
    seen.add(key);
    return [n];
  });
}

import { writeFileSync } from "node:fs";

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 0, 1);

/**
 * Amplitude rows from `first` on, of about 300 bytes, spread over `days` days without order; each
 * 997th is malformed, for rejects.
 */
export function amplitudeLines(first: number, count: number, days: number): string {
  const lines: string[] = [];
  for (let index = first; index < first + count; index++) {
    lines.push(index % 997 === 996 ? `{"event_type":"broken ${index}` : amplitudeLine(index, days));
  }
  return `${lines.join("\n")}\n`;
}

function amplitudeLine(index: number, days: number): string {
  // A multiplicative hash: far apart for neighbours, the same on every machine.
  const mixed = Math.imul(index + 1, 2654435761) >>> 0;
  const time = new Date(START_MS + (mixed % (days * DAY_MS))).toISOString();
  return JSON.stringify({
    $insert_id: `insert-${index}`,
    event_type: `event_${mixed % 13}`,
    event_time: time.replace("T", " ").replace("Z", "000"),
    user_id: mixed % 3 === 0 ? null : `customer-${mixed % 5000}`,
    device_id: `device-${mixed % 9000}`,
    event_properties: { index, note: "é 🍵".repeat(mixed % 4), price: (mixed % 9999) / 100 },
    user_properties: { plan: mixed % 2 === 0 ? "free" : "yearly" },
  });
}

/** Writes `count` rows in slices, so that memory stays small. */
export function writeAmplitudeRows(file: string, count: number, days: number): void {
  const slice = 20_000;
  for (let first = 0; first < count; first += slice) {
    const text = amplitudeLines(first, Math.min(slice, count - first), days);
    writeFileSync(file, text, { flag: first === 0 ? "w" : "a" });
  }
}

import type { Manifest } from "../manifest.js";
import { type OutputFormat, outputFormat } from "../output-formats.js";

/** Returns the name of an event as the parts of an export store it. */
export function nameInPart(event: string, { format, configuration }: Manifest): string {
  const { storedName = (name: string) => name } = outputFormat(format as OutputFormat);
  return storedName(event, { csvSafe: configuration["csvSafe"] === true });
}

/** Parses a time: a whole number, or ISO 8601. Returns NaN for anything else. */
export function parseTime(bytes: Uint8Array, start: number, end: number): number {
  const number = parseInteger(bytes, start, end);
  if (!Number.isNaN(number)) return number;
  return Date.parse(Buffer.from(bytes.subarray(start, end)).toString("latin1"));
}

/**
 * Parses a whole number of at most 15 digits, which doubles hold exactly. Returns NaN for anything
 * else.
 */
function parseInteger(bytes: Uint8Array, start: number, end: number): number {
  const isNegative = bytes[start] === 0x2d;
  const first = isNegative ? start + 1 : start;
  if (end - first < 1 || end - first > 15) return Number.NaN;
  let value = 0;
  for (let position = first; position < end; position++) {
    const digit = bytes[position]! - 0x30;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return isNegative ? -value : value;
}

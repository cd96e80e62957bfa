import { isReject } from "../../../src/readers/rejects/reject-line.js";
import type { Format } from "../../../src/sources/source.js";

/** Lines that are looked at; the rest of the head only matters when they say nothing. */
const LINES_MAX = 20;

/**
 * The detection as it is meant, with all of the head decoded and all lines parsed: slow, and what the one
 * in use is held against. `complete` says that the head is all there is.
 */
export function detectJsonEagerly(head: Uint8Array, complete: boolean): Format | null {
  const text = decoder.decode(head);
  const start = text.trimStart();
  const lines = wholeLines(start, complete);
  const values = lines.map(parse).filter((value) => value !== undefined);
  if (start.startsWith("[")) return { kind: "json" };
  if (start.startsWith("{")) {
    const own = lines.filter((line) => line.startsWith("{")).map(parse);
    const rows = own.filter((value) => value !== undefined && !isEmptyObject(value));
    const isEmpty =
      lines.length > 0 && lines.every((line) => line.startsWith("{") && isEmptyObject(parse(line)));
    if (rows.length === 0) return { kind: isEmpty ? "ndjson" : "json" };
    return { kind: rows.every(isReject) ? "rejects" : "ndjson" };
  }
  // Lines of something else before the first object: a log line, a damaged beginning.
  const objects = values.filter((value) => typeof value === "object" && value !== null);
  return objects.length * 2 > lines.length ? { kind: "ndjson" } : null;
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function wholeLines(text: string, complete: boolean): readonly string[] {
  const lines = text.split("\n", LINES_MAX + 1);
  const whole = complete || lines.length > LINES_MAX ? lines : lines.slice(0, -1);
  return whole.slice(0, LINES_MAX).filter((line) => line.trim() !== "");
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}

const decoder = new TextDecoder();

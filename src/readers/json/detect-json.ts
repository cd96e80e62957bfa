import { isReject } from "../rejects/reject-line.js";
import type { Format } from "../source.js";

/** Lines that are looked at; the rest of the head only matters when they say nothing. */
const LINES_MAX = 20;

const LINE_FEED = 0x0a;
const BLANK = 0x20;

/**
 * Which JSON format the head of a source is in, or null when it is none. `complete` says that the
 * head is all there is.
 *
 * Lines decide: where some of the first whole lines are each a JSON value of their own, it is NDJSON
 * (or rejects), and those that are not will be rejected one by one. Where no line is, the values are
 * spread over lines (pretty-printed, an array) or share one.
 */
export function detectJson(head: Uint8Array, complete: boolean): Format | null {
  const text = decoder.decode(firstLines(head));
  const start = text.trimStart();
  const lines = wholeLines(start, complete);
  const values = lines.map(parse).filter((value) => value !== undefined);
  if (start.startsWith("[")) return { kind: "json" };
  if (start.startsWith("{")) {
    if (values.length === 0) return { kind: "json" };
    return { kind: values.every(isReject) ? "rejects" : "ndjson" };
  }
  // Lines of something else before the first object: a log line, a damaged beginning.
  const objects = values.filter((value) => typeof value === "object" && value !== null);
  return objects.length * 2 > lines.length ? { kind: "ndjson" } : null;
}

/**
 * One line more than is looked at, where there are so many: decoding the rest would take most of the
 * time that it takes to look at a file.
 */
function firstLines(head: Uint8Array): Uint8Array {
  let end = Math.max(
    0,
    head.findIndex((byte) => byte > BLANK),
  );
  for (let lines = 0; lines <= LINES_MAX; lines++) {
    end = head.indexOf(LINE_FEED, end) + 1;
    if (end === 0) return head;
  }
  return head.subarray(0, end);
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

import { SourceError } from "../../base/errors.js";
import type { Format } from "../../sources/source.js";
import type { HeadExtent, HeadSample } from "../../sources/source-head.js";
import { detectEncoding, ENCODING_PROBE_BYTES, toUtf8 } from "../csv/csv-encoding.js";
import { isReject } from "../rejects/reject-line.js";
import { findKeyedRows, hasPlainMember } from "./find-keyed-rows.js";
import { findWrapper } from "./find-wrapper.js";

/** Maximum number of lines that are parsed. */
const LINES_MAX = 20;

const LINE_FEED = 0x0a;
const OPENING_BRACKET = 0x5b;
const OPENING_BRACE = 0x7b;

/** First byte → last byte of objects and arrays. */
const objectEnds: ReadonlyMap<number, number> = new Map([
  [OPENING_BRACE, 0x7d],
  [OPENING_BRACKET, 0x5d],
]);

/**
 * Detects newline-delimited JSON, other JSON and rejects. Throws `SourceError` for JSON in UTF-16.
 */
export function detectJsonFormat(
  { bytes, extent }: HeadSample,
  { name, rowFields }: { readonly name: string; readonly rowFields: ReadonlySet<string> },
): Format | "none" | "undecided" {
  if (extent === "part" && bytes.length < ENCODING_PROBE_BYTES) return "undecided";
  const encoding = detectEncoding(bytes);
  const json = detectJson(toUtf8(bytes, encoding), extent, rowFields);
  if (json === "undecided" || json === "none" || encoding === "utf-8") return json;
  throw new SourceError(
    "source_unsupported",
    { source: name },
    `JSON in ${encoding.toUpperCase()}, which RFC 8259 does not allow. Convert it to UTF-8.`,
  );
}

/**
 * Detects the JSON format of a head, or "none". Returns "undecided" only for a `part`.
 *
 * If one of the first whole lines is a JSON object, the format is NDJSON (or rejects), and lines
 * that are not objects are rejected later. If no line is an object, values span lines
 * (pretty-printed, an array) or share a line. An indented line, or one with another value, does not
 * count: it may be the last element of a list in a pretty-printed object.
 *
 * Parses lines one by one until they decide, mostly at the first: 16 µs instead of 240 for twenty.
 */
export function detectJson(
  head: Uint8Array,
  extent: HeadExtent,
  rowFields: ReadonlySet<string>,
): Format | "none" | "undecided" {
  const text = withoutBlankStart(head);
  if (text[0] === OPENING_BRACKET) return { kind: "json" };
  const wrapped = detectWrapped(head, text, extent, rowFields);
  if (wrapped !== "none") return wrapped;
  const lines = new WholeLines(text, extent);
  return text[0] === OPENING_BRACE ? detectByValues(lines) : detectByMajority(lines);
}

type JsonFormat = Extract<Format, { readonly kind: "json" }>;

/** Returns the format of input that the user calls JSON; null if the sample is too short. */
export function givenJson(
  { bytes, extent }: HeadSample,
  { rowFields }: { readonly rowFields: ReadonlySet<string> },
): JsonFormat | null {
  const wrapped = detectWrapped(bytes, withoutBlankStart(bytes), extent, rowFields);
  if (wrapped === "undecided") return null;
  return wrapped === "none" ? { kind: "json" } : wrapped;
}

function detectWrapped(
  head: Uint8Array,
  text: Uint8Array,
  extent: HeadExtent,
  rowFields: ReadonlySet<string>,
): JsonFormat | "none" | "undecided" {
  if (text[0] !== OPENING_BRACE) return "none";
  const before = head.length - text.length;
  const arrayStart = findWrapper(text, extent, rowFields);
  if (arrayStart === "undecided") return arrayStart;
  if (arrayStart === "followed" && hasPlainMember(text)) return "none";
  if (typeof arrayStart === "number") return { kind: "json", arrayStart: before + arrayStart };
  const start = findKeyedRows(text, extent, rowFields);
  if (typeof start === "string") return start;
  return { kind: "json", keyed: { start: before + start, isMember: start > 1 } };
}

/** An empty object tells nothing: in a pretty-printed file it is on a line of its own too. */
function detectByValues(lines: WholeLines): Format | "undecided" {
  let rejects = 0;
  let empty = 0;
  let others = 0;
  for (let line = lines.next(); line !== null; line = lines.next()) {
    const value = line[0] === OPENING_BRACE ? parse(line) : undefined;
    if (value === undefined) {
      if (!isBlank(line)) others++;
      continue;
    }
    if (Object.keys(value).length === 0) {
      empty++;
      continue;
    }
    if (!isReject(value)) return { kind: "ndjson" };
    rejects++;
  }
  if (lines.areCut) return "undecided";
  if (rejects > 0) return { kind: "rejects" };
  return { kind: empty > 0 && others === 0 ? "ndjson" : "json" };
}

/** Detects NDJSON in a head that does not begin with an object, such as a log line. */
function detectByMajority(lines: WholeLines): Format | "none" | "undecided" {
  let filled = 0;
  let objects = 0;
  for (let line = lines.next(); line !== null; line = lines.next()) {
    if (isBlank(line)) continue;
    filled++;
    const value = parse(line);
    if (value !== undefined) objects++;
  }
  if (lines.areCut) return "undecided";
  return objects * 2 > filled ? { kind: "ndjson" } : "none";
}

/** The first LINES_MAX lines. The last one counts only if it is whole. */
class WholeLines {
  /** Lines are missing because the head is a part. */
  areCut = false;
  #count = 0;
  #start = 0;

  constructor(
    private readonly text: Uint8Array,
    private readonly extent: HeadExtent,
  ) {}

  next(): Uint8Array | null {
    const { text, extent } = this;
    if (this.#count === LINES_MAX || this.#start > text.length) return null;
    const found = text.indexOf(LINE_FEED, this.#start);
    if (found === -1 && extent !== "whole") {
      this.areCut = extent === "part";
      return null;
    }
    const end = found === -1 ? text.length : found;
    const line = text.subarray(this.#start, end);
    this.#start = end + 1;
    this.#count++;
    return line;
  }
}

/** Removes a byte order mark and the characters that `String.trimStart` removes. */
function withoutBlankStart(head: Uint8Array): Uint8Array {
  const hasMark = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf;
  let start = hasMark ? 3 : 0;
  while (isAsciiBlank(head[start])) start++;
  if ((head[start] ?? 0) < 0x80) return head.subarray(start);
  // Unicode has more blanks than ASCII.
  return Buffer.from(decoder.decode(head).trimStart());
}

function isBlank(line: Uint8Array): boolean {
  let p = 0;
  while (isAsciiBlank(line[p])) p++;
  return p === line.length || (line[p]! >= 0x80 && decoder.decode(line).trim() === "");
}

function isAsciiBlank(byte: number | undefined): boolean {
  return byte === 0x20 || (byte !== undefined && byte >= 0x09 && byte <= 0x0d);
}

/** Parses an object or array, else returns undefined. Avoids errors: one costs more than a line. */
function parse(line: Uint8Array): object | undefined {
  if (!mayBeObjectOrArray(line)) return undefined;
  try {
    return JSON.parse(decoder.decode(line)) as object;
  } catch {
    return undefined;
  }
}

/** Returns whether the first and last byte that are not JSON white space fit together. */
function mayBeObjectOrArray(line: Uint8Array): boolean {
  let start = 0;
  let end = line.length;
  while (start < end && isJsonBlank(line[start])) start++;
  while (end > start && isJsonBlank(line[end - 1])) end--;
  const wanted = objectEnds.get(line[start] ?? 0);
  return wanted !== undefined && wanted === line[end - 1];
}

function isJsonBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}

const decoder = new TextDecoder();

import { SourceError } from "../../base/errors.js";
import { parseJson } from "../../base/parse-json.js";
import type { RowPlace } from "../../batch/batch.js";
import type { HeadExtent } from "../../sources/source-head.js";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const COLON = 0x3a;
/** Open brackets inside of a row: of the object around, the array and the row. */
const ROW_DEPTH = 3;

/**
 * Finds the array of rows in a file that is one JSON object around them: `{"events": [{…}, …]}`.
 * Returns the offset of the array's first byte after its bracket, "none", "followed" if another value
 * follows the object, or "undecided" (only for a `part`).
 *
 * A row may hold an array of objects, too, such as the items of a purchase. So the array has the rows
 * only if it is the only array of objects, nothing follows the object, and its first object has more of
 * the fields that are mapped (`rowFields`) than the object around it.
 */
export function findWrapper(
  text: Uint8Array,
  extent: HeadExtent,
  rowFields: ReadonlySet<string>,
): number | "none" | "followed" | "undecided" {
  const found = outlineOf(text);
  if (found === "followed") return found;
  const { arrays, rowNames, end } = found;
  if (end === undefined && extent === "part") return "undecided";
  const [array] = arrays;
  if (array === undefined || arrays.length > 1) return "none";
  // Members after the array are checked when the reader reaches them, unless they are here.
  const around = parseJson(
    end === undefined ? `${decode(text, 0, array)}]}` : decode(text, 0, text.length),
  ) as object | undefined;
  if (around === undefined) return "none";
  return countOf(rowNames, rowFields) > countOf(Object.keys(around), rowFields) ? array : "none";
}

/**
 * Checks the text after the rows in an object. Throws `SourceError` if it is not the end of the object, or
 * has rows of its own. `isWhole`: the source ends with the text.
 */
export function checkWrapperEnd(text: string, isWhole: boolean, place: RowPlace): void {
  if (!isWhole) {
    throw new SourceError("source_unsupported", place, `more than a few members follow ${ROWS}`);
  }
  const members = parseJson(`{"":[]${text}`) as object | undefined;
  if (members === undefined) {
    const isCut = !text.includes("}");
    throw isCut
      ? new SourceError("source_truncated", place, `the file ends before the object around ${ROWS}`)
      : new SourceError("source_corrupt", place, `no end of one JSON object follows ${ROWS}`);
  }
  const other = Object.entries(members).find(([, value]) => holdsRows(value));
  if (other === undefined) return;
  const reason = `${ROWS} are followed by more, in ${JSON.stringify(other[0])}. Split the file.`;
  throw new SourceError("source_unsupported", place, reason);
}

const ROWS = "the rows";

/** Returns whether a value is an array of objects, or an object of several. */
function holdsRows(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const isObject = (one: unknown) => typeof one === "object" && one !== null;
  if (Array.isArray(value)) return isObject(value[0]);
  const members = Object.values(value);
  return members.length >= KEYED_ROWS_MIN && members.every(isObject);
}

/** Objects in an object that are enough to be rows by their shape alone. */
export const KEYED_ROWS_MIN = 3;

interface WrapperOutline {
  /** Offsets of the first bytes in arrays of objects that are members. */
  readonly arrays: readonly number[];
  /** Names in the first object of the first of them, as far as it is known. */
  readonly rowNames: readonly string[];
  /** The end of the object, if it ends. */
  readonly end: number | undefined;
}

/** Finds brackets outside of strings; "followed" if another value follows the object. */
function outlineOf(text: Uint8Array): WrapperOutline | "followed" {
  const arrays: number[] = [];
  const rowNames: string[] = [];
  let isInRow = false;
  let depth = 0;
  for (let p = 0; p < text.length; p++) {
    const byte = text[p]!;
    if (byte === QUOTE) {
      const start = p;
      p = stringEnd(text, p);
      if (isInRow && depth === ROW_DEPTH && text[skipBlank(text, p + 1)] === COLON) {
        rowNames.push(decode(text, start + 1, p));
      }
    } else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) {
      if (depth === 1 && byte === OPENING_BRACKET) {
        const inside = skipBlank(text, p + 1);
        if (text[inside] === OPENING_BRACE) {
          isInRow = arrays.length === 0;
          arrays.push(p + 1);
        }
      }
      depth++;
    } else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) {
      depth--;
      if (depth < ROW_DEPTH) isInRow = false;
      if (depth > 0) continue;
      if (skipBlank(text, p + 1) < text.length) return "followed";
      return { arrays, rowNames, end: p + 1 };
    }
  }
  return { arrays, rowNames, end: undefined };
}

/** Returns the offset of the quote that ends a string. */
export function stringEnd(text: Uint8Array, start: number): number {
  let p = start + 1;
  while (p < text.length && text[p] !== QUOTE) p += text[p] === BACKSLASH ? 2 : 1;
  return p;
}

export function skipBlank(text: Uint8Array, start: number): number {
  let p = start;
  while (text[p] === 0x20 || (text[p]! >= 0x09 && text[p]! <= 0x0d)) p++;
  return p;
}

export function countOf(names: readonly string[], wanted: ReadonlySet<string>): number {
  return names.filter((name) => wanted.has(name)).length;
}

export function decode(text: Uint8Array, start: number, end: number): string {
  return Buffer.from(text.buffer, text.byteOffset + start, end - start).toString();
}

import { decode, skipBlank, stringEnd } from "../json/find-wrapper.js";

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;

/** A row around the list at a path. */
export interface RowFrame {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

/**
 * Returns what is around the list at the end of the path in a row of JSON. Lists before it have one element,
 * or an object stands for them. Undefined if the row has no such list.
 */
export function frameOf(row: Uint8Array, path: readonly string[]): RowFrame | undefined {
  const text = Buffer.from(row);
  let start = skipBlank(text, 0);
  for (const step of path) {
    if (text[start] === OPENING_BRACKET) start = skipBlank(text, start + 1);
    const value = memberOf(text, start, step);
    if (value === undefined) return undefined;
    start = value;
  }
  return { before: text.subarray(0, start), after: text.subarray(valueEnd(text, start)) };
}

/** Returns a row whose list has one element. */
export function withElement({ before, after }: RowFrame, element: Uint8Array): Uint8Array {
  return Buffer.concat([before, Buffer.from("["), element, Buffer.from("]"), after]);
}

/** Returns the offset of the value of a member; of several with one name, of the last, as readers do. */
function memberOf(text: Buffer, start: number, name: string): number | undefined {
  if (text[start] !== OPENING_BRACE) return undefined;
  let found: number | undefined;
  let p = skipBlank(text, start + 1);
  while (text[p] === QUOTE) {
    const end = stringEnd(text, p);
    const colon = skipBlank(text, end + 1);
    if (text[colon] !== COLON) return undefined;
    const value = skipBlank(text, colon + 1);
    if (JSON.parse(decode(text, p, end + 1)) === name) found = value;
    p = skipBlank(text, valueEnd(text, value));
    if (text[p] === COMMA) p = skipBlank(text, p + 1);
  }
  return found;
}

/** Returns the offset after a value. */
function valueEnd(text: Buffer, start: number): number {
  let depth = 0;
  for (let p = start; p < text.length; p++) {
    const byte = text[p];
    if (byte === QUOTE) {
      p = stringEnd(text, p);
      if (depth === 0) return p + 1;
    } else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) depth++;
    else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) {
      // The end of a scalar at the end of an object.
      if (depth === 0) return p;
      if (--depth === 0) return p + 1;
    } else if (byte === COMMA && depth === 0) return p;
  }
  return text.length;
}

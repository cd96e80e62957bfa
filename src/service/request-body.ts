import { isUtf8 } from "node:buffer";
import { parse as parseLossless } from "lossless-json";
import { forbiddenKey } from "../contract/json-text.js";
import { ServiceError } from "./service-error.js";
import { SYNTAX_FAULT_CHARACTERS_MAX } from "./service-limits.js";

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;
const BRACKET_OPEN = 0x5b;
const BRACKET_CLOSE = 0x5d;

/** A body as it was sent, and its parsed value; both undefined without a body. */
export interface RequestBody {
  readonly text: string | undefined;
  readonly value: unknown;
}

const jsonType = /^application\/json(?:\s*;\s*charset\s*=\s*"?utf-?8"?)?\s*;?$/i;

/** Characters of a wrong content type that the refusal shows. */
const SHOWN_TYPE_CHARACTERS_MAX = 100;

/**
 * Parses a body. No bytes are no body, with any content type. Throws 415 for a type other than JSON in
 * UTF-8, and 400 for a body that is not JSON, is nested too deep, or sets a prototype.
 */
export function readBody(
  bytes: Buffer,
  contentType: string | undefined,
  depthMax: number,
): RequestBody {
  const text = textOf(bytes, contentType);
  if (text === undefined) return { text, value: undefined };
  checkDepth(shapeOf(bytes), depthMax);
  const value = parseText(text);
  const key = forbiddenKey(value, text);
  if (key !== undefined) throw malformed(`Body contains the forbidden key ${key}`);
  return { text, value };
}

/** Returns the text of a body, undefined without one. Throws 415, and 400 for bytes that are not UTF-8. */
export function textOf(bytes: Buffer, contentType: string | undefined): string | undefined {
  if (bytes.length === 0) return undefined;
  if (contentType === undefined || !jsonType.test(contentType.trim())) {
    throw unsupportedType(contentType);
  }
  if (!isUtf8(bytes)) throw malformed("Body is not UTF-8");
  return bytes.toString("utf8", startsWithMark(bytes) ? BYTE_ORDER_MARK.length : 0);
}

export function checkDepth({ depth }: JsonShape, depthMax: number): void {
  if (depth > depthMax) throw malformed(`Body is nested deeper than ${depthMax} levels`);
}

export function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw malformed(`Body is not valid JSON: ${syntaxFault(text) ?? (cause as Error).message}`);
  }
}

function startsWithMark(bytes: Buffer): boolean {
  return BYTE_ORDER_MARK.equals(bytes.subarray(0, BYTE_ORDER_MARK.length));
}

/**
 * Returns the syntax error of a text with its position, which `JSON.parse` does not always report.
 * Returns undefined for a text that is too long to parse twice.
 */
function syntaxFault(text: string): string | undefined {
  if (text.length > SYNTAX_FAULT_CHARACTERS_MAX) return undefined;
  try {
    parseLossless(text, undefined, { onDuplicateKey: ({ newValue }) => newValue });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function unsupportedType(contentType: string | undefined): ServiceError {
  const received =
    contentType === undefined ? "none was given" : `received ${shownType(contentType)}`;
  return new ServiceError({
    status: 415,
    message: `Expected Content-Type application/json in UTF-8, ${received}`,
  });
}

function shownType(contentType: string): string {
  if (contentType.length <= SHOWN_TYPE_CHARACTERS_MAX) return contentType;
  return `${contentType.slice(0, SHOWN_TYPE_CHARACTERS_MAX)}…`;
}

/** The size of a JSON text for code that parses and walks it. */
interface JsonShape {
  /** Levels of nested objects and arrays. */
  readonly depth: number;
  /** Commas and colons of the text; if it is an array, of the item that has the most. */
  readonly separators: number;
}

/** Measures a JSON text without parsing it. Not defined for texts that are not JSON. */
export function shapeOf(bytes: Uint8Array): JsonShape {
  let depth = 0;
  let depthMax = 0;
  let separators = 0;
  let separatorsMax = 0;
  let itemDepth = -1;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = endOfString(bytes, at + 1);
    } else if (byte === COMMA || byte === COLON) {
      separators += 1;
    } else if (byte === BRACE_OPEN || byte === BRACKET_OPEN) {
      if (itemDepth === -1) itemDepth = byte === BRACKET_OPEN ? 1 : 0;
      depth += 1;
      if (depth > depthMax) depthMax = depth;
    } else if (byte === BRACE_CLOSE || byte === BRACKET_CLOSE) {
      depth -= 1;
      if (depth > itemDepth) continue;
      if (separators > separatorsMax) separatorsMax = separators;
      separators = 0;
    }
  }
  return { depth: depthMax, separators: separatorsMax };
}

/** Returns the index of the quote that ends the string whose first character is at `start`. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

export function malformed(message: string): ServiceError {
  return new ServiceError({ status: 400, message });
}

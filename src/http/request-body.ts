import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { parse as parseLossless } from "lossless-json";
import { hasCode } from "../base/errors.js";
import { ZstdDecoder } from "../base/zstd-decoder.js";
import { loadZstd } from "../base/zstd-library.js";
import { forbiddenKey } from "../contract/json-text.js";
import type { Access, Route } from "../contract/route.js";
import { eventTexts, membersOf } from "../intake/event-text.js";
import { invalid, ServiceError } from "./service-error.js";
import { type ServiceLimits, SYNTAX_FAULT_CHARACTERS_MAX } from "./service-limits.js";

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
interface RequestBody {
  readonly text: string | undefined;
  readonly value: unknown;
}

const JSON_TYPE = "application/json";
const jsonType = /^application\/json(?:\s*;\s*charset\s*=\s*"?utf-?8"?)?\s*;?$/i;

/** Characters of a wrong content type that the refusal shows. */
const SHOWN_TYPE_CHARACTERS_MAX = 100;

/** Characters of a body that is parsed at once, which takes at most about 30 ms. */
const PARSED_AT_ONCE_CHARACTERS_MAX = 256 * 1_024;

/** Milliseconds of parsing until other requests get their turn. */
const SLICE_MS = 10;

/**
 * Decodes and parses the body of a request. Throws 413 for a body of more than `bytesMax` bytes, 415 for
 * another encoding than gzip and zstd, and what `bodySteps` throws.
 */
export async function readRequestBody(
  bytes: Buffer,
  { headers, query }: BodyFacts,
  rules: BodyRules,
  limits: ServiceLimits,
): Promise<RequestBody> {
  const { access, eventsMember, sdk } = rules;
  const { "content-encoding": encoding, "content-type": type } = headers;
  const bytesMax = bodyBytesMax(rules, limits);
  const decoded = await decodeContent(bytes, encoding, bytesMax);
  if (sdk) {
    const json = await decodeAsSdkSays(decoded, { headers, query }, bytesMax);
    return readEventBody(json, JSON_TYPE, limits, eventsMember);
  }
  if (takesEvents(access)) return readEventBody(decoded, type, limits, eventsMember);
  const steps = bodySteps(decoded, type, limits.bodyDepthMax);
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    if (decoded.length > PARSED_AT_ONCE_CHARACTERS_MAX) await nextTurn();
  }
}

/** The parts of a request that say how its body is encoded. */
interface BodyFacts {
  readonly headers: IncomingHttpHeaders;
  readonly query: unknown;
}

/** Rules of a route about its body; none on a path without a route. */
type BodyRules = Partial<Pick<Route, "access" | "eventsMember" | "listsIDs" | "sdk">>;

/** Bytes of the body of a request to a route, after decoding. */
export function bodyBytesMax({ access, listsIDs }: BodyRules, limits: ServiceLimits): number {
  if (takesEvents(access)) return limits.eventBodyBytesMax;
  return listsIDs === true ? limits.idsBodyBytesMax : limits.bodyBytesMax;
}

/** Users and events have properties of any name. */
function takesEvents(access: Access | undefined): boolean {
  return access === "server" || access === "client";
}

/**
 * Decodes a body of an SDK in a browser, which names encodings in the query: `gz=1` for gzip, and `se=1`
 * for base64 whose characters are in reverse order (js-client `NetworkCore.ts`). Earlier SDKs name the
 * latter in a header (statsig-js `StatsigNetwork.ts`). Base64 is of Latin-1.
 */
async function decodeAsSdkSays(
  bytes: Buffer,
  { headers, query }: BodyFacts,
  bytesMax: number,
): Promise<Buffer> {
  const { gz, se } = (query ?? {}) as Readonly<Record<string, unknown>>;
  const plain = gz === "1" && bytes.length > 0 ? await ungzip(bytes, bytesMax) : bytes;
  if (se !== "1" && headers["statsig-encoded"] !== "1") return plain;
  const base64 = plain.toString("latin1").split("").reverse().join("");
  return Buffer.from(Buffer.from(base64, "base64").toString("latin1"), "utf8");
}

const inflate = promisify(gunzip);

let zstd: Promise<ZstdDecoder> | undefined;

/**
 * Decodes a body of at most `bytesMax` bytes. An empty body stays empty with any encoding. Throws 415 for
 * an encoding other than gzip and zstd, 413 for a longer body and 400 for damage.
 */
async function decodeContent(
  bytes: Buffer,
  encoding: string | undefined,
  bytesMax: number,
): Promise<Buffer> {
  const name = encoding?.trim().toLowerCase();
  if (bytes.length === 0 || name === undefined || name === "" || name === "identity") return bytes;
  switch (name) {
    case "gzip":
    case "x-gzip":
      return ungzip(bytes, bytesMax);
    case "zstd":
      return unzstd(bytes, bytesMax);
    default:
      throw new ServiceError({
        status: 415,
        message: "Content-Encoding must be gzip or zstd, or absent",
      });
  }
}

async function ungzip(bytes: Buffer, bytesMax: number): Promise<Buffer> {
  try {
    return await inflate(bytes, { maxOutputLength: bytesMax });
  } catch (error) {
    if (hasCode(error, "ERR_BUFFER_TOO_LARGE")) throw tooLarge(bytesMax);
    throw malformed("Body is not valid gzip");
  }
}

async function unzstd(bytes: Buffer, bytesMax: number): Promise<Buffer> {
  zstd ??= loadZstd().then((library) => new ZstdDecoder(library));
  const decoder = await zstd;
  const parts: Buffer[] = [];
  let length = 0;
  const isWhole = decoder.decode(bytes, (part) => {
    length += part.length;
    if (length <= bytesMax) parts.push(Buffer.from(part));
    return length <= bytesMax;
  });
  if (length > bytesMax) throw tooLarge(bytesMax);
  if (!isWhole) throw malformed("Body is not valid zstd");
  return Buffer.concat(parts);
}

function tooLarge(bytesMax: number): ServiceError {
  return new ServiceError({
    status: 413,
    message: `Body has more than ${bytesMax} bytes after decoding; this route accepts at most ${bytesMax}`,
  });
}

/**
 * Parses a body in steps, between which other requests can get their turn. An empty body is undefined, with
 * any content type. Throws 415 for a type other than JSON in UTF-8, and 400 for a body that is not JSON, is
 * nested too deep, or sets a prototype.
 */
function* bodySteps(
  bytes: Buffer,
  contentType: string | undefined,
  depthMax: number,
): Generator<void, RequestBody, void> {
  const text = textOf(bytes, contentType);
  if (text === undefined) return { text, value: undefined };
  checkDepth(shapeOf(bytes), depthMax);
  yield;
  const value = parseText(text);
  yield;
  const key = forbiddenKey(value, text);
  if (key !== undefined) throw malformed(`Body contains the forbidden key ${key}`);
  return { text, value };
}

/**
 * Parses a body of an event route. Names of properties are data, so all of them are allowed. Limits the
 * values of an event, and parses the events of a large body one by one: other requests wait meanwhile.
 * Throws like `bodySteps`.
 */
async function readEventBody(
  bytes: Buffer,
  contentType: string | undefined,
  { bodyDepthMax, eventValuesMax }: ServiceLimits,
  eventsMember: string | undefined,
): Promise<RequestBody> {
  const text = textOf(bytes, contentType);
  if (text === undefined) return { text, value: undefined };
  const shape = shapeOf(bytes, eventsMember === undefined ? undefined : EVENTS_DEPTH);
  checkDepth(shape, bodyDepthMax);
  // A property has a comma and a colon, a list element a comma.
  if (shape.separators > 2 * eventValuesMax) {
    const errorMessage =
      `An event has too many values: at most ${eventValuesMax} properties, or ` +
      `${2 * eventValuesMax} list elements`;
    throw invalid([{ property: "", errorMessage }]);
  }
  if (text.length <= PARSED_AT_ONCE_CHARACTERS_MAX) return { text, value: parseText(text) };
  const value =
    eventsMember === undefined
      ? await parseInSlices(text)
      : await parseMemberInSlices(text, eventsMember);
  return { text, value };
}

/** Parses an object; one of its members, if it is an array, in slices. */
async function parseMemberInSlices(text: string, sliced: string): Promise<unknown> {
  let members: ReadonlyMap<string, string>;
  try {
    members = membersOf(text);
  } catch (cause) {
    throw malformed(`Body is not valid JSON: ${(cause as Error).message}`);
  }
  const values: [string, unknown][] = [];
  for (const [name, member] of members) {
    values.push([name, name === sliced ? await parseInSlices(member) : parseText(member)]);
  }
  return Object.fromEntries(values);
}

async function parseInSlices(text: string): Promise<unknown> {
  const values: unknown[] = [];
  let sliceStart = performance.now();
  const texts = eventTexts(text);
  if (texts === undefined) return parseText(text);
  try {
    for (const one of texts) {
      values.push(JSON.parse(one));
      if (performance.now() - sliceStart < SLICE_MS) continue;
      await nextTurn();
      sliceStart = performance.now();
    }
  } catch (cause) {
    throw malformed(`Body is not valid JSON: [${values.length}]: ${(cause as Error).message}`);
  }
  return values;
}

/** Returns the text of a body, undefined without one. Throws 415, and 400 for bytes that are not UTF-8. */
function textOf(bytes: Buffer, contentType: string | undefined): string | undefined {
  if (bytes.length === 0) return undefined;
  if (contentType === undefined || !jsonType.test(contentType.trim())) {
    throw unsupportedType(contentType);
  }
  if (!isUtf8(bytes)) throw malformed("Body is not UTF-8");
  return bytes.toString("utf8", startsWithMark(bytes) ? BYTE_ORDER_MARK.length : 0);
}

function checkDepth({ depth }: JsonShape, depthMax: number): void {
  if (depth > depthMax) throw malformed(`Body is nested deeper than ${depthMax} levels`);
}

function parseText(text: string): unknown {
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

/** Sizes of a JSON text that bound the work of parsing it. */
interface JsonShape {
  /** Levels of nested objects and arrays. */
  readonly depth: number;
  /** Commas and colons of the text; if it has items, of the one that has the most. */
  readonly separators: number;
}

/** Levels around the events of a body that has them in a member. */
const EVENTS_DEPTH = 2;

/**
 * Measures a JSON text without parsing it. The result for other texts is meaningless. `itemsDepth`: the
 * levels around its items; default those of an array, or none.
 */
export function shapeOf(bytes: Uint8Array, itemsDepth = -1): JsonShape {
  let depth = 0;
  let depthMax = 0;
  let separators = 0;
  let separatorsMax = 0;
  let itemDepth = itemsDepth;
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

function malformed(message: string): ServiceError {
  return new ServiceError({ status: 400, message });
}

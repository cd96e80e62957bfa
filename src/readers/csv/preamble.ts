import type { GivenDialect } from "../source.js";
import { endOfLine } from "./record-walk.js";

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Lines before a header, at most, that the detection skips on its own. */
export const PREAMBLE_LINES_MAX = 20;

/** Returns the start of the line after `lines` lines; the length of the bytes if there are fewer. */
export function startAfter(bytes: Uint8Array, lines: number): number {
  let p = 0;
  for (let line = 0; line < lines && p < bytes.length; line++) {
    p = endOfLine(bytes, p, {});
    const isPair = bytes[p] === CARRIAGE_RETURN && bytes[p + 1] === LINE_FEED;
    p = Math.min(bytes.length, p + (isPair ? 2 : 1));
  }
  return p;
}

/** Reads a first line such as `sep=;`, which tells Excel the delimiter. */
export function readDelimiterLine(bytes: Uint8Array, given: GivenDialect): GivenDialect {
  if (given.skipLines !== undefined) return given;
  const text = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  const delimiter = /^(?:ï»¿)?"?sep=([^\r\n])"?[\r\n]/i.exec(text)?.[1];
  if (delimiter === undefined) return given;
  return { delimiter, ...given, skipLines: 1 };
}

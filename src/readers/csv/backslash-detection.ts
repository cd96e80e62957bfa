import { parseJson } from "../../base/parse-json.js";
import type { GivenDialect } from "../../sources/source.js";
import { controlCharacters, NULL_CELL, unescapeText } from "./backslashes.js";
import { Candidate, type CsvHints, insideOf, recordsOf, type Trial } from "./csv-trial.js";
import type { CsvMarks } from "./record-walk.js";

const BACKSLASH = 0x5c;

/** Delimiters of files in which `\N` alone is enough: PostgreSQL and MySQL write tabs. */
const NULLS_SUFFICE = "\t";

/** The delimiter of Hive's text files, which have `\N` but no escapes. */
const HIVE_DELIMITER = "\x01";

/** The name that Adobe gives to the rows of a data feed. */
export const ADOBE_NAME = /hit_data/i;

/** Smallest share of quoted cells in a dialect that quotes cells and escapes with backslashes. */
const QUOTED_SHARE_MIN = 0.2;

/** Share of cells in quotes from which the quotes of a plain dialect are not chance. */
const USUAL_QUOTED_SHARE_MIN = 0.05;

/** Bad records of a dialect with backslashes, at most. */
const BAD_SHARE_MAX = 0.1;

/** Counts of what shows that backslashes escape, or that they do not. */
interface Evidence {
  /** Cells that are `\N`. */
  nulls: number;
  /** Delimiters and line ends after a backslash. */
  structural: number;
  /** Sequences that are usual but prove nothing: `\\`, `\n`, `\"` in quotes. */
  neutral: number;
  /** Cells that are JSON only if backslashes escape. */
  json: number;
  /** Sequences that no writer makes, and cells that are JSON only if backslashes do not escape. */
  contrary: number;
}

/**
 * Finds a dialect in which backslashes escape any character, if the head shows that it is one;
 * otherwise null. `plain` is the best trial without such escapes.
 */
export function findBackslashes(
  bytes: Uint8Array,
  plain: Trial | null,
  delimiters: readonly string[],
  hints: CsvHints,
  given: GivenDialect,
  score: (trial: Trial) => number,
): Trial | null {
  if (given.backslashes === false || given.escape !== undefined) return null;
  if (!bytes.includes(BACKSLASH) || doublesQuotes(bytes, plain)) return null;
  const trials = backslashMarks(bytes, delimiters, given)
    .map((marks) => new Candidate(bytes, marks, hints, given))
    .filter(({ cells }) => cells > 1)
    .map(({ trial }) => trial)
    .filter((trial) => trial.badShare <= BAD_SHARE_MAX)
    .filter((trial) => isQuotedAsMarked(trial) && !isWorse(trial, plain, score))
    .filter((trial) => isShown(readEvidence(bytes, trial), trial.marks, plain, hints));
  const best = Math.max(...trials.map(score));
  return trials.find((trial) => score(trial) === best) ?? null;
}

/** Returns the marks of dialects with backslashes to try. */
export function backslashMarks(
  bytes: Uint8Array,
  delimiters: readonly string[],
  { quote, comment }: GivenDialect,
): readonly CsvMarks[] {
  const backslashes = lineEndOf(bytes);
  const comments = comment === undefined ? {} : { comment };
  const quotes = quote === undefined ? ['"', ""] : [quote];
  return quotes.flatMap((one) =>
    delimiters.map((delimiter) => ({ delimiter, quote: one, backslashes, ...comments })),
  );
}

/** Returns whether the cells of a trial with backslashes are quoted if its marks have a quote. */
export function isQuotedAsMarked({ marks, records, cells, quotedCells }: Trial): boolean {
  return marks.quote === "" || quotedCells >= records * cells * QUOTED_SHARE_MIN;
}

function isWorse(trial: Trial, plain: Trial | null, score: (trial: Trial) => number): boolean {
  if (plain === null) return false;
  if (trial.marks.delimiter === plain.marks.delimiter) return trial.badShare > plain.badShare;
  return score(trial) < score(plain);
}

function isShown(
  evidence: Evidence,
  { delimiter, quote }: CsvMarks,
  plain: Trial | null,
  { name = "" }: CsvHints,
): boolean {
  const { nulls, structural, neutral, json, contrary } = evidence;
  if (contrary > 0) return false;
  if (structural + json > 0) return true;
  if (ADOBE_NAME.test(name) && delimiter === "\t" && quote === "") return true;
  if (nulls === 0 || delimiter === HIVE_DELIMITER) return false;
  // Quotes that work as usual are not text.
  if (quote === "" && plain !== null && hasUsualQuotes(plain)) return false;
  return neutral > 0 || (delimiter === NULLS_SUFFICE && quote === "");
}

function hasUsualQuotes({ marks, records, cells, quotedCells }: Trial): boolean {
  return marks.quote === '"' && quotedCells >= records * cells * USUAL_QUOTED_SHARE_MIN;
}

/** Returns whether quotes in quoted cells are doubled, which no writer of backslashes does. */
function doublesQuotes(bytes: Uint8Array, plain: Trial | null): boolean {
  if (plain === null || plain.badShare > 0 || !hasUsualQuotes(plain)) return false;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  return plain.marks.escape === undefined && /[^\\\t,;|\r\n]""/.test(text);
}

/** Returns the line end of most lines. */
function lineEndOf(bytes: Uint8Array): "lf" | "crlf" {
  let lines = 0;
  let pairs = 0;
  for (let p = bytes.indexOf(0x0a); p !== -1; p = bytes.indexOf(0x0a, p + 1)) {
    if (bytes[p - 1] === BACKSLASH) continue;
    lines++;
    if (bytes[p - 1] === 0x0d && bytes[p - 2] !== BACKSLASH) pairs++;
  }
  return pairs * 2 > lines ? "crlf" : "lf";
}

function readEvidence(bytes: Uint8Array, trial: Trial): Evidence {
  const evidence = { nulls: 0, structural: 0, neutral: 0, json: 0, contrary: 0 };
  for (const record of recordsOf(bytes, trial)) {
    if (record.length !== trial.cells) continue;
    for (const cell of record.rawWith(BACKSLASH)) readCell(cell, trial.marks, evidence);
    if (evidence.contrary > 0) break;
  }
  return evidence;
}

function readCell(cell: string, marks: CsvMarks, evidence: Evidence): void {
  const text = insideOf(cell, marks.quote);
  if (text === NULL_CELL) {
    evidence.nulls++;
    return;
  }
  const isQuoted = text.length + 1 < cell.length;
  for (const [, character = ""] of text.matchAll(/\\(.)/gs)) {
    const kind = kindOf(character, marks.delimiter, isQuoted);
    evidence[kind]++;
  }
  if (!/^\s*[{[]/.test(unescapeText(text))) return;
  // Inside quotes, other dialects have escapes before quotes and backslashes.
  const otherwise = isQuoted ? text.replaceAll(/\\(["\\])/g, "$1") : text;
  const [escaped, plain] = [unescapeText(text), otherwise].map(
    (one) => parseJson(one) !== undefined,
  );
  if (escaped && !plain) evidence.json++;
  if (plain && !escaped) evidence.contrary++;
}

function kindOf(character: string, delimiter: string, isQuoted: boolean) {
  if (character === "\n" || character === "\r" || character === delimiter) return "structural";
  if (character === "\\" || controlCharacters[character] !== undefined) return "neutral";
  return isQuoted && /["']/.test(character) ? "neutral" : "contrary";
}

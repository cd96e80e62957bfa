import { SourceError, UsageError } from "../../base/errors.js";
import { omitUndefined } from "../../base/omit-undefined.js";
import { option } from "../../base/option-text.js";
import { type CsvDialect, type GivenDialect, MIXED_ENCODING } from "../../sources/source.js";
import {
  ADOBE_NAME,
  backslashMarks,
  findBackslashes,
  isQuotedAsMarked,
} from "./backslash-detection.js";
import { withKnownColumns } from "./csv-dialects.js";
import { detectEncoding, ENCODING_ADVICE, isOtherEncoding, toUtf8 } from "./csv-encoding.js";
import { looksLikeHeader } from "./csv-header.js";
import {
  Candidate,
  type CsvHints,
  recordsOf,
  startsWithMark,
  TRIAL_RECORDS,
  type Trial,
  type TrialCells,
  tryMarks,
  usualCells,
} from "./csv-trial.js";
import { type CsvMarks, endOfLine } from "./record-walk.js";

const DELIMITERS = [",", "\t", ";", "|", "\x01"] as const;

/** The share of tried records that may be malformed or ragged. */
const BAD_SHARE_MAX = 0.25;

/** Bytes of a text for each NUL byte, at least. */
const BYTES_PER_NUL_MIN = 1_000;

/** The share of bad records up to which many cells outweigh them. */
const FEW_BAD = 0.1;

/** Records whose majority is more than chance. */
const MAJORITY_RECORDS_MIN = 5;

/** Lines before a header, at most, that the detection skips on its own. */
const PREAMBLE_LINES_MAX = 20;

const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Detects the dialect of the CSV that begins with `head`; null if it does not look like CSV.
 * `given` members are not questioned, and anything that can be read with them is CSV. Names are
 * trimmed cells of the header and may repeat. Without a header and given names, columns are
 * `column_1`, `column_2`, …
 */
export function detectCsv(
  head: Uint8Array,
  hints: CsvHints = {},
  given: GivenDialect = {},
): CsvDialect | null {
  const encoding = given.encoding ?? encodingOf(head, hints);
  const all = toUtf8(head, encoding);
  const isSaid = hints.given === true || isDescribed(given);
  if (!isSaid && (isBinary(all) || looksLikeJson(all))) return null;
  const known = readDelimiterLine(all, withKnownColumns(all, given));
  const found = findTable(all, hints, known);
  if (found === null) return null;
  const { bytes, trial, skipLines } = found;
  if (encoding === "utf-8" && given.encoding === undefined && isOtherEncoding(head)) {
    const reason = `its text is not UTF-8: ${ENCODING_ADVICE}`;
    throw new SourceError("csv_encoding_unknown", omitUndefined({ source: hints.name }), reason);
  }
  const options = omitUndefined({ nulls: given.nulls, skipLines });
  return { ...trial.marks, ...options, ...nameColumns(bytes, trial, known), encoding };
}

/** Adobe says that its files are ISO-8859-1, and they have UTF-8, or both. */
function encodingOf(head: Uint8Array, { name = "" }: CsvHints): string {
  const encoding = detectEncoding(head);
  return encoding === "utf-8" && ADOBE_NAME.test(name) ? MIXED_ENCODING : encoding;
}

/** A trial with the bytes that begin with its header or first row. */
interface FoundTable {
  readonly bytes: Uint8Array;
  readonly trial: Trial;
  readonly skipLines?: number;
}

/**
 * Finds the lines to skip and the marks. If the first records do not fit the others, they are prose
 * before a header, or there is no header and the first row is a bad one.
 */
function findTable(all: Uint8Array, hints: CsvHints, given: GivenDialect): FoundTable | null {
  const { skipLines } = given;
  const bytes = skipLines === undefined ? all : all.subarray(startAfter(all, skipLines));
  const trial = chooseTrial(bytes, hints, given);
  const isPoor = trial === null || trial.cells === 1 || trial.badShare > BAD_SHARE_MAX;
  const isGiven = skipLines !== undefined || given.columns !== undefined;
  const table = isPoor && !isGiven ? findAfterPreamble(bytes, hints, given) : null;
  if (table !== null) return table;
  const found = isGiven ? trial : (tryWithoutFirst(bytes, trial, hints, given) ?? trial);
  const best = isGiven ? found : (tryMajority(bytes, found, hints, given) ?? found);
  return best === null ? null : { bytes, trial: best, ...omitUndefined({ skipLines }) };
}

/** Tries the records after a first one that fits no better trial and is not a header. */
function tryWithoutFirst(
  bytes: Uint8Array,
  trial: Trial | null,
  hints: CsvHints,
  given: GivenDialect,
): Trial | null {
  if (given.header === true || (trial !== null && isUndivided(bytes, trial))) return null;
  const rest = chooseTrial(bytes.subarray(startAfter(bytes, 1)), hints, given);
  if (rest === null || rest.cells < 2 || rest.records < 3 || rest.badShare > FEW_BAD) return null;
  const prefersTab = promisesTab(hints);
  if (trial !== null && score(rest, prefersTab) <= score(trial, prefersTab)) return null;
  return hasHeader(bytes, rest) ? null : rest;
}

/**
 * Tries marks whose first record has another number of cells than most, so that it is neither a header nor
 * a measure of the others.
 */
function tryMajority(
  bytes: Uint8Array,
  found: Trial | null,
  hints: CsvHints,
  given: GivenDialect,
): Trial | null {
  if (given.header === true || given.backslashes === true) return null;
  const isEscaped = found?.marks.backslashes !== undefined;
  if (isEscaped || (found !== null && hasHeader(bytes, found))) return null;
  const delimiters = given.delimiter === undefined ? delimitersToTry(bytes) : [given.delimiter];
  const tried = plainMarks(delimiters, given).map((marks) => {
    const cells = usualCells(bytes, marks);
    const first = tryMarks(bytes, marks, hints, given, 1).cells;
    const isOther = cells > 1 && cells !== first;
    return isOther ? tryMarks(bytes, marks, hints, given, TRIAL_RECORDS, cells) : null;
  });
  const good = tried
    .filter((trial) => trial !== null)
    .filter(({ records, badShare }) => records >= MAJORITY_RECORDS_MIN && badShare <= FEW_BAD)
    .filter(({ marks, quotedCells }) => marks.quote !== "'" || quotedCells > 0);
  const quoted = good.filter(({ marks, quotedCells }) => marks.quote === '"' && quotedCells > 0);
  const scoreOf = (trial: Trial) => score(trial, promisesTab(hints));
  const [best] = (quoted.length > 0 ? quoted : good).sort((a, b) => scoreOf(b) - scoreOf(a));
  if (best === undefined || found === null) return best ?? null;
  return scoreOf(best) > scoreOf(found) || (quoted.length > 0 && found.marks.quote === "")
    ? best
    : null;
}

/** Returns whether no cell of the first record contains another delimiter. */
function isUndivided(bytes: Uint8Array, trial: Trial): boolean {
  const names = namesOf(recordsOf(bytes, trial).next().value);
  return !names.some((name) => DELIMITERS.some((delimiter) => name.includes(delimiter)));
}

function promisesTab({ name = "" }: CsvHints): boolean {
  return /\.(tsv|tab)(\.|$)/i.test(name);
}

/** Finds a header of at least two names, and rows that fit it, after lines with few cells. */
function findAfterPreamble(
  bytes: Uint8Array,
  hints: CsvHints,
  given: GivenDialect,
): FoundTable | null {
  if (given.header === false) return null;
  for (let skipLines = 1; skipLines <= PREAMBLE_LINES_MAX; skipLines++) {
    const start = startAfter(bytes, skipLines);
    if (start === bytes.length) return null;
    const rest = bytes.subarray(start);
    const trial = chooseTrial(rest, hints, given);
    if (trial === null || trial.cells < 2 || trial.records < 3) continue;
    if (trial.badShare > FEW_BAD || !hasHeader(rest, trial)) continue;
    const before = { marks: trial.marks, records: skipLines };
    const lines = [...recordsOf(bytes.subarray(0, start), before)];
    const isProse = lines.every(({ texts }) => texts.length * 2 <= trial.cells);
    if (isProse) return { bytes: rest, trial, skipLines };
  }
  return null;
}

/** Few NUL bytes are damage of a text; more are another format. */
function isBinary(bytes: Uint8Array): boolean {
  const allowed = Math.max(1, bytes.length / BYTES_PER_NUL_MIN);
  let found = 0;
  for (let p = bytes.indexOf(0); p !== -1; p = bytes.indexOf(0, p + 1)) {
    if (++found > allowed) return true;
  }
  return false;
}

/**
 * Detects the dialect of an input that the user calls CSV. Throws `UsageError` if there is none.
 */
export function detectGivenCsv(
  head: Uint8Array,
  hints: CsvHints & { readonly name: string },
  given: GivenDialect,
): CsvDialect {
  const dialect = detectCsv(head, { ...hints, given: true }, given);
  if (dialect !== null) return dialect;
  throw new UsageError(
    "csv_dialect_unknown",
    `${hints.name}: its CSV dialect cannot be detected. Pass ${option("csvDialect")} delimiter=<text>,columns=<names>, or ${option("csvDialect")} skip=<lines> if text precedes the table.`,
  );
}

/**
 * Chooses the right candidate. Each trial walks 200 records, so only the trials that decide are
 * made: a file whose first candidate fits takes 0.35 ms instead of 8.
 */
function chooseTrial(bytes: Uint8Array, hints: CsvHints, given: GivenDialect): Trial | null {
  const prefersTab = promisesTab(hints);
  const delimiters = given.delimiter === undefined ? delimitersToTry(bytes) : [given.delimiter];
  const marks =
    given.backslashes === true
      ? backslashMarks(bytes, delimiters, given)
      : plainMarks(delimiters, given);
  const best = chooseAmong(marks, bytes, hints, given, prefersTab);
  if (given.backslashes !== undefined) return best;
  const scoreOf = (trial: Trial) => score(trial, prefersTab);
  return findBackslashes(bytes, best, delimiters, hints, given, scoreOf) ?? best;
}

function chooseAmong(
  marks: readonly CsvMarks[],
  bytes: Uint8Array,
  hints: CsvHints,
  given: GivenDialect,
  prefersTab: boolean,
): Trial | null {
  const isSure = isDescribed(given);
  const isNamed = /\.(csv|tsv|tab)(\.|$)/i.test(hints.name ?? "");
  const tried = marks.map((one) => new Candidate(bytes, one, hints, given));
  const find = (from: readonly Candidate[], isRight: (trial: Trial) => boolean) =>
    findBest(from, prefersTab, isRight);
  const isPlausible = ({ badShare }: Trial) => badShare <= BAD_SHARE_MAX;
  const wide = tried.filter(({ cells }) => cells > 1);
  const isTabular = (trial: Trial) =>
    isPlausible(trial) &&
    (trial.records > 1 || isNamed || isSure) &&
    (trial.marks.quote !== "'" || trial.quotedCells > 0 || given.quote === "'") &&
    (trial.marks.backslashes === undefined || isQuotedAsMarked(trial) || given.quote !== undefined);
  // If quotes work as usual, reading them as text may give more cells, but wrong ones.
  const usual = bytes.includes(QUOTE) ? wide.filter(({ marks }) => marks.quote === '"') : [];
  return (
    find(usual, (trial) => isTabular(trial) && trial.quotedCells > 0) ??
    find(wide, isTabular) ??
    // Most records of a short file can be ragged; its header still decides.
    find(isNamed ? wide : [], (trial) => hasHeader(bytes, trial)) ??
    find(isNamed ? tried : [], isPlausible) ??
    find(isSure ? tried : [], () => true)
  );
}

/** Returns the right trial with the highest score; the earlier candidate wins a tie. */
function findBest(
  from: readonly Candidate[],
  prefersTab: boolean,
  isRight: (trial: Trial) => boolean,
): Trial | null {
  const scoreMax = ({ cells, marks }: Candidate) =>
    score({ badShare: 0, cells, marks }, prefersTab);
  const order = from
    .map((candidate, index) => ({ candidate, index, scoreMax: scoreMax(candidate) }))
    .sort((a, b) => b.scoreMax - a.scoreMax);
  let best: { readonly trial: Trial; readonly score: number; readonly index: number } | undefined;
  for (const { candidate, index, scoreMax } of order) {
    if (best !== undefined && !beats({ score: scoreMax, index }, best)) break;
    const { trial } = candidate;
    const tried = { trial, index, score: score(trial, prefersTab) };
    if (isRight(trial) && (best === undefined || beats(tried, best))) best = tried;
  }
  return best?.trial ?? null;
}

interface Placed {
  readonly score: number;
  readonly index: number;
}

function beats(one: Placed, other: Placed): boolean {
  return one.score > other.score || (one.score === other.score && one.index < other.index);
}

/** Returns whether the first record names columns. One name does not show what other cells are. */
function hasHeader(bytes: Uint8Array, trial: Trial): boolean {
  if (trial.cells < 2) return false;
  const rows = recordsOf(bytes, trial);
  return looksLikeHeader(namesOf(rows.next().value), rows);
}

function namesOf(first: TrialCells | undefined): readonly string[] {
  return first?.texts.map((name) => name.trim()) ?? [];
}

/** Returns whether the user says that the input is CSV. */
function isDescribed({ delimiter, columns }: GivenDialect): boolean {
  return delimiter !== undefined || columns !== undefined;
}

/**
 * Ranks a trial by the delimiter of the file name, then by many cells; of equals, tabs are not chance.
 * Cells that begin with a space do not count: prose has delimiters before them. Each bad record in a
 * hundred costs a tenth of the cells; a trial with more than one in ten ranks after all others.
 */
function score(
  {
    badShare,
    cells,
    marks,
    ...facts
  }: Pick<Trial, "badShare" | "cells" | "marks"> & Partial<Trial>,
  prefersTab: boolean,
): number {
  const { records = 1, spacedCells = 0 } = facts;
  const promised = prefersTab && marks.delimiter === "\t" ? 5_000 : 0;
  const tab = marks.delimiter === "\t" && cells > 1 && records > 0 ? 0.5 : 0;
  const counted = Math.min(cells, 4_000) - spacedCells / Math.max(1, records) + tab;
  if (badShare > FEW_BAD) return -Math.round(badShare * 100) * 10_000 + promised + counted;
  return counted * (1 - badShare / FEW_BAD) + promised;
}

/** Returns the combinations of marks to try, the usual ones first. */
function plainMarks(delimiters: readonly string[], given: GivenDialect): readonly CsvMarks[] {
  const comments = omitUndefined({ comment: given.comment });
  return quotingsOf(given).flatMap((quoting) =>
    delimiters.map((delimiter) => ({ delimiter, ...quoting, ...comments })),
  );
}

/** Absent delimiters all give one cell per record, so one of them is enough. */
function delimitersToTry(bytes: Uint8Array): readonly string[] {
  const isThere = (delimiter: string) => bytes.includes(delimiter.charCodeAt(0));
  const absent = DELIMITERS.find((delimiter) => !isThere(delimiter));
  // The file name may suggest tabs.
  return DELIMITERS.filter(
    (delimiter) => delimiter === "\t" || delimiter === absent || isThere(delimiter),
  );
}

function quotingsOf({ quote, escape: escaper }: GivenDialect) {
  const escapers = escaper === undefined ? [] : [{ escape: escaper }];
  if (quote !== undefined) {
    const detected = quote === "" ? [{}] : [{}, { escape: "\\" }];
    return (escapers.length > 0 ? escapers : detected).map((part) => ({ quote, ...part }));
  }
  if (escapers.length > 0) return escapers.map((part) => ({ quote: '"', ...part }));
  return [{ quote: '"' }, { quote: '"', escape: "\\" }, { quote: "'" }, { quote: "" }];
}

function nameColumns(
  bytes: Uint8Array,
  trial: Trial,
  given: GivenDialect,
): Pick<CsvDialect, "columns" | "header"> {
  const rows = recordsOf(bytes, trial);
  const names = namesOf(rows.next().value);
  if (given.columns !== undefined) {
    const isRepeated = given.columns.every((name, index) => names[index] === name);
    return { columns: given.columns, header: given.header ?? isRepeated };
  }
  const header = given.header ?? (trial.records === 0 || looksLikeHeader(names, rows));
  if (header) return { columns: names, header };
  const columns = Array.from({ length: trial.cells }, (_, index) => `column_${index + 1}`);
  return { columns, header };
}

/** JSON begins with a brace, or with a bracket and a value; the name of a column does not. */
function looksLikeJson(bytes: Uint8Array): boolean {
  const text = decoder.decode(bytes.subarray(startsWithMark(bytes) ? 3 : 0, 1_000)).trimStart();
  return text.startsWith("{") || /^\[\s*($|[[\]{"\d-]|(true|false|null)\b)/.test(text);
}

const decoder = new TextDecoder();

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
function readDelimiterLine(bytes: Uint8Array, given: GivenDialect): GivenDialect {
  if (given.skipLines !== undefined) return given;
  const text = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  const delimiter = /^(?:ï»¿)?"?sep=([^\r\n])"?[\r\n]/i.exec(text)?.[1];
  if (delimiter === undefined) return given;
  return { delimiter, ...given, skipLines: 1 };
}

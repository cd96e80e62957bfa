import { startAfter } from "../../../src/readers/csv/csv-detection.js";
import { detectEncoding, toUtf8 } from "../../../src/readers/csv/csv-encoding.js";
import type { CsvHints } from "../../../src/readers/csv/csv-trial.js";
import { type CsvMarks, skipLine, skipToRecord } from "../../../src/readers/csv/record-walk.js";
import type { CsvDialect, GivenDialect } from "../../../src/sources/source.js";
import { walkRecord } from "./plain-record-walk.js";

const DELIMITERS = [",", "\t", ";", "|", "\x01"] as const;

/** Records of the head that a dialect is tried on. */
const TRIAL_RECORDS = 200;

/** The share of tried records that may be malformed or ragged. */
const BAD_SHARE_MAX = 0.25;

interface Trial {
  readonly marks: CsvMarks;
  /** Start and end of the cells of each record, quotes included; empty for a malformed one. */
  readonly records: readonly (readonly number[])[];
  readonly cells: number;
  readonly badShare: number;
  readonly quotedCells: number;
  readonly spacedCells: number;
}

/**
 * The detection as it was when every candidate was tried on all records, with lists of all cells: slow,
 * and what the one in use is held against.
 */
export function detectCsvEagerly(
  head: Uint8Array,
  hints: CsvHints = {},
  given: GivenDialect = {},
): CsvDialect | null {
  const encoding = given.encoding ?? detectEncoding(head);
  const bytes = toUtf8(head, encoding);
  if (!isDescribed(given) && (isBinary(bytes) || looksLikeJson(bytes))) return null;
  const first = chooseTrial(bytes, hints, given);
  const trial =
    given.columns === undefined
      ? byMajority(bytes, withoutFirst(bytes, first, hints, given), hints, given)
      : first;
  if (trial === null) return null;
  const { columns, header } = nameColumns(textsOf(bytes, trial), trial.cells, given);
  return { ...trial.marks, columns, header, encoding };
}

/** The better trial of the records after the first one, if that is not a header; else `first`. */
function withoutFirst(
  bytes: Uint8Array,
  first: Trial | null,
  hints: CsvHints,
  given: GivenDialect,
): Trial | null {
  const names = first === null ? [] : (textsOf(bytes, first)[0] ?? []);
  const isDivided = names.some((name) => DELIMITERS.some((mark) => name.trim().includes(mark)));
  if (given.header === true || (first !== null && !isDivided)) return first;
  const rest = chooseTrial(bytes.subarray(startAfter(bytes, 1)), hints, given);
  if (rest === null || rest.cells < 2 || rest.records.length < 3) return first;
  if (rest.badShare > 0.1) return first;
  const prefersTab = /\.(tsv|tab)(\.|$)/i.test(hints.name ?? "");
  if (first !== null && score(rest, prefersTab) <= score(first, prefersTab)) return first;
  const { records } = tryMarks(bytes, rest.marks, hints, given);
  const trial = { ...rest, records: records.slice(0, rest.records.length) };
  return hasHeader(bytes, trial) ? first : trial;
}

/** The best trial whose first record has another number of cells than most of the first twelve. */
function byMajority(
  bytes: Uint8Array,
  found: Trial | null,
  hints: CsvHints,
  given: GivenDialect,
): Trial | null {
  if (given.header === true || (found !== null && hasHeader(bytes, found))) return found;
  const prefersTab = /\.(tsv|tab)(\.|$)/i.test(hints.name ?? "");
  const good = candidates(bytes, given)
    .map((marks) => tryMarks(bytes, marks, hints, given))
    .flatMap((trial) => {
      const counts = trial.records.slice(0, 12).map(cellsIn);
      const usual = counts.find(
        (cells) => counts.filter((one) => one === cells).length * 2 > counts.length,
      );
      if (usual === undefined || usual < 2 || usual === counts[0]) return [];
      return [tryMarks(bytes, trial.marks, hints, { ...given, usual })];
    })
    .filter(({ records, badShare }) => records.length >= 5 && badShare <= 0.1)
    .filter(({ marks, quotedCells }) => marks.quote !== "'" || quotedCells > 0)
    .sort((a, b) => score(b, prefersTab) - score(a, prefersTab));
  const quoted = good.filter(({ marks, quotedCells }) => marks.quote === '"' && quotedCells > 0);
  const best = quoted[0] ?? good[0];
  if (best === undefined || found === null) return best ?? found;
  const isText = quoted.length > 0 && found.marks.quote === "";
  return isText || score(best, prefersTab) > score(found, prefersTab) ? best : found;
}

function isBinary(bytes: Uint8Array): boolean {
  return bytes.filter((byte) => byte === 0).length > Math.max(1, bytes.length / 1_000);
}

function chooseTrial(bytes: Uint8Array, hints: CsvHints, given: GivenDialect): Trial | null {
  const isSure = isDescribed(given);
  const isNamed = /\.(csv|tsv|tab)(\.|$)/i.test(hints.name ?? "");
  const trials = candidates(bytes, given).map((marks) => tryMarks(bytes, marks, hints, given));
  const prefersTab = /\.(tsv|tab)(\.|$)/i.test(hints.name ?? "");
  // The sort is stable: of equals the earlier candidate stays first.
  const ranked = trials.sort((a, b) => score(b, prefersTab) - score(a, prefersTab));
  const believable = ranked.filter(({ badShare }) => badShare <= BAD_SHARE_MAX);
  const tabular = believable.filter(
    ({ cells, records, marks, quotedCells }) =>
      cells > 1 &&
      (records.length > 1 || isNamed || isSure) &&
      (marks.quote !== "'" || quotedCells > 0 || given.quote === "'"),
  );
  // If quotes work as usual, reading them as text may give more cells, but wrong ones.
  const quoted = tabular.find(({ marks, quotedCells }) => marks.quote === '"' && quotedCells > 0);
  // A short file can consist of ragged records for the most part; its header still tells.
  const headed = isNamed ? ranked.find((trial) => hasHeader(bytes, trial)) : undefined;
  const [single] = isNamed ? believable : [];
  const [forced] = isSure ? ranked : [];
  return quoted ?? tabular[0] ?? headed ?? single ?? forced ?? null;
}

function hasHeader(bytes: Uint8Array, trial: Trial): boolean {
  if (trial.cells <= 1) return false;
  const [first = [], ...rows] = textsOf(bytes, trial);
  return looksLikeHeader(
    first.map((name) => name.trim()),
    rows,
  );
}

/** Returns whether the user says that it is CSV. */
function isDescribed({ delimiter, columns }: GivenDialect): boolean {
  return delimiter !== undefined || columns !== undefined;
}

/** Ranks by the delimiter of the name, then by cells, of which few bad records cost a part. */
function score(
  { badShare, cells, marks, records, spacedCells }: Trial,
  prefersTab: boolean,
): number {
  const promised = prefersTab && marks.delimiter === "\t" ? 5_000 : 0;
  const tab = marks.delimiter === "\t" && cells > 1 && records.length > 0 ? 0.5 : 0;
  const spaced = spacedCells / Math.max(1, records.length);
  const counted = Math.min(cells, 4_000) - spaced + tab;
  if (badShare > 0.1) return -Math.round(badShare * 100) * 10_000 + promised + counted;
  return counted * (1 - badShare / 0.1) + promised;
}

/** Ways to write CSV, the usual first. */
function candidates(bytes: Uint8Array, given: GivenDialect): readonly CsvMarks[] {
  const delimiters = given.delimiter === undefined ? delimitersToTry(bytes) : [given.delimiter];
  const quotings = quotingsOf(given);
  return quotings.flatMap((quoting) => delimiters.map((delimiter) => ({ delimiter, ...quoting })));
}

/** With delimiters that are not there everything is one cell, so that one of them stands for all. */
function delimitersToTry(bytes: Uint8Array): readonly string[] {
  const isThere = (delimiter: string) => bytes.includes(delimiter.charCodeAt(0));
  const absent = DELIMITERS.find((delimiter) => !isThere(delimiter));
  // A name may promise tabs.
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

function tryMarks(
  bytes: Uint8Array,
  marks: CsvMarks,
  hints: CsvHints,
  given: GivenDialect & { readonly usual?: number },
): Trial {
  const records: (readonly number[])[] = [];
  let bad = 0;
  let quotedCells = 0;
  let spacedCells = 0;
  let p = skipToRecord(bytes, startsWithMark(bytes) ? 3 : 0, marks);
  while (p < bytes.length && records.length < TRIAL_RECORDS) {
    const bounds: number[] = [];
    const { ending, next } = walkRecord(bytes, p, marks, "cellStart", bounds);
    // A record that the end of the head cuts does not count, unless it is the only one.
    const isCut = ending === "cut" || ending === "open";
    if (isCut && hints.complete !== true && records.length > 0) break;
    const isMalformed = ending === "malformed" || ending === "open";
    const record = isMalformed ? [] : bounds;
    const expected = given.columns?.length ?? given.usual ?? cellsIn(records[0] ?? record);
    const isBad = isMalformed || cellsIn(record) !== expected || hasTornCell(bytes, record);
    if (isBad) bad++;
    else {
      quotedCells += countQuoted(bytes, bounds, marks);
      spacedCells += bounds.filter(
        (at, index) => index % 2 === 0 && index > 0 && bytes[at] === 0x20,
      ).length;
    }
    records.push(record);
    p = isMalformed ? skipLine(bytes, p, marks) : skipToRecord(bytes, next, marks);
  }
  const cells = given.columns?.length ?? given.usual ?? cellsIn(records[0] ?? []);
  const badShare = bad / Math.max(1, records.length);
  return { marks, records, cells, badShare, quotedCells, spacedCells };
}

function cellsIn(bounds: readonly number[]): number {
  return bounds.length / 2;
}

const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** A cell with more braces of one kind than of the other is a piece of a JSON object. */
function hasTornCell(bytes: Uint8Array, bounds: readonly number[]): boolean {
  for (let index = 0; index < bounds.length; index += 2) {
    let open = 0;
    for (let p = bounds[index]!; p < bounds[index + 1]!; p++) {
      const byte = bytes[p];
      if (byte === OPENING_BRACE) open++;
      else if (byte === CLOSING_BRACE) open--;
    }
    if (open !== 0) return true;
  }
  return false;
}

function countQuoted(bytes: Uint8Array, bounds: readonly number[], { quote }: CsvMarks): number {
  if (quote === "") return 0;
  const code = quote.charCodeAt(0);
  return bounds.filter((start, index) => index % 2 === 0 && bytes[start] === code).length;
}

function textsOf(bytes: Uint8Array, { records, marks }: Trial): string[][] {
  return records.map((bounds) => cellsOf(bytes, bounds, marks));
}

function cellsOf(bytes: Uint8Array, bounds: readonly number[], marks: CsvMarks): string[] {
  const cells: string[] = [];
  for (let index = 0; index + 1 < bounds.length; index += 2) {
    const text = decoder.decode(bytes.subarray(bounds[index], bounds[index + 1]));
    cells.push(unquote(text, marks));
  }
  return cells;
}

function unquote(text: string, { quote, escape: escaper = quote }: CsvMarks): string {
  if (quote === "" || !text.startsWith(quote)) return text;
  const inside = text.slice(1, -1);
  let plain = "";
  for (let index = 0; index < inside.length; index++) {
    const next = inside[index + 1];
    const isEscape = inside[index] === escaper && (next === quote || next === escaper);
    if (isEscape) index++;
    plain += inside[index];
  }
  return plain;
}

function nameColumns(
  records: readonly (readonly string[])[],
  cells: number,
  given: GivenDialect,
): Pick<CsvDialect, "columns" | "header"> {
  const [first = [], ...rows] = records;
  const names = first.map((name) => name.trim());
  if (given.columns !== undefined) {
    const isRepeated = given.columns.every((name, index) => names[index] === name);
    return { columns: given.columns, header: given.header ?? isRepeated };
  }
  const header = given.header ?? (records.length === 0 || looksLikeHeader(names, rows));
  if (header) return { columns: names, header };
  return { columns: Array.from({ length: cells }, (_, index) => `column_${index + 1}`), header };
}

function startsWithMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/** JSON begins with a brace, or with a bracket and a value; a column's name does neither. */
function looksLikeJson(bytes: Uint8Array): boolean {
  const text = decoder.decode(bytes.subarray(startsWithMark(bytes) ? 3 : 0, 1_000)).trimStart();
  return text.startsWith("{") || /^\[\s*($|[[\]{"\d-]|(true|false|null)\b)/.test(text);
}

const decoder = new TextDecoder();

/** Names of columns in the exports of analytics tools and their warehouses, without case. */
const TYPICAL_NAMES = new Set([
  "event",
  "event_type",
  "event_name",
  "event_id",
  "event_properties",
  "event_time",
  "uuid",
  "name",
  "type",
  "time",
  "timestamp",
  "ts",
  "date",
  "datetime",
  "created_at",
  "received_at",
  "event_timestamp",
  "server_upload_time",
  "derived_tstamp",
  "collector_tstamp",
  "id",
  "user",
  "user_id",
  "userid",
  "user_properties",
  "distinct_id",
  "device_id",
  "deviceid",
  "anonymous_id",
  "anonymousid",
  "stableid",
  "session_id",
  "user_pseudo_id",
  "properties",
  "person_properties",
  "metadata",
  "value",
  "platform",
  "country",
  "city",
  "insert_id",
  "domain_userid",
  "message_id",
  "messageid",
  "amplitude_id",
  "$insert_id",
  "email",
]);

/** A longer cell is not a name, in characters. */
const NAME_LENGTH_MAX = 128;

/** A number, a date or time, a UUID, a truth value or JSON. */
const VALUE =
  /^([-+]?[\d.,]+(e[-+]?\d+)?|\d{4}-\d\d-\d\d.*|\d{1,2}[./]\d{1,2}[./]\d{2,4}.*|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|true|false|null|[{[].*[}\]])$/is;

/**
 * Returns whether the first record is a header: two typical names are enough; else all cells must
 * look like names, most filled and distinct.
 */
function looksLikeHeader(cells: readonly string[], rows: readonly (readonly string[])[]): boolean {
  const typical = cells.filter((cell) => TYPICAL_NAMES.has(cell.toLowerCase()));
  if (typical.length >= Math.min(2, cells.length)) return true;
  if (cells.some((cell) => cell.length > NAME_LENGTH_MAX || VALUE.test(cell))) return false;
  const names = cells.filter((cell) => cell !== "");
  if (names.length * 2 < cells.length) return false;
  if (new Set(names).size * 2 <= names.length) return false;
  // A cell that repeats in its column is a value.
  const repeated = cells.filter(
    (cell, index) => cell !== "" && rows.some((row) => row[index] === cell),
  );
  return repeated.length === 0;
}

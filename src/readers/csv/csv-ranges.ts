import { KIB, MIB } from "../../base/limits.js";
import type { ByteSource } from "../byte-source.js";
import type { CsvDialect, Source, SourceRange } from "../source.js";
import {
  type CsvMarks,
  type RecordState,
  recordStates,
  skipLine,
  skipLineEnds,
  walkRecord,
} from "./record-walk.js";

/** Bytes that are looked at behind a place where a source might be cut, until they decide. */
const PROBE_BYTES = [256 * KIB, MIB, 4 * MIB] as const;

/** Well-formed records in a row that make a way of reading believable. */
const RUN_RECORDS = 32;

/** A record of a trial reading. */
interface TrialRecord {
  readonly start: number;
  /** Whether it is well-formed and has the right number of cells. */
  readonly good: boolean;
}

/** Bytes of a source from the place on that is looked at. */
interface Probe {
  readonly bytes: Uint8Array;
  /** Whether the source ends with them. */
  readonly final: boolean;
}

/**
 * Cuts a plain UTF-8 source into ranges of about `splitBytes` that begin at records; any other
 * source is one range. Whether a place lies inside quotes cannot be known without reading all before
 * it. So each place is read in every way that is possible, and the source is cut there only if all
 * ways that give a run of good records agree on a record's beginning; else the range grows on.
 * The reader proves it again: it throws `csv_split_misaligned` if a record reaches over a range's end.
 *
 * Throws `SourceError` where the source cannot be read.
 */
export async function planCsvRanges(
  source: Source,
  openBytes: (source: Source, start: number) => Promise<ByteSource>,
  splitBytes: number,
): Promise<readonly SourceRange[]> {
  const { format, codecs, entry, size } = source;
  if (format.kind !== "csv") throw new Error(`not a CSV source: ${source.name}`);
  const cuts: number[] = [];
  if (codecs.length === 0 && entry === undefined && format.encoding === "utf-8") {
    for (let target = splitBytes; target < size; target += splitBytes) {
      const last = cuts.at(-1) ?? 0;
      if (target <= last) continue;
      const cut = await findCut(source, openBytes, target, format);
      if (cut !== undefined && cut > last && cut < size) cuts.push(cut);
    }
  }
  return [0, ...cuts].map((start, index) => ({ source, start, end: cuts[index] ?? null }));
}

async function findCut(
  source: Source,
  openBytes: (source: Source, start: number) => Promise<ByteSource>,
  offset: number,
  dialect: CsvDialect,
): Promise<number | undefined> {
  const bytes = await openBytes(source, offset);
  try {
    let probe: Probe = { bytes: new Uint8Array(), final: false };
    for (const size of PROBE_BYTES) {
      probe = await extend(probe, bytes, size);
      const cut = agreeOnRecord(probe.bytes, probe.final, dialect);
      if (cut !== undefined) return offset + cut;
      if (probe.final) return undefined;
    }
    return undefined;
  } finally {
    await bytes.close();
  }
}

async function extend(probe: Probe, source: ByteSource, size: number): Promise<Probe> {
  const bytes = new Uint8Array(size);
  bytes.set(probe.bytes);
  let length = probe.bytes.length;
  while (length < size) {
    const read = await source.read(bytes.subarray(length));
    if (read === 0) return { bytes: bytes.subarray(0, length), final: true };
    length += read;
  }
  return { bytes, final: false };
}

/**
 * The place of a record's beginning in `bytes` that every believable way of reading them has in
 * common; undefined where there is none. `final` says that the source ends with the bytes.
 */
export function agreeOnRecord(
  bytes: Uint8Array,
  final: boolean,
  dialect: CsvDialect,
): number | undefined {
  const trials = possibleStates(dialect).map((state) => readTrial(bytes, final, dialect, state));
  const runs = trials.map((trial) => ({ trial, start: findRun(trial, final) }));
  const believable = runs.filter(({ start }) => start !== undefined);
  if (believable.length === 0) return undefined;
  const latest = Math.max(...believable.map(({ start }) => start ?? 0));
  const agreed = believable.every(({ trial }) =>
    trial.records.some(({ start }) => start === latest),
  );
  return agreed ? latest : undefined;
}

function possibleStates(marks: CsvMarks): readonly RecordState[] {
  if (marks.quote === "") return ["unquoted"];
  return recordStates.filter((state) => state !== "afterEscape" || marks.escape !== undefined);
}

interface Trial {
  readonly records: readonly TrialRecord[];
  /** Whether the records reach to the end of the bytes, with nothing left over. */
  readonly complete: boolean;
}

/**
 * The records after the one that `bytes` begin in, if they begin in `state`. None if they cannot:
 * a reader would not have come there in that state, had the record been malformed.
 */
function readTrial(
  bytes: Uint8Array,
  final: boolean,
  dialect: CsvDialect,
  state: RecordState,
): Trial {
  const records: TrialRecord[] = [];
  const first = walkRecord(bytes, 0, dialect, state);
  if (first.ending !== "line") return { records, complete: false };
  let p = skipLineEnds(bytes, first.next);
  let goodInARow = 0;
  while (p < bytes.length && goodInARow < RUN_RECORDS) {
    const { ending, next, cells } = walkRecord(bytes, p, dialect);
    const isWhole = ending === "line" || (ending === "cut" && final);
    if (!isWhole && ending !== "malformed" && !final) return { records, complete: false };
    const good = isWhole && cells === dialect.columns.length;
    records.push({ start: p, good });
    goodInARow = good ? goodInARow + 1 : 0;
    // As the reader does: a malformed record ends with its first line.
    p = isWhole ? skipLineEnds(bytes, next) : skipLine(bytes, p);
  }
  return { records, complete: p >= bytes.length };
}

/** Where the run of good records at a trial's end begins, if it is long enough to be believed. */
function findRun({ records, complete }: Trial, final: boolean): number | undefined {
  let first = records.length;
  while (first > 0 && records[first - 1]?.good === true) first--;
  const length = records.length - first;
  const isEnough = length >= RUN_RECORDS || (final && complete && length > 0);
  return isEnough ? records[first]?.start : undefined;
}

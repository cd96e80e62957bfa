import { KIB, MIB } from "../../base/limits.js";
import type { ByteSource } from "../../sources/byte-source.js";
import {
  type CsvDialect,
  MIXED_ENCODING,
  type Source,
  type SourceRange,
} from "../../sources/source.js";
import { isParsed } from "./csv-dialects.js";
import { possibleStates, RecordWalker, skipLine, skipToRecord } from "./record-walk.js";

/** Bytes to read after a possible cut, in steps until they decide. */
const PROBE_BYTES = [256 * KIB, MIB, 4 * MIB] as const;

/** Good records in sequence that make a trial plausible. */
const RUN_RECORDS = 32;

/** A record of a trial reading. */
interface TrialRecord {
  readonly start: number;
  /** Well-formed, with the right number of cells. */
  readonly good: boolean;
}

/** Bytes of a source from a possible cut on. */
interface Probe {
  readonly bytes: Uint8Array;
  /** The source ends with them. */
  readonly final: boolean;
}

/**
 * Cuts a plain UTF-8 source into ranges of about `splitBytes` that begin at records; any other
 * source is one range. Only all earlier bytes tell whether a position is inside quotes, so each
 * position is read from every possible state. The source is cut there only if all trials with a run
 * of good records agree on the start of a record; else the range grows. The reader checks this
 * again: it throws `csv_split_misaligned` if a record crosses the end of a range.
 *
 * Throws `SourceError` if the source cannot be read.
 */
export async function planCsvRanges(
  source: Source,
  openBytes: (source: Source, start: number) => Promise<ByteSource>,
  splitBytes: number,
): Promise<readonly SourceRange[]> {
  const { format, codecs, entry, size } = source;
  if (format.kind !== "csv") throw new Error(`not a CSV source: ${source.name}`);
  const cuts: number[] = [];
  const isPlain = codecs.length === 0 && entry === undefined;
  const isCut = format.encoding === "utf-8" || format.encoding === MIXED_ENCODING;
  if (isPlain && isCut && !isParsed(format)) {
    for (let target = splitBytes; target < size; target += splitBytes) {
      const last = cuts.at(-1) ?? 0;
      if (target <= last) continue;
      const cut = await findCut(source, openBytes, target, format);
      if (cut !== undefined && cut > last && cut < size) cuts.push(cut);
    }
  }
  return [0, ...cuts].map((start, index) => ({ source, start, end: cuts[index] ?? null }));
}

/**
 * Returns the records of a piece of a plain UTF-8 source: those from the cut of its start up to the one of
 * the next piece. A piece without a cut belongs to the one before it; then returns undefined, as for one
 * without a record. Throws `SourceError` if the source cannot be read.
 */
export async function cutCsvPiece(
  source: Source,
  openBytes: (source: Source, start: number) => Promise<ByteSource>,
  { index, bytes }: { readonly index: number; readonly bytes: number },
): Promise<SourceRange | undefined> {
  const { format, size } = source;
  if (format.kind !== "csv") throw new Error(`not a CSV source: ${source.name}`);
  const cutOf = async (piece: number) =>
    piece === 0 ? 0 : findCut(source, openBytes, piece * bytes, format);
  const start = await cutOf(index);
  if (start === undefined) return undefined;
  for (let next = index + 1; next * bytes < size; next++) {
    const end = await cutOf(next);
    if (end !== undefined && end < size) return end > start ? { source, start, end } : undefined;
  }
  return { source, start, end: null };
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
 * Finds the start of a record in `bytes` that all plausible trials share; undefined if there is
 * none. `final`: the source ends with the bytes.
 */
export function agreeOnRecord(
  bytes: Uint8Array,
  final: boolean,
  dialect: CsvDialect,
): number | undefined {
  const trials = possibleStates(dialect).map((state) => readTrial(bytes, final, dialect, state));
  const runs = trials.map((trial) => ({ trial, start: findRun(trial, final) }));
  const plausible = runs.filter(({ start }) => start !== undefined);
  if (plausible.length === 0) return undefined;
  const latest = Math.max(...plausible.map(({ start }) => start ?? 0));
  const agreed = plausible.every(({ trial }) =>
    trial.records.some(({ start }) => start === latest),
  );
  return agreed ? latest : undefined;
}

interface RangeTrial {
  readonly records: readonly TrialRecord[];
  /** The last record ends where the bytes end. */
  readonly complete: boolean;
}

/**
 * Reads the records after the one that `bytes` begin in, if they begin in `state`. Returns none if
 * that record is malformed: a reader would not be in that state there.
 */
function readTrial(
  bytes: Uint8Array,
  final: boolean,
  dialect: CsvDialect,
  state: number,
): RangeTrial {
  const records: TrialRecord[] = [];
  const walker = new RecordWalker(bytes, dialect);
  const first = walker.walk(0, state);
  if (first.ending !== "line") return { records, complete: false };
  let p = skipToRecord(bytes, first.next, dialect);
  let goodInARow = 0;
  while (p < bytes.length && goodInARow < RUN_RECORDS) {
    const { ending, next } = walker.walk(p);
    const isWhole = ending === "line" || (ending === "cut" && final);
    if (!isWhole && ending !== "malformed" && !final) return { records, complete: false };
    const good = isWhole && walker.cells === dialect.columns.length;
    records.push({ start: p, good });
    goodInARow = good ? goodInARow + 1 : 0;
    // A malformed record ends with its first line, as in the reader.
    p = isWhole ? skipToRecord(bytes, next, dialect) : skipLine(bytes, p, dialect);
  }
  return { records, complete: p >= bytes.length };
}

/**
 * Returns the start of the good records at the end of a trial if they are enough to be plausible.
 */
function findRun({ records, complete }: RangeTrial, final: boolean): number | undefined {
  let first = records.length;
  while (first > 0 && records[first - 1]?.good === true) first--;
  const length = records.length - first;
  const isEnough = length >= RUN_RECORDS || (final && complete && length > 0);
  return isEnough ? records[first]?.start : undefined;
}

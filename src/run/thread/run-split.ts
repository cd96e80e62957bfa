import { createHash } from "node:crypto";
import { SourceError, SwitchyardError } from "../../base/errors.js";
import { omitUndefined } from "../../base/omit-undefined.js";
import { type Naming, nameOptions, option } from "../../base/option-text.js";
import { isStorageFull, toOutputError } from "../../base/output-error.js";
import { foldNumbers } from "../../base/sum.js";
import type { Kernel } from "../../batch/kernel.js";
import type { KeyMatcher } from "../../dedupe/key-matcher.js";
import type { Duplicates, SplitDuplicates } from "../../dedupe/split-duplicates.js";
import type { ObjectsAhead } from "../../formats/objects-ahead.js";
import type { SplitRecord } from "../../ledger/ledger-records.js";
import type { MisplacedCommas, SourceFailure } from "../../ledger/manifest.js";
import { checkAccounts, foldCommas } from "../../ledger/split-accounts.js";
import type { Mapper } from "../../mapper/mapper.js";
import type { Split } from "../../plan/plan.js";
import type { EventCounter } from "../../profile/event-counts.js";
import type { OpenReader, Reader } from "../../readers/reader.js";
import type { Origin, Sink, SplitSink } from "../../sinks/sink.js";
import { contentOf } from "../../sources/fingerprint.js";
import type { ReaderOptions, SoundBytes } from "../../sources/read-options.js";
import type { SourceRange } from "../../sources/source.js";
import { placeOf } from "./reject-counts.js";
import type { MergeTools } from "./run-merge.js";
import type { OpenRejects } from "./split-rejects.js";
import { FieldValueTally, SplitTally } from "./split-tally.js";
import type { ThreadCounters } from "./thread-counters.js";
import { type CommitTools, WrittenSplit } from "./written-split.js";

type SourceDigest = NonNullable<SplitRecord["digests"]>[number];

/** The tools of a worker, made once for all splits. */
export interface SplitTools extends CommitTools, MergeTools {
  readonly kernel: Kernel;
  readonly mapper: Mapper;
  readonly sink: Sink;
  /** Marks duplicates; absent without `dedupe`. */
  readonly duplicates?: Duplicates;
  /** Compares keys; only in workers that read them. */
  readonly matcher?: KeyMatcher;
  /** Counts events by name; absent if the run does not need the counts. */
  readonly eventCounts?: EventCounter;
  readonly openRejects: OpenRejects;
  readonly open: OpenReader;
  readonly readerOptions: ReaderOptions;
  readonly ahead: ObjectsAhead;
  /** Removes rows that are found altered after they were read, which the sink must support. */
  readonly leavesOutAltered: boolean;
  /** How the messages of failures name options. */
  readonly naming?: Naming;
  readonly counters: ThreadCounters;
  /** Called between batches. Throws when the run is stopped, and lets other work of the thread proceed. */
  checkpoint(): Promise<void>;
}

export interface SplitTask {
  readonly split: Split;
  /** Indexes of ranges that are skipped because reading them killed a worker. */
  readonly skipped: Readonly<Record<number, SourceFailure>>;
  /** The split that this worker will probably read next, if its objects can be requested early. */
  readonly next?: Split;
}

/**
 * An unexpected error of a reader. The state of the thread is then unknown: the thread must end,
 * and the source counts as failed.
 */
export class ReaderCrash extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = "ReaderCrash";
  }
}

/**
 * By index of a range, its number of intact bytes, if later bytes were found altered after they were read.
 */
type SoundRanges = Map<number, SoundBytes>;

/**
 * Runs one split through reader, mapper and sink until only the commit is left. The tools are then
 * free for the next split. A source that fails makes the record `incomplete`; on any other error it
 * discards what was written and throws. A checksum follows its rows: if it does not match, the
 * split is discarded and read again without the altered rows.
 */
export async function runSplit(task: SplitTask, tools: SplitTools): Promise<WrittenSplit> {
  const sound: SoundRanges = new Map();
  const written = await writeSplit(task, sound, tools);
  if (sound.size === 0) return written;
  await written.abort();
  return writeSplit(task, sound, tools);
}

/**
 * Reads and writes a split; ranges in `sound` only up to their limit. Adds ranges that are found
 * altered to `sound`.
 */
async function writeSplit(
  task: SplitTask,
  sound: SoundRanges,
  tools: SplitTools,
): Promise<WrittenSplit> {
  const { split, skipped } = task;
  const noticesBefore = { ...tools.mapper.notices };
  // A split that was given up may have left some.
  tools.mapper.takeRenames();
  const rejects = tools.openRejects(split.id);
  const duplicates = await tools.duplicates?.open(split);
  const tally = new SplitTally(rejects, tools.eventCounts, duplicates !== undefined);
  const fieldValues = new FieldValueTally(tools.mapper.groups);
  const failures: SourceFailure[] = [];
  const commas: MisplacedCommas[] = [];
  const readerNotices: Readonly<Record<string, number>>[] = [];
  const digests: SourceDigest[] = [];
  const sink = tools.sink.openSplit(split.id);
  const found = { commas, readerNotices, digests, sound };
  const flow: Flow = { sink, tally, fieldValues, duplicates, found };
  tools.ahead.begin([...split.ranges, ...(task.next?.ranges ?? [])]);
  let written: Pick<SplitSink, "abort"> = sink;
  try {
    let bytesBefore = 0;
    for (const [index, range] of split.ranges.entries()) {
      const result = skipped[index] ?? (await readRange(index, range, bytesBefore, flow, tools));
      fieldValues.endRange(range.source.name);
      if (typeof result === "number") bytesBefore += result;
      else failures.push({ ...result, message: nameOptions(result.message, tools.naming) });
    }
    tools.counters.range = -1;
    const events = await sink.finish();
    written = events;
    duplicates?.finish();
    // After the sink, because only the sink knows which rows its destination has refused.
    const rows = tally.rows();
    checkAccounts(split.id, rows, events.rows);
    const record = {
      id: split.id,
      status: failures.length === 0 ? ("complete" as const) : ("incomplete" as const),
      failures,
      rows,
      notices: since(noticesBefore, foldNumbers([tools.mapper.notices, ...readerNotices])),
      fieldValues: fieldValues.values(),
      ...(duplicates === undefined || duplicates.digest === ""
        ? {}
        : { duplicates: { list: duplicates.digest } }),
      ...omitUndefined({ misplacedCommas: foldCommas(commas) }),
      ...(digests.length === 0 ? {} : { digests }),
    };
    const counted = tools.eventCounts?.events();
    const renames = tools.mapper.takeRenames();
    return new WrittenSplit({ events, rejects, duplicates, counted, renames, record }, tools);
  } catch (error) {
    // The sink may still report refused rows while it aborts.
    await written.abort();
    rejects.abort();
    throw toOutputError(tools.layout.outputDirectory, error);
  }
}

const DELIVERED =
  "Rows from that position on were already delivered: compare them with the repaired file.";
const LEFT_OUT = `Their rows are left out; ${option("damaged")} keep delivers them.`;

interface Flow {
  readonly sink: SplitSink;
  readonly tally: SplitTally;
  readonly fieldValues: FieldValueTally;
  readonly duplicates: SplitDuplicates | undefined;
  readonly found: FoundRows;
}

/** Facts of the ranges so far. */
interface FoundRows {
  readonly commas: MisplacedCommas[];
  readonly readerNotices: Readonly<Record<string, number>>[];
  readonly digests: SourceDigest[];
  readonly sound: SoundRanges;
}

/**
 * Returns the bytes on disk of the range, or why its source failed. `bytesBefore`: those of the earlier
 * ranges of the split.
 */
async function readRange(
  index: number,
  range: SourceRange,
  bytesBefore: number,
  { sink, tally, fieldValues, duplicates, found }: Flow,
  tools: SplitTools,
): Promise<number | SourceFailure> {
  const { kernel, mapper, counters } = tools;
  const { signal } = tools.readerOptions;
  let { source } = range;
  const { name } = source;
  const origin: Origin = {
    get fingerprint() {
      return fingerprintOf(range);
    },
    keep: (events, row) => tally.keep(source, events, row),
    place: (events, row) => placeOf(source, events, row),
  };
  let reader: Reader | undefined;
  counters.range = index;
  duplicates?.begin(index);
  let bytesDone = bytesBefore;
  const rowsBefore = tally.read;
  try {
    const fetched = await guard(signal, () => tools.ahead.take(index));
    const more = omitUndefined({ sound: found.sound.get(index), fetched });
    const readerOptions = { ...tools.readerOptions, ...more };
    reader = await guard(signal, () => tools.open(kernel, range, mapper.fields, readerOptions));
    source = reader.source ?? source;
    for (;;) {
      await tools.checkpoint();
      const batch = await guard(signal, () => (reader as Reader).next());
      if (batch === null) break;
      fieldValues.take(batch);
      const events = mapper.map(batch);
      duplicates?.mark(events, origin);
      const deliverable = tally.take(source, events);
      const bytes = bytesBefore + reader.consumed;
      counters.begin(batch.rows, bytes - bytesDone, deliverable);
      await sink.write(events, origin);
      bytesDone = bytes;
      counters.set(tally.read, tally.rejected, bytesDone);
    }
    if (reader.digest !== undefined) found.digests.push({ source: name, ...reader.digest() });
    return duplicates?.endRange() ?? reader.consumed;
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const { code, alteredFrom } = error;
    const message = error.toText();
    if (alteredFrom === undefined) return { source: name, code, message };
    const hasRows = tally.read > rowsBefore;
    if (!tools.leavesOutAltered)
      return { source: name, code, message: hasRows ? `${message} ${DELIVERED}` : message };
    // Rows that were read from altered bytes are discarded.
    if (hasRows && !found.sound.has(index)) found.sound.set(index, { bytes: alteredFrom, error });
    return { source: name, code, message: `${message} ${LEFT_OUT}` };
  } finally {
    if (reader?.misplacedCommas !== undefined) {
      found.commas.push({ ...reader.misplacedCommas, sources: 1, source: name });
    }
    if (reader?.notices !== undefined) found.readerNotices.push({ ...reader.notices });
    await reader?.close();
  }
}

async function guard<T>(signal: AbortSignal, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    // Deliberate errors are expected; a full disk is not the fault of the source.
    if (error instanceof SwitchyardError || isStorageFull(error) || signal.aborted) throw error;
    throw new ReaderCrash(error);
  }
}

/** Includes the name: otherwise the events of a copy would count as already known. */
function fingerprintOf({ source, start, end, first }: SourceRange): string {
  const facts = [source.name, contentOf(source.fingerprint), start, end];
  const all = first === undefined ? facts : [...facts, first.rows];
  return createHash("sha256").update(JSON.stringify(all)).digest("hex");
}

function since(
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const changes = Object.entries(after)
    .map(([name, count]) => [name, count - (before[name] ?? 0)] as const)
    .filter(([, count]) => count !== 0);
  return Object.fromEntries(changes.sort(([a], [b]) => (a < b ? -1 : 1)));
}

import { rm } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import type { RecordBatch, TypeMap } from "apache-arrow";
import {
  exitCodes,
  SourceError,
  SwitchyardError,
  throwIfInterrupted,
  UsageError,
} from "../base/errors.js";
import { rejectCodeName } from "../base/reject-codes.js";
import { makeTemporaryDirectory } from "../base/temporary-directory.js";
import type { RowOrigin } from "../batch/batch.js";
import { Kernel } from "../batch/kernel.js";
import { createMapper } from "../mapper/create-mapper.js";
import type { Mapper } from "../mapper/mapper.js";
import { resolveColumns } from "../options/columns-option.js";
import type { RunOptions } from "../options/options.js";
import { resolveRunOptions, valuesOf } from "../options/run-options.js";
import type { Reader } from "../readers/reader.js";
import { exceeds } from "../run/run.js";
import { discover } from "../run/run-inputs.js";
import { openMapperOptions } from "../run/run-setup.js";
import { openSources } from "../run/run-tools.js";
import { RejectCounts } from "../run/thread/reject-counts.js";
import { SplitTally } from "../run/thread/split-tally.js";
import type { EventColumns, RowBatches } from "../sinks/arrow/record-batches.js";
import type { Source, SourceRange } from "../sources/source.js";
import { checkOptions, configurationOf, inNames, requireOptions } from "./library-configuration.js";
import type { ReadEventsOptions } from "./library-options.js";
import type { FailedSource, RejectedRow, RejectSummary, RowCounts } from "./results.js";

/** The batches of `readEvents`, and counts of what was read so far. */
export interface EventBatches<Columns extends TypeMap = EventColumns>
  extends AsyncIterable<RecordBatch<Columns>> {
  readonly rows: RowCounts;
  readonly rejects: readonly RejectSummary[];
}

/**
 * Reads inputs and maps them to events, as Arrow record batches of up to 4 MiB of text, in the
 * order of the sources and their rows. Reading begins with the iteration and stays at most a few
 * batches ahead of it; leaving the loop early closes all files. It runs in the calling thread. The
 * iteration throws `UsageError` for options that are not valid; the error of a source that fails,
 * unless there is `onFailure`; and `SwitchyardError` (`rejects_exceeded`) at its end if more rows
 * were rejected than `maxRejects` allows, unless there is `onReject`. Iterate only once.
 */
export function readEvents(
  inputs: string | readonly string[],
  options?: ReadEventsOptions & {
    readonly columns?: undefined;
    readonly insertId?: undefined;
  },
): EventBatches;
export function readEvents(
  inputs: string | readonly string[],
  options: ReadEventsOptions,
): EventBatches<TypeMap>;
export function readEvents(
  inputs: string | readonly string[],
  options: ReadEventsOptions = {},
): EventBatches | EventBatches<TypeMap> {
  // Programs without types may pass anything; the iteration says so.
  const { signal = new AbortController().signal, onReject } = { ...options };
  const rejects = new ReportedRejects(onReject);
  const tally = new SplitTally(rejects, undefined);
  return {
    [Symbol.asyncIterator]: () => readAll(inputs, options, { tally, rejects, signal }),
    get rows() {
      return tally.rows();
    },
    get rejects() {
      return rejects.summary();
    },
  };
}

interface EventReading {
  readonly tally: SplitTally;
  readonly rejects: ReportedRejects;
  readonly signal: AbortSignal;
}

async function* readAll(
  ...given: Parameters<typeof readSources>
): AsyncGenerator<RecordBatch, void, undefined> {
  try {
    yield* readSources(...given);
  } catch (error) {
    throw inNames(error);
  }
}

async function* readSources(
  inputs: string | readonly string[],
  options: ReadEventsOptions,
  reading: EventReading,
): AsyncGenerator<RecordBatch, void, undefined> {
  checkOptions(options);
  const configuration = await configurationOf({ ...options, inputs }, ["export"]);
  requireOptions(configuration, ["inputs"]);
  const resolved = resolveRunOptions(configuration);
  if (resolved.dedupe !== undefined) {
    throw new UsageError(
      "dedupe_useless",
      "readEvents reads inputs once and cannot remove repeated events: use exportEvents with dedupe, or leave dedupe out.",
    );
  }
  const { signal, tally } = reading;
  throwIfInterrupted(signal);
  const temporaryDirectory = await makeTemporaryDirectory("switchyard-read");
  const run: RunOptions = { ...resolved, threads: 1, outputDirectory: temporaryDirectory };
  let opened: Awaited<ReturnType<typeof openMapperOptions>> | undefined;
  try {
    const { sources, failures } = await discover(run, signal);
    for (const { name, code, message } of failures) {
      const failure = { source: name, code, message };
      report(options, failure, new SwitchyardError(code, message));
    }
    const kernel = new Kernel();
    const rowsOptions = resolveColumns(valuesOf(configuration), run.mapping);
    const { withInsertID, types = {} } = rowsOptions;
    opened = await openMapperOptions(run, signal);
    const mapper = createMapper(kernel, { ...opened.mapper, types, withInsertID });
    // Loaded here, because programs that only export do not need the Arrow library.
    const arrow = await import("../sinks/arrow/record-batches.js");
    const rows = new arrow.RowBatches(kernel, rowsOptions);
    const { rowBytesMax, ratioMax, s3 } = run;
    const open = openSources(run);
    const pauses = new Pauses();
    const readerOptions = { rowBytesMax, ratioMax, s3, temporaryDirectory, signal };
    for (const source of sources) {
      const range = firstOf({ source, start: 0, end: null }, run.limit, tally.read);
      if (range === undefined) break;
      try {
        const reader = await open(kernel, range, mapper.fields, readerOptions);
        yield* readSource(source, reader, { mapper, rows, tally, signal, pauses });
      } catch (error) {
        if (!(error instanceof SourceError)) throw error;
        // Rows before the fault are events.
        yield* rows.flush();
        const failure = withWarning(error);
        const message = failure.toText("names");
        report(options, { source: source.name, code: failure.code, message }, failure);
      }
    }
    yield* rows.flush();
    const { onReject } = options;
    if (onReject === undefined && exceeds(tally.rows(), run.maxRejects)) {
      throw tooManyRejects(reading.rejects.summary());
    }
  } finally {
    await opened?.close();
    await rm(temporaryDirectory, { recursive: true, force: true });
  }
}

/** Returns what is left to read of a range; undefined if the limit is reached. */
function firstOf(range: SourceRange, limit: number | undefined, read: number) {
  if (limit === undefined) return range;
  const first = { rows: limit - read, bytes: range.source.size };
  return first.rows > 0 ? { ...range, first } : undefined;
}

/** Extends an error of damage that only a checksum found: earlier batches may hold altered events. */
function withWarning(error: SourceError): SourceError {
  const { code, position, alteredFrom } = error;
  if (alteredFrom === undefined) return error;
  const reason = `${error.toReason()} Events from that position on were already delivered: discard the events of this source.`;
  return new SourceError(code, position, reason, { cause: error, alteredFrom });
}

async function* readSource(
  source: Source,
  reader: Reader,
  {
    mapper,
    rows,
    tally,
    signal,
    pauses,
  }: Pick<EventReading, "tally" | "signal"> & {
    readonly mapper: Mapper;
    readonly rows: RowBatches;
    readonly pauses: Pauses;
  },
): AsyncGenerator<RecordBatch, void, undefined> {
  try {
    for (;;) {
      signal.throwIfAborted();
      const batch = await reader.next();
      if (batch === null) return;
      const events = mapper.map(batch);
      tally.take(source, events);
      for (const made of rows.add(events)) {
        yield made;
        pauses.isDue = true;
      }
      await pauses.next();
    }
  } finally {
    await reader.close();
  }
}

/** Other work of the thread waits up to this time, or for one batch of the reader. */
const PAUSE_INTERVAL_MS = 10;

/**
 * Lets other work of the thread run: timers, requests, the abort of a signal. Readers and mappers
 * wait for nothing but promises that are resolved, which would keep the event loop from turning.
 */
class Pauses {
  isDue = false;
  #lastMs = performance.now();

  /** Pauses if a batch was given out, or the last pause is long ago. */
  async next(): Promise<void> {
    if (!this.isDue && performance.now() - this.#lastMs < PAUSE_INTERVAL_MS) return;
    await setImmediate();
    this.isDue = false;
    this.#lastMs = performance.now();
  }
}

/** Counts rejected rows, and hands each to the caller. */
class ReportedRejects extends RejectCounts {
  constructor(private readonly onReject: ReadEventsOptions["onReject"]) {
    super();
  }

  override add(...[source, events, row, code]: Parameters<RejectCounts["add"]>): void {
    if (this.onReject === undefined) super.add(source, events, row, code);
    else this.keep(source, events, row, code)(events.explain(row));
  }

  override count(code: number, origin: RowOrigin, message: string): void {
    super.count(code, origin, message);
    const { format: _, ...position } = origin;
    const rejected: RejectedRow = { ...position, code: rejectCodeName(code), message };
    this.onReject?.(rejected);
  }
}

function report(
  { onFailure }: ReadEventsOptions,
  failure: FailedSource,
  error: SwitchyardError,
): void {
  if (onFailure === undefined) throw error;
  onFailure(failure);
}

function tooManyRejects(rejects: readonly RejectSummary[]): SwitchyardError {
  const reasons = rejects.map(({ code, rows, example }) => {
    const { source, row, message } = example;
    return `${code}: ${rows} rows, such as ${source}${row === undefined ? "" : `, row ${row}`}: ${message}`;
  });
  return new SwitchyardError(
    "rejects_exceeded",
    `More rows were rejected than maxRejects allows. Fix the mapping, set maxRejects, or pass onReject. ${reasons.join("; ")}`,
    { exitCode: exitCodes.tooManyRejects },
  );
}

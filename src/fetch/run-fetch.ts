import { SwitchyardError } from "../base/errors.js";
import { mapBounded } from "../base/map-bounded.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { sum } from "../base/sum.js";
import { checkLines } from "./check-lines.js";
import { FetchError, WindowTooLarge } from "./fetch-error.js";
import type { FetchObserver } from "./fetch-observer.js";
import { lateRows } from "./late-rows.js";
import { recordsIn, windowsToFetch, windowsToRecheck } from "./plan-windows.js";
import type { RequestLimit } from "./request-limit.js";
import { Requests } from "./requests.js";
import type { CheckedFile, Downloaded, FetchTools, Vendor } from "./vendor.js";
import type { LocalFile, WindowFiles, WindowRecord } from "./window-files.js";
import { cutWindow, halfOf, type Window } from "./windows.js";

interface FetchTask {
  readonly vendor: Vendor;
  readonly files: WindowFiles;
  /** The time whose events are to be there at the end. */
  readonly span: Window;
  /** Windows that are there are asked for again from this time on, in ms since 1970. */
  readonly recheckFrom?: number;
  readonly observer: FetchObserver;
}

export interface FetchResult {
  /** The windows of the span that are there, in order. */
  readonly records: readonly WindowRecord[];
  /** Windows that this run has fetched, or found without a record. */
  readonly fetched: number;
  /** Requests that this run has made. */
  readonly requests: number;
  /** Rows that came to windows which were there. */
  readonly lateRows: number;
  /** Windows that the vendor cannot answer for. */
  readonly failed: readonly FetchError[];
}

/** A vendor that does not answer for one window answers for others. */
const isOfWindow = (error: unknown): error is FetchError =>
  error instanceof FetchError &&
  (error.code === "window_too_large" || error.code === "window_files_missing");

/**
 * Fetches the windows of a span that the ledger does not have, several at a time. Each becomes a file that is
 * whole before it has its name, and then a record of the ledger: whenever this is killed, the next run fetches
 * what has no record. Throws `FetchError` for what ends the run, with all finished windows kept.
 */
export async function runFetch(task: FetchTask, tools: FetchTools): Promise<FetchResult> {
  const run = new FetchRun(task, tools);
  return run.run();
}

class FetchRun {
  readonly #records = new Map<number, WindowRecord>();
  /** Names of the files that are there. */
  readonly #names = new Set<string>();
  readonly #failed: FetchError[] = [];
  /** Windows that nobody fetches yet, the earliest last. */
  #queue: Window[] = [];
  /** Jobs of the vendor that a killed run has begun, by the start of their windows. */
  readonly #jobs = new Map<number, { readonly end: number; readonly job: string }>();
  #fetched = 0;
  #lateRows = 0;
  /** Ends when the rows of the last recheck are added. */
  #late: Promise<unknown> = Promise.resolve();
  /** Length of the next window. */
  #lengthMs: number;
  #limit: RequestLimit | undefined;
  /** Grows shorter when the vendor refuses a window of this length. */
  #longestMs: number;

  constructor(
    private readonly task: FetchTask,
    private readonly tools: FetchTools,
  ) {
    this.#longestMs = task.vendor.longestMs;
    this.#lengthMs = task.vendor.firstMs;
  }

  async run(): Promise<FetchResult> {
    const { vendor, files } = this.task;
    await files.clear();
    await this.#resume();
    const requests = new Requests(this.task, this.tools, await files.requestTimes());
    this.#limit = requests.limit;
    const known = this.#inSpan();
    const begun = [...this.#jobs].map(([start, { end }]) => ({ start, end }));
    const missing = windowsToFetch(this.task, known, begun);
    this.#queue = [...missing, ...windowsToRecheck(this.task, known)].reverse();
    const lanes = Array.from({ length: vendor.concurrency }, (_, lane) => lane);
    const stopping = new AbortController();
    const signal = AbortSignal.any([this.tools.signal, stopping.signal]);
    await mapBounded(lanes, lanes.length, () =>
      this.#work(requests, signal).catch((error) => {
        stopping.abort(error);
        throw error;
      }),
    );
    return {
      records: this.#inSpan(),
      fetched: this.#fetched,
      lateRows: this.#lateRows,
      requests: requests.count,
      failed: this.#failed,
    };
  }

  #inSpan(): readonly WindowRecord[] {
    return recordsIn(this.#records.values(), this.task.span);
  }

  /** Takes the records of the ledger, and finishes those of a killed run whose files have their names. */
  async #resume(): Promise<void> {
    const { files } = this.task;
    for (const name of await files.names()) this.#names.add(name);
    for (const { isPending, ...record } of await files.records()) {
      const { job, late, ...rest } = record;
      const { start, end } = rest;
      const isThere = late !== undefined && this.#names.has(late.name);
      const done = { ...rest, files: isThere ? [...rest.files, late] : rest.files };
      const parts = done.files;
      if (isPending !== true) this.#records.set(start, done);
      else if (parts.length > 0 && parts.every(({ name }) => this.#names.has(name)))
        await this.#record(done);
      else if (job !== undefined) this.#jobs.set(start, { end, job });
    }
  }

  async #work(requests: Requests, signal: AbortSignal): Promise<void> {
    for (let window = this.#next(); window !== undefined; window = this.#next()) {
      signal.throwIfAborted();
      try {
        await this.#fetch(window, requests, signal);
      } catch (error) {
        if (!isOfWindow(error)) throw error;
        this.#failed.push(error);
        this.task.observer.note?.(error.message);
      }
    }
  }

  /** Returns the next window, not longer than the vendor is known to answer for. */
  #next(): Window | undefined {
    const window = this.#queue.pop();
    if (window === undefined) return undefined;
    if (this.#jobs.get(window.start)?.end === window.end) return window;
    const isWhole = this.task.vendor.keyOf === undefined && this.#recordAround(window);
    const longest = isWhole ? this.#longestMs : Math.min(this.#lengthMs, this.#longestMs);
    const [next, rest] = cutWindow(window, longest);
    if (rest !== undefined) this.#queue.push(rest);
    return next;
  }

  async #fetch(window: Window, requests: Requests, signal: AbortSignal): Promise<void> {
    const { vendor, files, observer } = this.task;
    const before = this.#recordAround(window);
    const job = this.#jobs.get(window.start)?.job;
    const answer = await requests.download(window, job, signal).catch((error: unknown) => {
      if (error instanceof WindowTooLarge) return "too_large" as const;
      throw error;
    });
    if (answer === "too_large") {
      const length = window.end - window.start;
      if (length <= vendor.unitMs) {
        const why = `${vendor.title} cannot export it: it is too large`;
        throw new FetchError("window_too_large", {
          what: vendor.describe(window),
          why,
          advice: vendor.tooLargeAdvice,
        });
      }
      this.#longestMs = Math.min(this.#longestMs, halfOf(window, vendor.unitMs));
      this.#jobs.delete(window.start);
      observer.note?.(`${vendor.describe(window)}: too large for one request, asked for in halves`);
      this.#queue.push(window);
      return;
    }
    if (before !== undefined) {
      if (answer === undefined) return;
      // Parts of one window may be here at a time, and each adds to its record.
      const turn = this.#late.then(() =>
        this.#addLate(this.#records.get(before.start) ?? before, answer, signal),
      );
      this.#late = turn.catch(() => undefined);
      await turn;
      return;
    }
    const fetched = this.tools.clock.now();
    if (answer === undefined) {
      await this.#record({ ...window, files: [], fetched });
      return;
    }
    const { name, members, rows, bytes, sha256 } = answer;
    if (this.#names.has(name)) throw occupied(name);
    this.#names.add(name);
    const file = { name, bytes, sha256, members, rows };
    // A file without its name has no readers yet; one with its name is never written again.
    const record = { ...window, files: [file], fetched };
    // A job that was paid for is not begun again while the file has no name.
    const { job: done } = answer;
    await files.record({ ...record, ...omitUndefined({ job: done }), isPending: true });
    await files.keep(answer, name);
    await this.#record(record);
  }

  /** Returns the record of a window, or of one that holds it. */
  #recordAround({ start, end }: Window): WindowRecord | undefined {
    return this.#inSpan().find((record) => record.start <= start && record.end >= end);
  }

  /** Adds the rows of an answer that the files of a window do not have as a file of their own. */
  async #addLate(before: WindowRecord, asked: Downloaded, signal: AbortSignal): Promise<void> {
    const { files, vendor } = this.task;
    const { keyOf } = vendor;
    if (keyOf === undefined || before.files.length === 0) {
      await this.#keepLate(before, asked, asked);
      return;
    }
    const names = before.files.map(({ name }) => name);
    const stem = asked.name.slice(0, asked.name.indexOf("."));
    const part = await files.using(names, async (known) => {
      const rows = asked.rows + rowsOf([before]);
      const late = await files.write(lateRows({ known, asked: asked.path, rows, keyOf, signal }));
      return { ...late, checked: await checkLines(late.path, `${stem}_late`, signal) };
    });
    await files.discard(asked);
    if (part === undefined) {
      throw new FetchError("window_files_missing", {
        what: vendor.describe(before),
        why: `one of its files is not there any more: ${names.join(", ")}`,
        advice: "Put them back to compare them with what the vendor has now",
      });
    }
    const { checked, ...stored } = part;
    if (checked === undefined) await files.discard(stored);
    else await this.#keepLate(before, stored, { ...checked, name: this.#freeName(stem) });
  }

  /** Gives a file with later events its name. The record of the window holds at any time. */
  async #keepLate(before: WindowRecord, stored: LocalFile, checked: CheckedFile): Promise<void> {
    const { files, vendor, observer } = this.task;
    const { name, members, rows } = checked;
    const { bytes, sha256 } = stored;
    const late = { name, bytes, sha256, members, rows };
    this.#names.add(name);
    await files.record({ ...before, late });
    await files.keep(stored, name);
    this.#lateRows += rows;
    const text = rows === 1 ? "1 event has" : `${rows} events have`;
    observer.note?.(`${vendor.describe(before)}: ${text} come since`);
    await this.#record({ ...before, files: [...before.files, late] });
  }

  #freeName(stem: string): string {
    for (let number = 1; ; number += 1) {
      const name = `${stem}_late-${number}.jsonl.gz`;
      if (!this.#names.has(name)) return name;
    }
  }

  async #record(record: WindowRecord): Promise<void> {
    await this.task.files.record(record);
    this.#records.set(record.start, record);
    this.#fetched += 1;
    this.#adapt(record);
    const unaskedMs = sum(this.#queue, ({ start, end }) => end - start);
    const limit = this.#limit?.use();
    const { observer, vendor } = this.task;
    observer.done?.(record, {
      what: vendor.describe(record),
      unaskedMs,
      ...omitUndefined({ limit }),
    });
  }

  /** Lets the next windows be as long as their answers may be large, judged by this one. */
  #adapt(record: WindowRecord): void {
    const { start, end } = record;
    const { answerBytes, unitMs, longestMs } = this.task.vendor;
    if (answerBytes === undefined) return;
    const bytesOfUnit = bytesOf([record]) / ((end - start) / unitMs);
    const units = Math.floor(answerBytes / Math.max(1, bytesOfUnit));
    // An empty window says little of the next one.
    const length = Math.min(Math.max(1, units) * unitMs, 2 * Math.max(this.#lengthMs, end - start));
    this.#lengthMs = Math.min(length, longestMs);
  }
}

/** An error for a file that the ledger of this key does not have. */
function occupied(name: string): SwitchyardError {
  return new SwitchyardError(
    "output_occupied",
    `${name} is there already, and was not fetched with this key. If the key of the project has changed, fetch what is new into another directory`,
  );
}

/** Returns the events of windows. */
export function rowsOf(records: readonly WindowRecord[]): number {
  return sum(records, ({ files }) => sum(files, ({ rows }) => rows));
}

/** Returns the bytes of the files of windows. */
export function bytesOf(records: readonly WindowRecord[]): number {
  return sum(records, ({ files }) => sum(files, ({ bytes }) => bytes));
}

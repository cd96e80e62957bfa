import { omitUndefined } from "../base/omit-undefined.js";
import { sum } from "../base/sum.js";
import type { RunProgress } from "../ledger/run-observer.js";
import type { QueuedWork, WorkerBeat } from "./queue-records.js";
import { recordPath } from "./queued-output.js";
import type { WorkQueue } from "./work-queue.js";

/** A worker with the same status for this long has probably died. */
const SILENT_MS = 20_000;
const FORGET_MS = 120_000;
/** Time without workers after which a note is printed. */
const ALONE_MS = 10_000;
const ALONE_NOTE_INTERVAL_MS = 60_000;
/** Work is slow if it takes this many times as long as other work, and at least SLOW_MS_MIN. */
const SLOW_FACTOR = 4;
const SLOW_MS_MIN = 60_000;

/** A worker, as seen by a coordinator. */
interface Seen {
  beat: WorkerBeat;
  changedMs: number;
  /** Its counts for this run, from before it left for other work and returned. */
  before: Counts;
}

type Counts = Pick<WorkerBeat, "rows" | "rejects" | "delivered">;

const nothing: Counts = { rows: 0, rejects: 0, delivered: 0 };

/** The splits or the merges of a run. */
interface WatchedWork {
  readonly kind: QueuedWork["kind"];
  readonly count: number;
  /** Bytes of all work. */
  readonly bytes: number;
  /** Bytes of the remaining work, by the paths of the records. */
  readonly bytesOf: ReadonlyMap<string, number>;
}

/** Follows the workers of a run by their status, for messages to people only. */
export class WorkerWatch {
  readonly #seen = new Map<string, Seen>();
  readonly #reported = new Set<string>();
  #left: { readonly splits: number; readonly bytes: number };
  #busyMs = performance.now();
  #aloneNotedMs = Number.NEGATIVE_INFINITY;
  /** Ages of work when it was last seen, by the paths of the records. */
  readonly #ages = new Map<string, number>();

  constructor(
    private readonly run: string,
    private readonly all: WatchedWork,
  ) {
    this.#left = { splits: all.bytesOf.size, bytes: sum(all.bytesOf.values(), (bytes) => bytes) };
  }

  /**
   * Checks the workers; returns the messages to print. `missing`: pending work that is not in the queue.
   */
  async poll(
    queue: Pick<WorkQueue, "beats" | "forget">,
    pending: readonly QueuedWork[],
    missing: readonly QueuedWork[],
    hint: string,
  ): Promise<readonly string[]> {
    const nowMs = performance.now();
    const done = new Set(missing);
    const left = pending.filter((one) => !done.has(one));
    this.#left = {
      splits: left.length,
      bytes: sum(left, (work) => this.all.bytesOf.get(recordPath(work)) ?? 0),
    };
    const beats = await queue.beats();
    const texts: string[] = [];
    for (const [name, beat] of beats) {
      const silentMs = this.#see(name, beat, nowMs);
      if (silentMs > FORGET_MS) await queue.forget(name);
      else if (silentMs === 0) texts.push(...this.#describe(name, beat));
    }
    if (this.#living(nowMs).length > 0) this.#busyMs = nowMs;
    const isAlone = nowMs - this.#busyMs > ALONE_MS;
    if (isAlone && nowMs - this.#aloneNotedMs > ALONE_NOTE_INTERVAL_MS) {
      this.#aloneNotedMs = nowMs;
      texts.push(`${left.length} ${this.all.kind}s wait, but no worker is running; ${hint}`);
    }
    return texts;
  }

  progress(): RunProgress {
    const { splits, bytes } = this.#left;
    const living = this.#living(performance.now());
    const counts = [...this.#seen.values()].map((one) => this.#countsOf(one)).reduce(add, nothing);
    const inWork = living.filter(([, { beat }]) => beat.run === this.run);
    return {
      // One worker is enough: all send to the same service.
      ...omitUndefined({ waiting: inWork.map(([, { beat }]) => beat.waiting).find(Boolean) }),
      ...(this.all.kind === "merge" ? { phase: "merging" } : {}),
      threads: inWork.map(([name, { beat }]) => ({ source: name, rows: beat.rows })),
      bytesTotal: this.all.bytes,
      bytesDone: this.all.bytes - bytes,
      ...counts,
      splitsTotal: this.all.count,
      splitsDone: this.all.count - splits,
    };
  }

  /** Returns the milliseconds since its status last changed. */
  #see(name: string, beat: WorkerBeat, nowMs: number): number {
    const seen = this.#seen.get(name);
    if (seen === undefined) {
      this.#seen.set(name, { beat, changedMs: nowMs, before: nothing });
      return 0;
    }
    if (seen.beat.beat === beat.beat) return nowMs - seen.changedMs;
    const isOther = beat.run !== this.run || beat.rows < seen.beat.rows;
    if (isOther) seen.before = this.#countsOf(seen);
    seen.beat = beat;
    seen.changedMs = nowMs;
    return 0;
  }

  /** Workers that are presumably alive. */
  #living(nowMs: number): readonly (readonly [string, Seen])[] {
    return [...this.#seen].filter(
      ([, { beat, changedMs }]) => beat.error === undefined && nowMs - changedMs < SILENT_MS,
    );
  }

  #describe(name: string, { run, error, working }: WorkerBeat): readonly string[] {
    if (error !== undefined) return this.#reportOnce(name, `worker ${name} ended: ${error}`);
    if (run !== this.run) return [];
    const texts: string[] = [];
    for (const { path, ageMs } of working) {
      this.#ages.set(path, Math.max(ageMs, this.#ages.get(path) ?? 0));
      const others = [...this.#ages].filter(([other]) => other !== path).map(([, age]) => age);
      const usualMs = medianOf(others);
      if (ageMs < Math.max(SLOW_MS_MIN, SLOW_FACTOR * usualMs) || others.length === 0) continue;
      const seconds = (ms: number) => `${Math.round(ms / 1000)} s`;
      const text = `worker ${name} has worked on ${path} for ${seconds(ageMs)}; others take about ${seconds(usualMs)}`;
      texts.push(...this.#reportOnce(`${name} ${path}`, text));
    }
    return texts;
  }

  #countsOf({ beat, before }: Seen): Counts {
    return beat.run === this.run ? add(before, beat) : before;
  }

  #reportOnce(key: string, text: string): readonly string[] {
    if (this.#reported.has(key)) return [];
    this.#reported.add(key);
    return [text];
  }
}

function add(one: Counts, other: Counts): Counts {
  return {
    rows: one.rows + other.rows,
    rejects: one.rejects + other.rejects,
    delivered: one.delivered + other.delivered,
  };
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[sorted.length >> 1] ?? 0;
}

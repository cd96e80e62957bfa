import { SwitchyardError, UsageError } from "../../base/errors.js";
import {
  EVENT_COUNTS_BYTES,
  MAIN_THREAD_BYTES,
  MIB,
  ROW_BUFFER_BYTES,
  SPILL_BYTES,
  STOP_GRACE_MS,
  THREADS_MAX,
  WINDOW_BYTES,
  WORKER_HEAP_BYTES_MIN,
} from "../../base/limits.js";
import { option } from "../../base/option-text.js";
import { type Remote, RemoteDeath, startThread } from "../../base/thread-call.js";
import type { RunOptions } from "../../options/options.js";
import type { OpenedIdentity } from "../open-identity.js";
import type { SplitServer, WorkerSetup } from "../thread/serve-splits.js";
import { ThreadCounters } from "../thread/thread-counters.js";

export interface WorkerPoolOptions {
  /** Compiled entry file of the workers. */
  readonly entry: URL;
  readonly threads: number;
  /** JavaScript heap of one worker. */
  readonly heapBytes: number;
  readonly signal: AbortSignal;
  /** Called once if the system refuses some of the threads; the others then do the work. */
  fewer?(started: number, wanted: number): void;
  readonly start?: typeof startThread<SplitServer>;
  /** Opens the table of identities; undefined if the run has none. */
  readonly openIdentity?: () => Promise<OpenedIdentity | undefined>;
}

/** The work that workers are set up for. */
export type WorkerPhase = Omit<WorkerSetup<RunOptions>, "counters" | "decodesAhead">;

/** A worker thread: calls that it answers, and counters that are readable at any time. */
export interface PoolWorker {
  readonly counters: ThreadCounters;
  readonly remote: Remote<SplitServer>;
  phase: WorkerPhase | undefined;
}

/**
 * The worker threads of a run, shared by its epochs and phases. The signal or the first failure stops all of
 * them: each stops at its next batch or is terminated after a grace period.
 */
export class WorkerPool {
  readonly #workers = new Set<PoolWorker>();
  readonly #idle: PoolWorker[] = [];
  /** Workers that are being set up. */
  #starting = 0;
  #refused = 0;
  #phase: WorkerPhase | undefined;
  #identity: Promise<OpenedIdentity | undefined> | undefined;
  #hasToldFewer = false;
  readonly #stopOnAbort = () => this.#stop();
  #isStopping = false;
  #failure: unknown;

  constructor(private readonly options: WorkerPoolOptions) {
    const { signal } = options;
    signal.addEventListener("abort", this.#stopOnAbort, { once: true });
    if (signal.aborted) this.#stop();
  }

  get threads(): number {
    return this.options.threads;
  }

  get signal(): AbortSignal {
    return this.options.signal;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Begins a phase: workers that are taken from then on are set up for it. */
  begin(phase: WorkerPhase): void {
    this.#phase = phase;
  }

  /** Runs jobs in parallel until all have ended. Throws the first failure. */
  async run(jobs: readonly (() => Promise<void>)[]): Promise<void> {
    await Promise.all(jobs.map((job) => job().catch((error) => this.fail(error))));
    if (this.#isStopping) await this.end();
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Ends the run with `error`; a call that was interrupted by an earlier stop is not a failure. */
  fail(error: unknown): void {
    const isInterrupted = error instanceof SwitchyardError && error.code === "interrupted";
    if (!(isInterrupted && this.#isStopping)) this.#failure ??= error;
    this.#stop();
  }

  /** True while workers are being set up; they can take work soon. */
  get isStarting(): boolean {
    return this.#starting > 0;
  }

  /**
   * Returns an idle worker or a new one, set up for the phase. Returns undefined if the system refuses
   * another thread while workers are in use, which then do the work. Throws what the setup threw.
   */
  async take(): Promise<PoolWorker | undefined> {
    const phase = this.#phase as WorkerPhase;
    const idle = this.#idle.pop();
    if (idle !== undefined && idle.phase === phase) return idle;
    // The module of a transform keeps its state until its thread ends: each phase starts a new thread.
    const isReusable = phase.options.transformPath === undefined;
    if (idle !== undefined && !isReusable) await this.discard(idle);
    const worker = idle !== undefined && isReusable ? idle : this.#start();
    worker.phase = phase;
    this.#starting++;
    try {
      const decodesAhead = 2 * phase.splits <= this.threads;
      const { buffer: counters } = worker.counters;
      const options = await this.#withIdentity(phase.options);
      await worker.remote.call("setUp", { ...phase, options, decodesAhead, counters });
      return worker;
    } catch (error) {
      if (!(error instanceof RemoteDeath && error.reason === "refused")) throw error;
      this.#workers.delete(worker);
      if (this.#workers.size === 0) throw error;
      this.#refused++;
      // Another worker may have become idle meanwhile; without this check it would not be used.
      return this.#idle.pop();
    } finally {
      this.#starting--;
      this.#tellFewer();
    }
  }

  #start(): PoolWorker {
    const { entry, heapBytes, start = startThread<SplitServer> } = this.options;
    const counters = new ThreadCounters();
    const worker = { counters, remote: start(entry, { heapBytes }), phase: undefined };
    this.#workers.add(worker);
    return worker;
  }

  /** Makes a worker available to later jobs. */
  giveBack(worker: PoolWorker): void {
    this.#idle.push(worker);
  }

  async discard(worker: PoolWorker): Promise<void> {
    await worker.remote.terminate();
    this.#workers.delete(worker);
  }

  /** Terminates all workers. The pool cannot be used afterwards; further calls do nothing. */
  async end(): Promise<void> {
    this.options.signal.removeEventListener("abort", this.#stopOnAbort);
    await Promise.all([...this.#workers].map((worker) => this.discard(worker)));
    await this.#identity?.then(
      (opened) => opened?.close(),
      () => undefined,
    );
  }

  /** Adds the table of identities, which all workers share. */
  async #withIdentity(options: RunOptions): Promise<RunOptions> {
    this.#identity ??= this.options.openIdentity?.();
    const opened = await this.#identity;
    return opened === undefined ? options : { ...options, identity: opened.identity };
  }

  #tellFewer(): void {
    const started = this.#workers.size;
    if (this.#starting > 0 || this.#refused === 0 || started === 0 || this.#hasToldFewer) return;
    this.#hasToldFewer = true;
    this.options.fewer?.(started, started + this.#refused);
  }

  #stop(): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    for (const { counters, remote } of this.#workers) {
      counters.stop();
      // A worker that dies first is reported by the call that it did not answer.
      remote.call("stop").catch(() => undefined);
    }
    setTimeout(() => {
      for (const { remote } of this.#workers) void remote.terminate();
    }, STOP_GRACE_MS).unref();
  }
}

/** Describes why a worker died and what the user can do about it. */
export function describeDeath({ reason, message }: RemoteDeath): string {
  return reason === "out_of_memory"
    ? `${message}; raise ${option("memory")} or use fewer ${option("threads")}`
    : message;
}

/** Names the limits that make a system refuse threads. */
export const raiseThreadLimits =
  "raise the limits of processes (ulimit -u, the pids limit of the container) and open files (ulimit -n)";

/**
 * Returns `thread_refused` or `worker_died` for the death of a worker, and every other error
 * unchanged.
 */
export function asFatal(work: string, error: unknown): unknown {
  if (!(error instanceof RemoteDeath)) return error;
  if (error.reason === "refused") {
    return new SwitchyardError(
      "thread_refused",
      `cannot start a worker thread: ${error.message}; ${raiseThreadLimits}`,
      { cause: error },
    );
  }
  return new SwitchyardError(
    "worker_died",
    `a worker thread died while it ${work}: ${describeDeath(error)}; run the same command again to resume`,
    { cause: error },
  );
}

interface ThreadBudget {
  readonly threads: number;
  /** JavaScript heap of one worker. */
  readonly heapBytes: number;
}

/**
 * Returns the number of workers that fit into `memoryBytes`, up to the number requested. Throws
 * `UsageError` if none fits. The output does not depend on it.
 */
export function budgetThreads(
  options: Pick<RunOptions, "threads" | "memoryBytes" | "rowBytesMax">,
): ThreadBudget {
  const outsideHeap = bytesOutsideHeap(options.rowBytesMax);
  const perThread = outsideHeap + WORKER_HEAP_BYTES_MIN;
  const affordable = Math.floor((options.memoryBytes - MAIN_THREAD_BYTES) / perThread);
  if (affordable < 1) {
    const { memoryBytes } = options;
    const given =
      memoryBytes % MIB === 0
        ? `${memoryBytes / MIB}MiB`
        : `of ${memoryBytes} ${memoryBytes === 1 ? "byte" : "bytes"}`;
    const least = Math.ceil((MAIN_THREAD_BYTES + perThread) / MIB);
    throw new UsageError(
      "memory_too_small",
      `${option("memory")} ${given} is too small: one thread needs at least ${least}MiB for rows of up to ${Math.ceil(options.rowBytesMax / MIB)}MiB; raise ${option("memory")}, or lower ${option("maxRowSize")}`,
    );
  }
  const threads = Math.min(options.threads, affordable, THREADS_MAX);
  const share = Math.floor((options.memoryBytes - MAIN_THREAD_BYTES) / threads);
  return { threads, heapBytes: share - outsideHeap };
}

/**
 * Returns the bytes of a worker's kernel memory and buffers. The window doubles until it holds the
 * longest row; old and new window exist at once. The mapper holds that row twice more, because JSON
 * that becomes text can double in size. The sink holds its row buffer and a sorted and encoded
 * copy. Spilling and event counts are added.
 */
function bytesOutsideHeap(rowBytesMax: number): number {
  return (
    2 * WINDOW_BYTES + 4 * rowBytesMax + 2 * ROW_BUFFER_BYTES + SPILL_BYTES + EVENT_COUNTS_BYTES
  );
}

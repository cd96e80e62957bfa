import { STOP_GRACE_MS } from "../../base/limits.js";
import type { WorkerSetup, WorkerStart } from "./worker-messages.js";
import type { WorkerThread } from "./worker-thread.js";

export interface CrewOptions {
  readonly setup: Omit<WorkerSetup, keyof WorkerStart>;
  readonly signal: AbortSignal;
}

/** The threads of a pool: they are stopped together, by the signal or by the pool's first failure. */
export class ThreadCrew {
  readonly #threads = new Set<WorkerThread>();
  #isStopping = false;
  #failure: unknown;

  constructor(private readonly options: CrewOptions) {}

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Does jobs side by side until all have ended; throws what `fail` was told first. */
  async run(jobs: readonly (() => Promise<void>)[]): Promise<void> {
    const { signal } = this.options;
    const stop = () => this.#stop();
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      await Promise.all(jobs.map((job) => job().catch((error) => this.fail(error))));
      if (this.#isStopping) await this.end();
      if (this.#failure !== undefined) throw this.#failure;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  fail(error: unknown): void {
    this.#failure ??= error;
    this.#stop();
  }

  /** Gives the thread once it is ready for work; a stop reaches it before. */
  async add(thread: WorkerThread): Promise<WorkerThread> {
    this.#threads.add(thread);
    await thread.setUp(this.options.setup);
    return thread;
  }

  /** Adds a thread that is ready. */
  adopt(thread: WorkerThread): WorkerThread {
    this.#threads.add(thread);
    return thread;
  }

  async remove(thread: WorkerThread): Promise<void> {
    this.#threads.delete(thread);
    await thread.terminate();
  }

  /** Gives its threads away: whoever gets them ends them. */
  release(): readonly WorkerThread[] {
    const threads = [...this.#threads];
    this.#threads.clear();
    return threads;
  }

  async end(): Promise<void> {
    await Promise.all(this.release().map((thread) => thread.terminate()));
  }

  /** Threads stop at their next batch or pack; those that do not within the grace are ended. */
  #stop(): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    for (const thread of this.#threads) thread.stop();
    setTimeout(() => {
      for (const thread of this.#threads) void thread.terminate();
    }, STOP_GRACE_MS).unref();
  }
}

import { WorkerThread, type WorkerThreadOptions } from "./worker-thread.js";

/**
 * Worker threads of a run, started while the main thread still looks at inputs and writes the plan:
 * until a thread has loaded its modules takes as long as all of that (30 of 130 ms; the second of two
 * threads begins 60 ms earlier).
 */
export class ThreadsAhead {
  /** Those that nobody has taken. */
  readonly #threads: WorkerThread[] = [];
  #started = 0;

  constructor(private readonly options: WorkerThreadOptions) {}

  /** Starts threads until `count` have been started in all. */
  start(count: number): void {
    for (; this.#started < count; this.#started++) {
      this.#threads.push(new WorkerThread(this.options));
    }
  }

  /** Whether these threads are such as `options` asks for. */
  areSuchAs({ entry, heapBytes }: WorkerThreadOptions): boolean {
    return entry.href === this.options.entry.href && heapBytes === this.options.heapBytes;
  }

  /** The thread that was started first, for whoever asks first: it is theirs to terminate. */
  take(): WorkerThread | undefined {
    return this.#threads.shift();
  }

  /** Ends the threads that nobody took. */
  async end(): Promise<void> {
    await Promise.all(this.#threads.splice(0).map((thread) => thread.terminate()));
  }
}

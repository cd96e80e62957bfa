import { WorkerThread, type WorkerThreadOptions } from "./worker-thread.js";

/**
 * The first worker thread of a run, started while the main thread still looks at inputs and writes the
 * plan: until a thread has loaded its modules takes as long as all of that (30 of 130 ms).
 */
export class ThreadAhead {
  #thread: WorkerThread | undefined;

  constructor(options: WorkerThreadOptions) {
    this.#thread = new WorkerThread(options);
  }

  /** The thread, for whoever asks first: it is theirs to terminate. */
  take(): WorkerThread | undefined {
    const thread = this.#thread;
    this.#thread = undefined;
    return thread;
  }

  /** Ends the thread if nobody took it. */
  async end(): Promise<void> {
    await this.take()?.terminate();
  }
}

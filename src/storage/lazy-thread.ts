import { type Methods, type Remote, RemoteDeath, startThread } from "../base/thread-call.js";

interface LazyThreadOptions<Served extends Methods<Served>> {
  /** The compiled entry file. */
  readonly entry: URL;
  /** The subject of the error that reports the death of the thread. */
  readonly name: string;
  /** Makes the last call. */
  close(thread: Remote<Served>): Promise<unknown>;
}

/** A thread that starts at its first call, and again if it has died. */
export class LazyThread<Served extends Methods<Served>> {
  #thread: Remote<Served> | undefined;

  constructor(private readonly options: LazyThreadOptions<Served>) {}

  /** Makes the calls of `work`. */
  async run<Result>(work: (thread: Remote<Served>) => Promise<Result>): Promise<Result> {
    const { entry, name } = this.options;
    if (this.#thread === undefined || this.#thread.death !== undefined) {
      this.#thread = startThread<Served>(entry);
    }
    try {
      return await work(this.#thread);
    } catch (error) {
      if (!(error instanceof RemoteDeath)) throw error;
      throw new Error(`${name} died (${error.message})`, { cause: error });
    }
  }

  /** Waits for the calls, then ends the thread. */
  async close(): Promise<void> {
    const thread = this.#thread;
    if (thread === undefined) return;
    if (thread.death === undefined) await this.options.close(thread).catch(() => undefined);
    await thread.terminate();
  }
}

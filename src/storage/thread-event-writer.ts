import { type Remote, RemoteDeath, startThread } from "../base/thread-call.js";
import type { EventWriter, PackedIntake } from "./event-queue.js";
import type { EventRemover, RemovalStep, RemovedSlice } from "./event-removal.js";
import type { EventCommit } from "./event-store.js";

/** The calls that the thread serves. */
export interface EventWriterThread {
  /** Opens the database file; the first call. */
  open(path: string): Promise<void>;
  write(batch: readonly PackedIntake[]): EventCommit;
  remove(step: RemovalStep): RemovedSlice;
  close(): void;
}

/**
 * Writes events in a thread. A thread that dies is replaced at the next write. Its pending write counts as
 * failed, because we cannot tell if it was stored.
 */
export class ThreadEventWriter implements EventWriter, EventRemover {
  #thread: Remote<EventWriterThread> | undefined;

  /** `entry` is the compiled `event-writer-thread`, `path` the database file. */
  constructor(
    private readonly entry: URL,
    private readonly path: string,
  ) {}

  /** Resolves once the database is open and up to date; throws why it could not be opened. */
  async start(): Promise<void> {
    await this.#running();
  }

  async write(batch: readonly PackedIntake[]): Promise<EventCommit> {
    const thread = await this.#running();
    return named(thread.call("write", batch));
  }

  async remove(step: RemovalStep): Promise<RemovedSlice> {
    const thread = await this.#running();
    return named(thread.call("remove", step));
  }

  async close(): Promise<void> {
    if (this.#thread?.death === undefined) await this.#thread?.call("close");
    await this.#thread?.terminate();
  }

  async #running(): Promise<Remote<EventWriterThread>> {
    if (this.#thread !== undefined && this.#thread.death === undefined) return this.#thread;
    const thread = startThread<EventWriterThread>(this.entry);
    try {
      await named(thread.call("open", this.path));
    } catch (error) {
      await thread.terminate();
      throw error;
    }
    this.#thread = thread;
    return thread;
  }
}

/** Names the thread in the error of its death. */
async function named<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof RemoteDeath)) throw error;
    throw new Error(`the thread that writes events died (${error.message})`, { cause: error });
  }
}

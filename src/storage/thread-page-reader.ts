import { type Remote, RemoteDeath, startThread } from "../base/thread-call.js";
import type { EntityKind } from "../contract/common.js";
import type { ListFilter } from "../contract/list-query.js";
import type { StoredPage } from "./entity-pages.js";
import type { Slice } from "./store.js";

/** The calls that the thread serves. */
export interface PageReaderThread {
  /** `path` is the database file, which is up to date. The thread keeps it open. */
  filtered(path: string, kind: EntityKind, slice: Slice, filter: ListFilter): StoredPage;
  close(): void;
}

/**
 * Reads pages in a thread, one after the other, each on one state of the database. The thread starts at
 * the first page, and again if it has died.
 */
export class ThreadPageReader {
  #thread: Remote<PageReaderThread> | undefined;

  /** `entry` is the compiled `page-reader-thread`, `path` the database file. */
  constructor(
    private readonly entry: URL,
    private readonly path: string,
  ) {}

  async filtered(kind: EntityKind, slice: Slice, filter: ListFilter): Promise<StoredPage> {
    try {
      return await this.#running().call("filtered", this.path, kind, slice, filter);
    } catch (error) {
      if (!(error instanceof RemoteDeath)) throw error;
      const message = `the thread that reads long lists died (${error.message})`;
      throw new Error(message, { cause: error });
    }
  }

  async close(): Promise<void> {
    const thread = this.#thread;
    if (thread === undefined) return;
    if (thread.death === undefined) await thread.call("close").catch(() => undefined);
    await thread.terminate();
  }

  #running(): Remote<PageReaderThread> {
    if (this.#thread !== undefined && this.#thread.death === undefined) return this.#thread;
    this.#thread = startThread<PageReaderThread>(this.entry);
    return this.#thread;
  }
}

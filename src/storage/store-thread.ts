import { omitUndefined } from "../base/omit-undefined.js";
import type { EntityKind } from "../contract/common.js";
import type { ListFilter } from "../contract/list-query.js";
import type { StoredPage } from "./entity-pages.js";
import type { WriteStart } from "./entity-writer.js";
import { LazyThread } from "./lazy-thread.js";
import type {
  AuditFilter,
  AuditRecord,
  ChangeEntity,
  EntityKey,
  EntityPage,
  EntityRecord,
  ListChange,
  Slice,
  WriteOptions,
  WriteOutcome,
} from "./store.js";
import { toRecord } from "./stored-entity.js";

/** The calls that the thread serves. `path` is the database file, which is up to date; it stays open. */
export interface StoreWorker {
  filtered(path: string, kind: EntityKind, slice: Slice, filter: ListFilter): StoredPage;
  listedIDs(path: string, key: EntityKey, slice: Slice): readonly string[];
  audited(path: string, filter: AuditFilter, slice: Slice): EntityPage<AuditRecord>;
  /** Begins a transaction. The ids of the list are JSON, which is copied faster than many texts. */
  begin(path: string, key: EntityKey, list: PackedListChange | undefined): WriteStart;
  /** Commits the transaction, or rolls it back if the outcome is another one than `written`. */
  finish(path: string, next: EntityRecord | undefined, options: FinishOptions): WriteOutcome;
  cancel(path: string): void;
  close(): void;
}

interface PackedListChange extends Pick<ListChange, "how"> {
  readonly ids: string;
}

interface FinishOptions extends Pick<WriteOptions, "author"> {
  readonly unreferenced: boolean;
  readonly rehearse: boolean;
  /** ms since the epoch. */
  readonly time: number;
}

/** Reads and writes entities in a thread with its own connection, one call after the other. */
export class StoreThread {
  readonly #thread: LazyThread<StoreWorker>;

  /** `entry` is the compiled `store-worker`, `path` the database file. */
  constructor(
    entry: URL,
    private readonly path: string,
    private readonly now: () => number = Date.now,
  ) {
    this.#thread = new LazyThread({
      entry,
      name: "the thread of long reads and writes",
      close: (thread) => thread.call("close"),
    });
  }

  filtered(kind: EntityKind, slice: Slice, filter: ListFilter): Promise<StoredPage> {
    return this.#thread.run((thread) => thread.call("filtered", this.path, kind, slice, filter));
  }

  listedIDs(key: EntityKey, slice: Slice): Promise<readonly string[]> {
    return this.#thread.run((thread) => thread.call("listedIDs", this.path, key, slice));
  }

  /** Does what `AuditLog.page` does. */
  page(filter: AuditFilter, slice: Slice): Promise<EntityPage<AuditRecord>> {
    return this.#thread.run((thread) => thread.call("audited", this.path, filter, slice));
  }

  /** Does what `EntityStore.write` does. Calls must not overlap. */
  write(
    key: EntityKey,
    change: ChangeEntity,
    { list, rehearse = false, unreferenced = false, author }: WriteOptions,
  ): Promise<WriteOutcome> {
    const packed = list && { how: list.how, ids: JSON.stringify(list.ids) };
    return this.#thread.run(async (thread) => {
      const { before, listChange } = await thread.call("begin", this.path, key, packed);
      let next: EntityRecord | undefined;
      try {
        next = change(before && toRecord(before), listChange);
      } catch (error) {
        await thread.call("cancel", this.path);
        throw error;
      }
      const time = this.now();
      const options = { unreferenced, rehearse, time, ...omitUndefined({ author }) };
      return thread.call("finish", this.path, next, options);
    });
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}

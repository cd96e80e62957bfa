import { serveCalls } from "../base/thread-call.js";
import { AuditLog } from "./audit-log.js";
import { EntityPages } from "./entity-pages.js";
import { EntityWriter, type WriteStart } from "./entity-writer.js";
import { SqliteDatabase } from "./sqlite-database.js";
import type { StoreWorker } from "./store-thread.js";

interface OpenDatabase {
  readonly database: SqliteDatabase;
  readonly pages: EntityPages;
  readonly writer: EntityWriter;
  readonly audit: AuditLog;
}

let opened: OpenDatabase | undefined;
/** The time of the write whose transaction is open. */
let time = 0;
let start: WriteStart | undefined;

function open(path: string): OpenDatabase {
  if (opened === undefined) {
    const database = new SqliteDatabase(path);
    const writer = new EntityWriter(database, () => time);
    opened = { database, pages: new EntityPages(database), writer, audit: new AuditLog(database) };
  }
  return opened;
}

// Entry file of the threads that read long lists and make long writes: other work does not wait for them.
serveCalls<StoreWorker>({
  filtered: (path, kind, slice, filter) => open(path).pages.filtered(kind, slice, filter),
  listedIDs: (path, key, slice) => open(path).pages.listedIDs(key, slice),
  audited: (path, filter, slice) => open(path).audit.page(filter, slice),
  begin(path, key, list) {
    const { database, writer } = open(path);
    database.execute("BEGIN IMMEDIATE");
    try {
      const ids = list === undefined ? [] : (JSON.parse(list.ids) as readonly string[]);
      start = writer.begin(key, list && { how: list.how, ids });
      return start;
    } catch (error) {
      rollBack(database);
      throw error;
    }
  },
  finish(path, next, options) {
    const { database, writer } = open(path);
    time = options.time;
    try {
      const outcome = writer.finish(start?.before, next, options);
      if (outcome === "written" && !options.rehearse) database.execute("COMMIT");
      return outcome;
    } finally {
      rollBack(database);
    }
  },
  cancel: (path) => rollBack(open(path).database),
  close: () => opened?.database.close(),
});

/** Ends an open transaction. SQLite has ended it already after some failures. */
function rollBack(database: SqliteDatabase): void {
  if (database.inTransaction) database.execute("ROLLBACK");
}

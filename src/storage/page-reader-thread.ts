import { serveCalls } from "../base/thread-call.js";
import { EntityPages } from "./entity-pages.js";
import { SqliteDatabase } from "./sqlite-database.js";
import type { PageReaderThread } from "./thread-page-reader.js";

let database: SqliteDatabase | undefined;

// Entry file of the thread that reads long lists: other work does not wait for them.
serveCalls<PageReaderThread>({
  filtered(path, kind, slice, filter) {
    database ??= new SqliteDatabase(path);
    return new EntityPages(database).filtered(kind, slice, filter);
  },
  close: () => database?.close(),
});

// Opens the store of the directory that is its argument, and says so.
import { openSqliteStore } from "../../../src/storage/sqlite-store.js";

const withoutEvents = async () => ({ events: {}, close: async () => undefined });
const store = await openSqliteStore(process.argv[2], withoutEvents);
console.log((await store.keys.list()).length);
await store.close();

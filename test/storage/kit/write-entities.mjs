// Writes entities into the store of the directory that is its first argument until it is killed, and
// prints each write that was acknowledged: `<id> <version>`, version 0 where it was removed. The second
// argument makes the ids of this process its own.
import { writeSync } from "node:fs";
import { openSqliteStore } from "../../../src/storage/sqlite-store.js";

const [directory, prefix] = process.argv.slice(2);
const withoutEvents = async () => ({ events: {}, close: async () => undefined });
// Held to the end: its files are closed, and their locks dropped, with the object.
const store = await openSqliteStore(directory, withoutEvents);

const record = (id, version) => ({
  kind: "gate",
  id,
  name: `Name of ${id}`,
  version,
  createdTime: 1_700_000_000_000,
  body: { id, version, text: "x".repeat((version * 997) % 9000) },
  references: [{ kind: "segment", id: `${id}-${version}` }],
});
// At once, so that a kill finds everything that was acknowledged.
const acknowledge = (id, version) => writeSync(1, `${id} ${version}\n`);

const write = (id, next) => store.entities.write({ kind: "gate", id }, () => next);

async function writeOn(writer) {
  for (let round = 0; ; round += 1) {
    const id = `${prefix}-${writer}-${round}`;
    await write(id, record(id, 1));
    acknowledge(id, 1);
    const versions = 2 + (round % 3);
    for (let version = 2; version <= versions; version += 1) {
      await write(id, record(id, version));
      acknowledge(id, version);
    }
    if (round % 3 === writer % 3) {
      await write(id, undefined);
      acknowledge(id, 0);
    }
  }
}

await Promise.all(Array.from({ length: 6 }, (_, writer) => writeOn(writer)));

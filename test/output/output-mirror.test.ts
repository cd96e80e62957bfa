import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { OutputMirror } from "../../src/output/output-mirror.js";
import type { ObjectStore } from "../../src/store/object-store.js";
import { StoreError } from "../../src/store/store-error.js";
import { scratchDirectory } from "../support/scratch.js";

const content = "open\n";
const signal = new AbortController().signal;

/** A store that lists some keys, of which one is gone when it is read. */
function storeWithout(gone: string, keys: readonly string[]): ObjectStore {
  return {
    async *list() {
      const objects = keys.map((key) => ({ key, size: content.length, etag: key, modifiedMs: 0 }));
      yield { objects, prefixes: [] };
    },
    async get(key) {
      if (key === gone)
        throw new StoreError("store_object_missing", "it is gone", `s3://b/${key}`, false);
      return (async function* () {
        yield Buffer.from(content);
      })();
    },
    head: async () => undefined,
    put: async () => "occupied",
    remove: async () => undefined,
  };
}

it("leaves out a journal that is gone when it is read, and nothing else", async () => {
  const journal = "_switchyard/acknowledged/000000.one.0000000.journal";
  const record = "_switchyard/splits/000000.json";
  const fetch = async (gone: string) => {
    const directory = scratchDirectory("mirror");
    const store = storeWithout(gone, [journal, record]);
    const options = { store, prefix: "", address: "s3://b", directory, signal };
    await new OutputMirror(options).fetch();
    return directory;
  };
  const directory = await fetch(journal);
  expect(existsSync(join(directory, journal))).toBe(false);
  expect(readFileSync(join(directory, record), "utf8")).toBe(content);
  await expect(fetch(record)).rejects.toMatchObject({ code: "store_object_missing" });
});

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { StoredFiles } from "../../src/output/stored-files.js";
import type { ObjectStore } from "../../src/store/object-store.js";
import { StoreError } from "../../src/store/store-error.js";
import { scratchDirectory } from "../support/scratch.js";

const content = "open\n";
const signal = new AbortController().signal;
const lock = {
  takenOverFrom: undefined,
  lost: signal,
  check: async () => undefined,
  renew: async () => undefined,
  release: async () => undefined,
};

/** The calls to a store of small objects, in their order; `gone` is listed, but does not exist any more. */
function storeOf(keys: readonly string[], gone?: string) {
  const calls: string[] = [];
  const there = new Set(keys);
  const store: ObjectStore = {
    async *list() {
      const objects = [...there].map((key) => ({
        key,
        size: content.length,
        etag: key,
        modifiedMs: 0,
      }));
      yield { objects, prefixes: [] };
    },
    async get(key, { start, end }) {
      calls.push(`get ${key}`);
      if (key === gone)
        throw new StoreError("store_object_missing", "it is gone", `s3://b/${key}`, false);
      return (async function* () {
        yield Buffer.from(content).subarray(start, end);
      })();
    },
    head: async () => undefined,
    async put(key) {
      calls.push(`put ${key}`);
      there.add(key);
      return key;
    },
    async remove(removed) {
      for (const key of removed) {
        calls.push(`remove ${key}`);
        there.delete(key);
      }
    },
  };
  return { store, calls };
}

async function open(store: ObjectStore): Promise<StoredFiles> {
  const directory = scratchDirectory("stored-files");
  const place = { store, prefix: "", address: "s3://b" };
  const files = new StoredFiles({ ...place, directory, lock: () => lock, signal });
  await files.refresh();
  return files;
}

const part = "events/2026-01-01/part-000000-000.parquet";
const spill = "_switchyard/spill/000000";

it("leaves out a journal that is gone when it is read, and nothing else", async () => {
  const journal = "_switchyard/acknowledged/000000.one.0000000.journal";
  const record = "_switchyard/splits/000000.json";
  const fetch = async (gone: string) => {
    const files = await open(storeOf([journal, record], gone).store);
    await files.fetch([journal, record, "absent"]);
    return files.directory;
  };
  const directory = await fetch(journal);
  expect(existsSync(join(directory, journal))).toBe(false);
  expect(readFileSync(join(directory, record), "utf8")).toBe(content);
  await expect(fetch(record)).rejects.toMatchObject({ code: "store_object_missing" });
});

it("lists what is not in the directory, and fetches a file once", async () => {
  const { store, calls } = storeOf([part, spill]);
  const files = await open(store);
  expect(await files.list("events/")).toEqual([{ path: part, bytes: content.length }]);
  expect(existsSync(join(files.directory, part))).toBe(false);
  await files.fetch([part]);
  await files.fetch([part]);
  expect(calls).toEqual([`get ${part}`]);
  await files.drop([part]);
  expect(existsSync(join(files.directory, part))).toBe(false);
  expect(await files.list("events/")).toHaveLength(1);
});

it("saves what was written, removes what is gone from the directory, and keeps what never was there", async () => {
  const record = "_switchyard/splits/000000.json";
  const { store, calls } = storeOf([part, spill, record, "_switchyard/plan.json"]);
  const files = await open(store);
  await files.fetch([record, "_switchyard/plan.json"]);
  await files.fetchBytes(spill, 1, 3);
  writeFileSync(join(files.directory, "manifest.json"), "{}");
  writeFileSync(join(files.directory, "_switchyard/plan.json"), "another plan");
  await files.drop([record]);
  calls.length = 0;
  await files.save();
  expect(calls).toEqual(["put _switchyard/plan.json", "put manifest.json"]);
  await files.fetch([record]);
  await files.save();
  expect(calls.slice(2)).toEqual([`get ${record}`]);
});

it("removes no file before those that list it, and later epochs first", async () => {
  const epochs = [1, 2, 9, 10, 11].map((epoch) => `_switchyard/epochs/${epoch}/plan.json`);
  const { store, calls } = storeOf([...epochs, part, "manifest.json", "other/file"]);
  const files = await open(store);
  await files.removeDirectory("_switchyard/epochs");
  expect(calls).toEqual(epochs.toReversed().map((path) => `remove ${path}`));
  await files.remove([part, "manifest.json", "absent"]);
  expect(calls.slice(epochs.length)).toEqual(["remove manifest.json", `remove ${part}`]);
  expect((await files.list("")).map(({ path }) => path)).toEqual(["other/file"]);
});

it("refuses to write a manifest if an object was replaced or removed meanwhile", async () => {
  const { store } = storeOf([part]);
  const files = await open(store);
  await store.remove([part], signal);
  writeFileSync(join(files.directory, "manifest.json"), "{}");
  await expect(files.save()).rejects.toMatchObject({ code: "output_changed" });
});

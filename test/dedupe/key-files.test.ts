import { existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { DUPLICATES_LISTED_MAX, KEY_RUN_KEYS, MIB } from "../../src/base/limits.js";
import { Kernel, Region } from "../../src/batch/kernel.js";
import { readDrops } from "../../src/dedupe/drop-list.js";
import { KEY_BUCKETS, KEY_ORDINAL, KEY_WORDS } from "../../src/dedupe/key-digests.js";
import { KeyFile } from "../../src/dedupe/key-file.js";
import { keyLayoutOf } from "../../src/dedupe/key-layout.js";
import { KeyMatcher, type MatchFile } from "../../src/dedupe/key-matcher.js";
import { KeyBuffer, KeyWriter } from "../../src/dedupe/key-writer.js";
import { layoutOf } from "../../src/output/layout.js";
import { compareKeys, planMatch } from "../../src/run/dedupe/compare-keys.js";
import { type WorkerPhase, WorkerPool } from "../../src/run/pool/worker-pool.js";
import { processScript } from "../support/process-scripts.js";
import { createRandom } from "../support/random.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("keys");
const kernel = new Kernel();
const buffer = new KeyBuffer(kernel);
const target = new Region(kernel, 0);

/** Writes a key file with one event for each key; the key decides its bucket. */
async function writeKeys(name: string, keys: readonly number[]): Promise<string> {
  const path = join(scratch, name);
  const entries = new Uint32Array(keys.length * KEY_WORDS);
  const buckets = new Uint16Array(keys.length);
  keys.forEach((key, ordinal) => {
    const mixed = Math.imul(key, 0x9e3779b1) >>> 0;
    entries.set([mixed, key, mixed ^ 5, key + 9, ordinal, ordinal], ordinal * KEY_WORDS);
    buckets[ordinal] = mixed % KEY_BUCKETS;
  });
  const writer = new KeyWriter(buffer, path, scratch);
  writer.add(entries, buckets, (row) => row + 1);
  writer.finish([{ source: name, events: keys.length, base: 0, unit: "row" }], keys.length);
  await writer.commit();
  return path;
}

function randomKeys(count: number, distinct: number, seed: number): readonly number[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => Math.floor(random() * distinct));
}

/** Compares key files like a run, with tables of `tableKeys` keys; returns the drops of each. */
async function compare(files: readonly MatchFile[], tableKeys: number) {
  const [totals, own] = [new Float64Array(KEY_BUCKETS), new Float64Array(KEY_BUCKETS)];
  for (const { path, isPrior } of files) {
    new KeyFile(path).countKeys(totals);
    if (!isPrior) new KeyFile(path).countKeys(own);
  }
  const matcher = new KeyMatcher(kernel);
  const parts = planMatch(totals, own, tableKeys);
  const slices = files.map((): { path: string; start: number; count: number }[] => []);
  parts.forEach((part, index) => {
    const path = join(scratch, `match-${index}`);
    const result = matcher.match({ ...part, files, path, generation: 0 }, () => undefined);
    if ("damaged" in result) throw new Error(result.damaged);
    let start = 0;
    result.drops.forEach((count, file) => {
      if (count > 0) slices[file]?.push({ path, start, count });
      start += count;
    });
  });
  const lists = [];
  for (const [index, own] of slices.entries()) {
    const path = join(scratch, `${index}.drops`);
    await matcher.gather({ files, slices: own, path, temporaryDirectory: scratch });
    lists.push(readDrops(path));
  }
  return { parts: parts.length, lists };
}

/** The drops of each list of keys, and where their first events are. */
function oracle(lists: readonly (readonly number[])[]) {
  const first = new Map<number, string>();
  return lists.map((keys, file) => {
    const drops: { ordinal: number; first: string }[] = [];
    keys.forEach((key, ordinal) => {
      const known = first.get(key);
      if (known === undefined) first.set(key, `${file}:${ordinal + 1}`);
      else drops.push({ ordinal, first: known });
    });
    return drops;
  });
}

it.each([
  { tableKeys: 1_000_000, what: "at once" },
  { tableKeys: 400, what: "in parts of some buckets" },
  { tableKeys: 3, what: "in slices of single buckets" },
])("finds every repeated key $what, the first file and event stay", async ({ tableKeys }) => {
  const lists = [1, 2, 3].map((seed) => randomKeys(2_000, 3_000, seed));
  const files: MatchFile[] = [];
  for (const [index, keys] of lists.entries()) {
    files.push({ path: await writeKeys(String(index), keys), isPrior: false });
  }
  const found = await compare(files, tableKeys);
  const expected = oracle(lists);
  expect(found.lists.map(({ ordinals }) => [...ordinals])).toEqual(
    expected.map((drops) => drops.map(({ ordinal }) => ordinal)),
  );
  found.lists.forEach(({ kept }, file) => {
    const places = expected[file]?.slice(0, DUPLICATES_LISTED_MAX).map((drop) => drop.first);
    expect(kept.map(({ source, row }) => `${source}:${row}`)).toEqual(places);
  });
});

it("compares few keys at once, however far their buckets are from each other", async () => {
  const path = await writeKeys("few", [1, 2, 3, 2]);
  const found = await compare([{ path, isPrior: false }], 100);
  expect(found.parts).toBe(1);
  expect([...(found.lists[0]?.ordinals ?? [])]).toEqual([3]);
});

it("keeps the events of prior files, except those that were removed before", async () => {
  const old = await writeKeys("old", [1, 2, 1, 3]);
  const fresh = await writeKeys("fresh", [3, 4, 1]);
  const first = await compare([{ path: old, isPrior: false }], 100);
  expect([...(first.lists[0]?.ordinals ?? [])]).toEqual([2]);
  const prior = { path: old, isPrior: true, drops: join(scratch, "removed.drops") };
  writeFileSync(prior.drops, readFileSync(join(scratch, "0.drops")));
  const { lists } = await compare([prior, { path: fresh, isPrior: false }], 100);
  expect([...(lists[1]?.ordinals ?? [])]).toEqual([0, 2]);
});

it("decides nothing if it is interrupted while keys are compared", async () => {
  const stop = new AbortController();
  stop.abort();
  const pool = new WorkerPool({
    entry: pathToFileURL(processScript("bare-worker")),
    heapBytes: 64 * MIB,
    threads: 1,
    signal: stop.signal,
  });
  pool.begin({ options: {} } as WorkerPhase);
  const files = [{ path: await writeKeys("stopped", [1, 1]), isPrior: false }];
  const paths = keyLayoutOf(layoutOf(join(scratch, "stopped-out"), "events"));
  const compared = compareKeys({ keyIds: ["stopped"], files }, paths, pool, 0);
  await expect(compared).rejects.toMatchObject({ code: "interrupted" });
});

it("sorts any number of keys in the memory of one run", async () => {
  const keys = Array.from({ length: KEY_RUN_KEYS * 2 + 17 }, (_, index) => index % 1_000_003);
  const file = new KeyFile(await writeKeys("large", keys));
  expect(file.trailer).toMatchObject({ keys: keys.length, events: keys.length });
  expect(file.trailer.runs).toHaveLength(3);
  const ordinals: number[] = [];
  file.readEntries({ first: 7, end: 9 }, kernel, target, (count) => {
    for (let at = 0; at < count; at++) {
      ordinals.push(kernel.u32[target.address / 4 + at * KEY_WORDS + KEY_ORDINAL] ?? -1);
    }
  });
  const expected = keys.flatMap((key, ordinal) => {
    const bucket = (Math.imul(key, 0x9e3779b1) >>> 0) % KEY_BUCKETS;
    return bucket === 7 || bucket === 8 ? [ordinal] : [];
  });
  expect(ordinals.sort((one, other) => one - other)).toEqual(expected);
});

it("finds a changed byte anywhere in a key file, and a cut one", async () => {
  const path = await writeKeys("damaged", randomKeys(50, 1_000, 9));
  const sound = readFileSync(path);
  const readAll = () => {
    const counts: number[] = [];
    const buckets = { first: 0, end: KEY_BUCKETS };
    new KeyFile(path).readEntries(buckets, kernel, target, (count) => counts.push(count));
    return counts;
  };
  expect(readAll()).toEqual([50]);
  const step = Math.ceil(sound.length / 97);
  for (let byte = 0; byte < sound.length; byte += step) {
    const bytes = Buffer.from(sound);
    bytes[byte] = (bytes[byte] ?? 0) ^ 0x10;
    writeFileSync(path, bytes);
    expect(readAll, `byte ${byte}`).toThrow("is damaged");
  }
  writeFileSync(path, sound);
  truncateSync(path, sound.length - 5);
  expect(readAll).toThrow("is damaged");
  mkdirSync(join(scratch, "empty"), { recursive: true });
  expect(() => new KeyFile(join(scratch, "none"))).toThrow("no longer exists");
  expect(existsSync(path)).toBe(true);
});

it("reads the file of a split without any key", async () => {
  const path = await writeKeys("none-with-keys", []);
  expect(new KeyFile(path).trailer).toMatchObject({ keys: 0, runs: [] });
  const { parts, lists } = await compare([{ path, isPrior: false }], 100);
  expect(parts).toBe(0);
  expect(lists[0]?.ordinals).toHaveLength(0);
});

import fc from "fast-check";
import { expect, it } from "vitest";
import { Kernel } from "../../src/batch/kernel.js";
import { KEY_WORDS, KeyDigests } from "../../src/dedupe/key-digests.js";
import { createMapper } from "../../src/mapper/create-mapper.js";
import { resolveWritten } from "../../src/mapper/resolve-mapping.js";
import { type CellRow, createBatch } from "../support/cells.js";
import { propertyRuns } from "../support/property-runs.js";

const mapping = resolveWritten({
  event: "event",
  timestamp: { field: "time", format: "ms" },
  userID: "user",
  stableID: "device",
  insertID: "id",
});
const DAY_MS = 86_400_000;
const kernel = new Kernel();
const limits = { minTimeMs: 0, maxTimeMs: 1e13 };
const mapper = createMapper(kernel, { mapping, ...limits, withInsertID: true });
const by = ["insertID", "event", "timestamp", "userID", "stableID"] as const;
const digestsOf = {
  day: new KeyDigests(kernel, { within: "day", by, dayZone: "UTC" }),
  all: new KeyDigests(kernel, { within: "all", by, dayZone: "UTC" }),
};

function digest(rows: readonly CellRow[], within: "day" | "all", ordinal = 0) {
  const events = mapper.map(createBatch(kernel, mapper.fields, rows));
  const { count, entries, buckets } = digestsOf[within].take(events, ordinal);
  return Array.from({ length: count }, (_, index) => ({
    entry: [...entries.subarray(index * KEY_WORDS, (index + 1) * KEY_WORDS)],
    bucket: buckets[index],
  }));
}

const u64 = (value: bigint) => BigInt.asUintN(64, value);
const rotate = (word: bigint, by: bigint) => u64(word << by) | (u64(word) >> (64n - by));

/** The digest of words, written from the descriptions of XXH64 and MurmurHash3. */
function oracle(words: readonly bigint[]): readonly number[] {
  let first = 0x27d4eb2f165667c5n;
  let second = 0x87c37b91114253d5n;
  for (const word of words) {
    const one = u64(rotate(u64(word * 0xc2b2ae3d27d4eb4fn), 31n) * 0x9e3779b185ebca87n);
    first = u64(rotate(first ^ one, 27n) * 0x9e3779b185ebca87n + 0x85ebca77c2b2ae63n);
    const other = u64(rotate(u64(word * 0x4cf5ad432745937fn), 33n) * 0x87c37b91114253d5n);
    second = u64(rotate(second ^ other, 31n) * 5n + 0x38495ab5n);
  }
  first = u64((first ^ (first >> 33n)) * 0xc2b2ae3d27d4eb4fn);
  first = u64((first ^ (first >> 29n)) * 0x165667b19e3779f9n);
  first ^= first >> 32n;
  second = u64((second ^ (second >> 33n)) * 0xff51afd7ed558ccdn);
  second = u64((second ^ (second >> 33n)) * 0xc4ceb9fe1a85ec53n);
  second ^= second >> 33n;
  return [first, second].flatMap((hash) => [Number(hash & 0xffffffffn), Number(hash >> 32n)]);
}

function wordsOf(text: string | null): readonly bigint[] {
  if (text === null) return [u64(-1n)];
  const bytes = Buffer.from(text);
  const padded = Buffer.concat([bytes, Buffer.alloc(-bytes.length & 7)]);
  const words = Array.from({ length: padded.length / 8 }, (_, at) =>
    padded.readBigUInt64LE(at * 8),
  );
  return [BigInt(bytes.length), ...words];
}

const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 });
const optional = fc.option(text);
const row = fc.record({
  id: optional,
  event: text,
  time: fc.integer({ min: 0, max: 1e12 }),
  user: optional,
  device: text,
});

it("digests keys like the published hashes, and gives rows without an insert id no key", () => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 20 }), fc.boolean(), (rows, isByDay) => {
      const found = digest(rows, isByDay ? "day" : "all", 7);
      const expected = rows.flatMap((one, index) => {
        if (one.id === null) return [];
        const day = isByDay ? Math.floor(one.time / DAY_MS) : 0;
        const texts = [one.id, one.event, one.user, one.device].flatMap(wordsOf);
        return [[...oracle([BigInt(day), BigInt(one.time), ...texts]), 7 + index, index]];
      });
      expect(found.map(({ entry }) => entry)).toEqual(expected);
    }),
    { numRuns: propertyRuns(200) },
  );
});

it("distinguishes neighbouring texts by their lengths, null from nothing, and days", () => {
  const base = { id: "1", event: "ab", time: 5, user: "c", device: "d" };
  const rows: readonly CellRow[] = [
    base,
    { ...base, event: "a", user: "bc" },
    { ...base, event: "a", user: null },
    { ...base, time: 6 },
    { ...base, time: 5 + DAY_MS },
  ];
  const digests = digest(rows, "day").map(({ entry }) => entry.slice(0, 4).join());
  expect(new Set(digests).size).toBe(rows.length);
});

it("puts keys of one day into few buckets, and all keys into many", () => {
  const rows = Array.from({ length: 2_000 }, (_, index) => {
    return { id: `id-${index}`, event: "e", time: index * 1_000, user: "u", device: "d" };
  });
  const buckets = (within: "day" | "all") => new Set(digest(rows, within).map((one) => one.bucket));
  expect(buckets("day").size).toBe(64);
  expect(buckets("all").size).toBeGreaterThan(1_000);
});

it("compares values as the texts that an output holds, and objects by their bytes", () => {
  const mapped = createMapper(kernel, {
    mapping: resolveWritten({
      event: "event",
      timestamp: { field: "time", format: "ms" },
      userID: "user",
      value: "value",
      metadata: "props",
    }),
    ...limits,
  });
  const digests = new KeyDigests(kernel, {
    within: "all",
    by: ["event", "value", "metadata"],
    dayZone: "UTC",
  });
  const keyOf = (value: CellRow[string], props = "{}") => {
    const row = { event: "e", time: 5, user: "u", value, props: { json: props } };
    const events = mapped.map(createBatch(kernel, mapped.fields, [row]));
    return digests.take(events, 0).entries.slice(0, 4).join();
  };
  const json = (text: string) => keyOf({ json: text });
  const escaped = String.raw`"\u00e9"`;
  expect(json(escaped)).toBe(json('"é"'));
  expect(json(String.raw`"\/\u0061\"\n"`)).toBe(json(String.raw`"/a\u0022\u000a"`));
  expect(json("5")).toBe(json('"5"'));
  expect(json('""')).not.toBe(keyOf(null));
  const different = ['"5.0"', "5", "5e0", '"é"', '"e"', '"\\\\u00e9"', '""', '"\\""'].map(json);
  expect(new Set(different).size).toBe(different.length);
  expect(keyOf(null, '{"a":"é"}')).not.toBe(keyOf(null, String.raw`{"a":"\u00e9"}`));
});

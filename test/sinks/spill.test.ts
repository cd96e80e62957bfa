import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { tableFromIPC } from "apache-arrow";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { parquetReadObjects } from "hyparquet";
import { describe, expect, test } from "vitest";
import { type OutputFormat, outputFormatNames } from "../../src/formats/output-formats.js";
import type { SplitRecord } from "../../src/ledger/ledger-records.js";
import { layoutOf } from "../../src/output/layout.js";
import { locatePacks, planMerges, WaitingTotals } from "../../src/run/merge/merge-plan.js";
import { type AppendedFile, diskFiles } from "../../src/sinks/part-files.js";
import type { PartFile, SpillFile } from "../../src/sinks/sink.js";
import { readSpillIndex, spillPathOf } from "../../src/sinks/spill/spill-files.js";
import { propertyRuns, someOf } from "../support/property-runs.js";
import { usedKernel } from "../support/used-kernel.js";
import {
  commitSplit,
  createSink,
  digestTree,
  type EventRow,
  eventRow,
  readTree,
  type SinkOptions,
  temporaryDirectory,
  writeRows,
} from "./event-rows.js";

const DAY_MS = 86_400_000;
const watch = { checkpoint: () => {}, taken: () => {} };

interface Spilled {
  readonly directory: string;
  readonly options: SinkOptions;
  readonly parts: readonly PartFile[];
  readonly spills: readonly (readonly [splitId: string, file: SpillFile])[];
}

async function workerFor(directory: string, options: SinkOptions) {
  const kernel = usedKernel();
  return { kernel, sink: await createSink(kernel, directory, options) };
}

/** Writes splits, each of which may spill. */
async function spill(
  splits: readonly (readonly EventRow[])[],
  options: SinkOptions = {},
): Promise<Spilled> {
  const directory = temporaryDirectory();
  const { kernel, sink } = await workerFor(directory, { spills: true, ...options });
  const parts: PartFile[] = [];
  const spills: [string, SpillFile][] = [];
  for (const [index, rows] of splits.entries()) {
    const id = String(index).padStart(6, "0");
    const split = sink.openSplit(id);
    await writeRows(split, kernel, rows, 400);
    const commitment = await commitSplit(split);
    parts.push(...commitment.parts);
    if (commitment.spill !== undefined) spills.push([id, commitment.spill]);
  }
  return { directory, options, parts, spills };
}

/** Merges what was spilled, as many bytes at a time, with a worker of its own. */
async function merge(
  { directory, options, spills }: Spilled,
  mergeBytes = 1 << 20,
): Promise<readonly PartFile[]> {
  const { sink } = await workerFor(directory, options);
  const totals = new WaitingTotals();
  for (const [id, file] of spills) totals.add(readSpillIndex(spillPathOf(directory, id), file));
  const parts: PartFile[] = [];
  const merges = planMerges(totals, mergeBytes);
  const records = spills.map(([id, spill]) => ({ id, spill }) as SplitRecord);
  const packsOf = locatePacks(layoutOf(directory, "events"), records, merges);
  for (const [index, { id, rows }] of merges.entries()) {
    const written = await sink.mergeDays({ id, splits: packsOf(index), staged: [] }, watch);
    expect(written.rows).toBe(rows);
    parts.push(...(await written.commit()).parts);
  }
  return parts;
}

/** The `metadata` of the rows of a part, which tells rows apart. */
async function marksOf(
  directory: string,
  path: string,
  format: OutputFormat,
): Promise<readonly string[]> {
  const bytes = readFileSync(join(directory, path));
  const texts = (text: string) =>
    text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.stringify(JSON.parse(line).metadata));
  switch (format) {
    case "jsonl":
      return texts(bytes.toString());
    case "jsonl.gz":
      return texts(gunzipSync(bytes).toString());
    case "csv":
      return (parse(bytes, { columns: true }) as EventRow[]).map(({ metadata }) => metadata);
    case "parquet": {
      const file = new Uint8Array(bytes).buffer;
      const rows = await parquetReadObjects({ file, columns: ["metadata"] });
      return rows.map((row) => String(row["metadata"]));
    }
    case "arrow":
      return [...(tableFromIPC(bytes).getChild("metadata") ?? [])].map(String);
  }
}

/** Rows that can be told apart, on days in no order. */
function scattered(rows: number, days: number, mark: string): EventRow[] {
  return Array.from({ length: rows }, (_, index) =>
    eventRow({
      event: index % 3 === 0 ? "page_view" : "purchase ☕",
      timestamp: Date.UTC(2024, 0, 1) + ((index * 7919) % days) * DAY_MS + index,
      userID: index % 5 === 0 ? null : `user-${index}`,
      value: [null, "12.50", '"free, \\"text\\""', '""'][index % 4] ?? null,
      metadata: JSON.stringify({ mark: `${mark}-${index}` }),
    }),
  );
}

const someRow = fc.record({
  day: fc.integer({ min: -40, max: 40 }),
  bytes: fc.oneof({ weight: 30, arbitrary: fc.integer({ max: 60 }) }, fc.constant(30_000)),
  isNull: fc.boolean(),
});

describe.each(someOf(outputFormatNames, 5))("spilled rows in %s", (format) => {
  test("are each in the part of their day, once, in the order of the splits", async () => {
    const splits = fc.array(fc.array(someRow, { maxLength: 600, size: "max" }), { maxLength: 4 });
    const property = fc.asyncProperty(
      splits,
      fc.integer({ min: 1_000, max: 80_000 }),
      fc.integer({ min: 1, max: 100_000 }),
      async (drawn, partBytes, mergeBytes) => {
        const rows = drawn.map((split, id) =>
          split.map(({ day, bytes, isNull }, row) =>
            eventRow({
              timestamp: day * DAY_MS + row,
              userID: isNull ? null : "u",
              metadata: JSON.stringify({ id, row, text: "x".repeat(Math.max(0, bytes)) }),
            }),
          ),
        );
        const spilled = await spill(rows, { format, partBytes });
        const merged = await merge(spilled, mergeBytes);
        const found = new Map<string, string[]>();
        for (const { path, day, rows: count } of [...spilled.parts, ...merged]) {
          const marks = await marksOf(spilled.directory, path, format);
          expect(marks).toHaveLength(count);
          if (path.includes("merged")) expect(marks).toEqual([...marks].sort(inOrderOfSplits));
          found.set(day, [...(found.get(day) ?? []), ...marks]);
        }
        const expected = new Map<string, string[]>();
        for (const { timestamp, metadata } of rows.flat()) {
          const day = new Date(timestamp).toISOString().slice(0, 10);
          expected.set(day, [...(expected.get(day) ?? []), metadata]);
        }
        for (const marks of [...found.values(), ...expected.values()]) marks.sort();
        expect(new Map([...found].sort())).toEqual(new Map([...expected].sort()));
      },
    );
    await fc.assert(property, { numRuns: propertyRuns(12) });
  });

  test("have the same bytes whatever days were merged together", async () => {
    const rows = [scattered(3000, 40, "a"), scattered(2000, 60, "b")];
    const [one, other] = [await spill(rows, { format }), await spill(rows, { format })];
    expect(digestTree(one.directory)).toEqual(digestTree(other.directory));
    const parts = await merge(one);
    expect(await merge(other, 1)).toEqual(parts);
    expect(digestTree(one.directory)).toEqual(digestTree(other.directory));
    expect(parts).toHaveLength(60);
    for (const { path } of parts) expect(path).toMatch(/\/part-merged-000\./);
  });
});

function inOrderOfSplits(one: string, other: string): number {
  const [a, b] = [JSON.parse(one), JSON.parse(other)];
  return a.id - b.id || a.row - b.row;
}

describe("a split", () => {
  test("writes its parts as without spilling if days are few, in order, or large", async () => {
    const few = scattered(4000, 16, "few");
    const inOrder = Array.from({ length: 20_000 }, (_, index) =>
      eventRow({ timestamp: Math.floor(index / 500) * DAY_MS + index }),
    );
    const large = Array.from({ length: 9000 }, (_, index) =>
      eventRow({ timestamp: (index % 2 === 0 ? index % 14 : 100) * DAY_MS }),
    );
    for (const rows of someOf([few, inOrder, [...inOrder].reverse(), large], 2)) {
      const [spilling, plain] = [await spill([rows]), await spill([rows], { spills: false })];
      expect(spilling.spills).toEqual([]);
      expect(digestTree(spilling.directory)).toEqual(digestTree(plain.directory));
    }
  });

  test("spills what comes late, and nothing else", async () => {
    const rows = Array.from({ length: 20_000 }, (_, index) =>
      eventRow({
        timestamp:
          (index % 50 === 0 ? 100 + ((index / 50) % 30) : 200 + Math.floor(index / 10_000)) *
          DAY_MS,
      }),
    );
    const { parts, spills } = await spill([rows]);
    expect(new Set(parts.map(({ day }) => day))).toEqual(new Set(["1970-07-20", "1970-07-21"]));
    expect(spills.map(([, { rows: count }]) => count)).toEqual([400]);
  });

  test("that is aborted leaves no spilled rows", async () => {
    const directory = temporaryDirectory();
    const { kernel, sink } = await workerFor(directory, { spills: true, partBytes: 20_000 });
    const split = sink.openSplit("000000");
    await writeRows(split, kernel, scattered(1000, 50, "a"));
    expect(Object.keys(readTree(directory))).toEqual(["_switchyard/tmp/000000/spill"]);
    await split.abort();
    expect(readTree(directory)).toEqual({});
  });

  test("that is run again replaces its spilled rows", async () => {
    const rows = scattered(1000, 50, "a");
    const quiet = await spill([rows]);
    const directory = temporaryDirectory();
    mkdirSync(join(directory, "_switchyard/spill"), { recursive: true });
    mkdirSync(join(directory, "_switchyard/tmp/000000"), { recursive: true });
    writeFileSync(spillPathOf(directory, "000000"), "of a run that was killed");
    writeFileSync(join(directory, "_switchyard/tmp/000000/spill"), "half written");
    const { kernel, sink } = await workerFor(directory, { spills: true });
    const split = sink.openSplit("000000");
    await writeRows(split, kernel, rows);
    await commitSplit(split);
    expect(digestTree(directory)).toEqual(digestTree(quiet.directory));
  });
});

describe("a merge", () => {
  test("accepts rows longer than a row buffer, and days of many row buffers", async () => {
    const long = (mark: string) => JSON.stringify({ mark, text: "z".repeat(200_000) });
    const rows = scattered(4000, 20, "a").map((row, index) =>
      index % 997 === 0 ? { ...row, metadata: long(`long-${index}`) } : row,
    );
    const spilled = await spill([rows, rows], { partBytes: 4096 });
    const parts = await merge(spilled);
    expect([...spilled.parts, ...parts].reduce((sum, part) => sum + part.rows, 0)).toBe(8000);
    expect(
      Math.max(...parts.map(({ path }) => Number(/-(\d+)\./.exec(path)?.[1]))),
    ).toBeGreaterThan(5);
  });

  test("finds the days of a split that had many row buffers", async () => {
    const rows = scattered(3000, 40, "a");
    const spilled = await spill([rows], { partBytes: 20_000 });
    const parts = await merge(spilled, 1);
    expect(parts).toHaveLength(40);
    for (const { path, day } of parts) {
      const [start, end] = [Date.parse(day), Date.parse(day) + DAY_MS];
      const ofDay = rows.filter(({ timestamp }) => start <= timestamp && timestamp < end);
      const marks = ofDay.map(({ metadata }) => metadata);
      expect(await marksOf(spilled.directory, path, "jsonl")).toEqual(marks);
    }
  });

  test("reads one range of each split that had many row buffers", async () => {
    const { directory, spills } = await spill([scattered(3000, 40, "a")], { partBytes: 20_000 });
    const [[id, file]] = spills as [[string, SpillFile]];
    const index = readSpillIndex(spillPathOf(directory, id), file);
    const packs = Array.from({ length: index.packs }, (_, place) => index.pack(place));
    expect(packs.length).toBeGreaterThan(2 * 40);
    expect(packs.map(({ day }) => day)).toEqual(packs.map(({ day }) => day).sort((a, b) => a - b));
    let end = 0;
    for (const { offset, bytes } of packs) {
      expect(offset).toBe(end);
      end += bytes;
    }
    expect(readFileSync(spillPathOf(directory, id))).toHaveLength(end);
  });

  test("merges more days than it loads at a time", async () => {
    const rows = scattered(4000, 1300, "a");
    const spilled = await spill([rows, rows]);
    const parts = await merge(spilled, 1 << 30);
    expect(parts).toHaveLength(1300);
    expect(parts.reduce((sum, part) => sum + part.rows, 0)).toBe(8000);
    const [{ path }] = parts as [PartFile];
    const days = rows.filter(({ timestamp }) => timestamp < Date.UTC(2024, 0, 2));
    const marks = days.map(({ metadata }) => metadata);
    expect(await marksOf(spilled.directory, path, "jsonl")).toEqual([...marks, ...marks]);
  });

  test("reads more files than may be open", async () => {
    const splits = Array.from({ length: 70 }, (_, id) => scattered(40, 20, `${id}`));
    const parts = await merge(await spill(splits));
    expect(parts).toHaveLength(20);
    expect(parts.reduce((sum, part) => sum + part.rows, 0)).toBe(70 * 40);
  });

  test("stops when asked to, and leaves nothing", async () => {
    const spilled = await spill([scattered(1000, 50, "a")]);
    const { sink } = await workerFor(spilled.directory, {});
    const before = digestTree(spilled.directory);
    const task = {
      id: "000000",
      splits: splitsOf(spilled),
      staged: [],
    };
    let packs = 0;
    const stopping = {
      checkpoint() {
        if (++packs === 30) throw new Error("stopped");
      },
      taken: () => {},
    };
    await expect(sink.mergeDays(task, stopping)).rejects.toThrow("stopped");
    expect(digestTree(spilled.directory)).toEqual(before);
  });

  test.each([
    ["spilling", "_switchyard/tmp/000000/spill"],
    ["merging", "_switchyard/tmp/merge-000000"],
  ])("and a disk that is full while %s: the error names the path", async (when, place) => {
    const files = {
      ...diskFiles,
      open(path: string): AppendedFile {
        const file = diskFiles.open(path);
        const append = () => {
          throw Object.assign(new Error("ENOSPC: as if"), { code: "ENOSPC" });
        };
        return path.includes(place) ? { append, close: () => file.close() } : file;
      },
    };
    const rows = [scattered(1000, 50, "a")];
    const work =
      when === "spilling"
        ? spill(rows, { files })
        : merge({ ...(await spill(rows)), options: { files } });
    await expect(work).rejects.toMatchObject({
      code: "disk_full",
      message: expect.stringContaining(place),
    });
  });

  test.each(
    someOf(
      ["a changed length", "a changed letter", "a file that was cut off", "a missing file"],
      2,
    ),
  )("names a spill file with %s, and writes nothing", async (damage) => {
    const spilled = await spill([scattered(1000, 50, "a"), scattered(1000, 50, "b")]);
    const path = spillPathOf(spilled.directory, "000001");
    if (damage === "a missing file") rmSync(path);
    else if (damage === "a file that was cut off") truncateSync(path, 100);
    else {
      const bytes = readFileSync(path);
      // In the first pack, of 20 rows: 160 bytes of timestamps, then 480 of lengths, then the
      // cells.
      bytes[damage === "a changed length" ? 200 : 700]! ^= 1;
      writeFileSync(path, bytes);
    }
    const { sink } = await workerFor(spilled.directory, {});
    const task = {
      id: "000000",
      splits: splitsOf(spilled),
      staged: [],
    };
    await expect(sink.mergeDays(task, watch)).rejects.toMatchObject({
      code: "spill_damaged",
      message: expect.stringContaining(path),
    });
    expect(
      Object.keys(readTree(spilled.directory)).filter((name) => /tmp|events/.test(name)),
    ).toEqual([]);
  });
});

function splitsOf({ spills }: Spilled) {
  return spills.map(([splitId, { bytes, packs }]) => ({ splitId, bytes, first: 0, count: packs }));
}

import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { brotliCompressSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { GIB, MAIN_THREAD_BYTES } from "../../src/base/limits.js";
import { builtFile } from "../../src/base/package-files.js";
import { createFormatDetection } from "../../src/readers/detect-format.js";
import type { InputFile } from "../../src/readers/inputs.js";
import { discoverShared, type SharedDiscoveryOptions } from "../../src/readers/shared-discovery.js";
import { discoverSources } from "../../src/readers/sources.js";
import { propertyRuns } from "../support/property-runs.js";
import { useScratchDirectory } from "./scratch.js";
import { writeZip } from "./zip-writer.js";
import { ZSTD_SAMPLE } from "./zstd-frames.js";

const scratch = useScratchDirectory();

/** For one more thread; some pieces and a bit. */
const SCOUT_FILES_MIN = 150;
const given = { csv: {} };
const options: SharedDiscoveryOptions = {
  ...{ given, ratioMax: 1_000, threads: 3, memoryBytes: GIB },
  signal: new AbortController().signal,
};

/** Threads that this process has started, and those that have ended. */
let started: Worker[] = [];
let ended = 0;
/** What is done to a thread as soon as it has been started. */
let meet: (worker: Worker) => void = () => {};

function countWorker(worker: Worker): void {
  started.push(worker);
  worker.once("exit", () => ended++);
  meet(worker);
}

beforeEach(() => {
  [started, ended, meet] = [[], 0, () => {}];
  process.on("worker", countWorker);
});

afterEach(() => {
  process.off("worker", countWorker);
});

const line = '{"event_type":"a","user_id":"b"}\n';
const table = "event,user,time\nopen,u1,2024-01-01\nclose,u2,2024-01-02\n";
const contents: Readonly<Record<string, Buffer>> = {
  "lines.jsonl": Buffer.from(line.repeat(9)),
  "lines.gz": gzipSync(line.repeat(999)),
  "large.jsonl": Buffer.from(line.repeat(9_999)),
  "array.json": Buffer.from(`[${line.repeat(2).replace("}\n{", "},{")}]`),
  "table.csv": Buffer.from(table),
  "table.tsv.gz": gzipSync(table.replaceAll(",", "\t")),
  "rows.parquet": Buffer.from("PAR1 and so on PAR1"),
  "lines.zst": ZSTD_SAMPLE,
  "lines.br": brotliCompressSync(line),
  "empty.json": Buffer.alloc(0),
  "cut.gz": gzipSync(line).subarray(0, 11),
  "late-cut.gz": gzipSync(line.repeat(9_999)).subarray(0, -5),
  "nested.gz": gzipSync(gzipSync(gzipSync(line))),
  "too-nested.gz": gzipSync(gzipSync(gzipSync(gzipSync(line)))),
  "noise.bin": Buffer.from("00ff13372042aa550b0c", "hex"),
  "sheet.xlsx": writeZip([{ name: "[Content_Types].xml", data: "<x/>" }]),
  "many.zip": writeZip([
    { name: "b.json", data: line },
    { name: "_hidden.json", data: line },
    { name: "../evil.json", data: line },
    { name: "a.csv.gz", data: gzipSync(table) },
  ]),
  "cut.zip": writeZip([{ name: "a.json", data: line }]).subarray(0, -9),
};
const kinds = [...Object.keys(contents), "directory", "missing.json"];

/** Files by kind, each with a name of its own. */
function filesOf(chosen: readonly string[]): readonly InputFile[] {
  for (const [name, bytes] of Object.entries(contents)) scratch.write(name, bytes);
  mkdirSync(scratch.path("directory"), { recursive: true });
  return chosen.map((kind, index) => ({ name: `${index}-${kind}`, path: scratch.path(kind) }));
}

/** As many files as take two more threads. */
const manyFiles = () =>
  filesOf(
    Array.from({ length: 2 * SCOUT_FILES_MIN }, (_, index) => kinds[index % kinds.length] ?? ""),
  );

function discoverAlone(files: readonly InputFile[]) {
  const { ratioMax, signal } = options;
  return discoverSources(files, { detect: createFormatDetection(given), ratioMax, signal });
}

test("any number of threads finds the same in the same order", async () => {
  const length = { minLength: SCOUT_FILES_MIN - 1, maxLength: 3 * SCOUT_FILES_MIN };
  const chosen = fc.array(fc.constantFrom(...kinds), { ...length, size: "max" });
  await fc.assert(
    fc.asyncProperty(chosen, fc.integer({ min: 2, max: 5 }), async (names, threads) => {
      const files = filesOf(names);
      const found = await discoverShared(files, { ...options, threads }, SCOUT_FILES_MIN);
      expect(found).toEqual(await discoverAlone(files));
    }),
    { numRuns: propertyRuns(4) },
  );
  expect(started.length).toBeGreaterThan(0);
  expect(ended).toBe(started.length);
});

test("no thread is started where one will do, or for want of memory", async () => {
  const files = manyFiles();
  await discoverShared(files.slice(0, SCOUT_FILES_MIN - 1), options, SCOUT_FILES_MIN);
  await discoverShared(files, { ...options, threads: 1 }, SCOUT_FILES_MIN);
  await discoverShared(files, { ...options, memoryBytes: MAIN_THREAD_BYTES }, SCOUT_FILES_MIN);
  await discoverShared(files, { ...options, memoryBytes: 0 }, SCOUT_FILES_MIN);
  expect(started).toEqual([]);
  await discoverShared(files, options, SCOUT_FILES_MIN);
  expect([started.length, ended]).toEqual([2, 2]);
});

test("what the user says of the inputs holds for every thread", async () => {
  const files = manyFiles();
  const found = await discoverShared(
    files,
    { ...options, given: { csv: {}, kind: "json" } },
    SCOUT_FILES_MIN,
  );
  expect(new Set(found.sources.map(({ format }) => format.kind))).toEqual(
    new Set(["json", "ndjson"]),
  );
  expect(
    found.sources.filter(({ format }) => format.kind === "ndjson").every(({ size }) => size === 0),
  ).toBe(true);
});

test("threads that die take nothing with them", async () => {
  const files = manyFiles();
  const expected = await discoverAlone(files);
  const ends: ((worker: Worker) => void)[] = [
    (worker) => void worker.terminate(),
    (worker) => worker.once("message", () => void worker.terminate()),
    (worker) => worker.postMessage("no list of files"),
  ];
  for (const end of ends) {
    meet = end;
    expect(await discoverShared(files, options, SCOUT_FILES_MIN)).toEqual(expected);
  }
  expect([started.length, ended]).toEqual([6, 6]);
});

test("threads that cannot be started are done without", async () => {
  const files = manyFiles();
  let copies = 0;
  const given = {
    // Read once by the main thread, then by each thread that is started.
    get csv() {
      if (++copies > 2) throw new Error("no more of them");
      return {};
    },
  };
  const found = await discoverShared(files, { ...options, given }, SCOUT_FILES_MIN);
  expect(found).toEqual(await discoverAlone(files));
  expect([started.length, ended]).toEqual([1, 1]);
});

test("a bug ends its thread where Node lets rejections pass", async () => {
  const scout = new Worker(builtFile("scout-thread.js"), {
    execArgv: ["--unhandled-rejections=none"],
    workerData: { given, ratioMax: 1_000 },
  });
  scout.postMessage("no list of files");
  expect(await once(scout, "exit")).toEqual([1]);
});

test("a bug shows itself as such", async () => {
  const broken = { csv: null as never };
  await expect(
    discoverShared(manyFiles(), { ...options, given: broken }, SCOUT_FILES_MIN),
  ).rejects.toThrow(TypeError);
  expect([started.length, ended]).toEqual([2, 2]);
});

test("an abort ends it with the reason, and the threads with it", async () => {
  const reason = new Error("stopped");
  const files = manyFiles();
  for (const abortsFirst of [true, false]) {
    const controller = new AbortController();
    const { signal } = controller;
    if (abortsFirst) controller.abort(reason);
    meet = (worker) => worker.once("message", () => controller.abort(reason));
    await expect(discoverShared(files, { ...options, signal }, SCOUT_FILES_MIN)).rejects.toBe(
      reason,
    );
    expect(ended).toBe(started.length);
  }
  expect(started).toHaveLength(2);
});

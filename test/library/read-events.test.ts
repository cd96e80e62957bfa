import { linkSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { RecordBatch } from "apache-arrow";
import { beforeAll, expect, test, vi } from "vitest";
import { readEvents } from "../../src/library/read-events.js";
import type { FailedSource, RejectedRow } from "../../src/library/results.js";
import { exportEvents } from "../../src/library/runs.js";
import { readTree } from "../sinks/event-rows.js";
import { scratchDirectory } from "../support/scratch.js";

const root = scratchDirectory("read-events");
const sample = fileURLToPath(new URL("../../fixtures/sample", import.meta.url));
const timeLimits = "..2027-01-01";

function inputOf(name: string, text: string): string {
  const file = join(root, name);
  writeFileSync(file, text);
  return file;
}

const row = (event: string | null, properties: object = {}) =>
  JSON.stringify({
    event_type: event,
    event_time: "2026-01-31 12:00:00",
    user_id: "u",
    event_properties: properties,
  });

const MANY_ROWS = 40_000;
let manyRowsFile: string | undefined;

/** Returns a file of 20 MB, which is written once. */
function manyRows(): string {
  manyRowsFile ??= inputOf(
    "many.jsonl",
    Array.from({ length: MANY_ROWS }, (_, index) =>
      row("a", { text: "x".repeat(500), index }),
    ).join("\n"),
  );
  return manyRowsFile;
}

async function rowsOf(batches: AsyncIterable<RecordBatch>): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  for await (const batch of batches) for (const one of batch) rows.push(one?.toJSON() ?? {});
  return rows;
}

// A directory of its own: other processes read events, too.
const temporaryDirectory = join(root, "tmp");
mkdirSync(temporaryDirectory);
beforeAll(() => {
  vi.stubEnv("TMPDIR", temporaryDirectory);
  return () => void vi.unstubAllEnvs();
});

const temporary = () => readdirSync(temporaryDirectory);

test("the events are those of an export, in the order of the inputs", async () => {
  const events = readEvents(sample, { timeLimits });
  const found = (await rowsOf(events)).map(({ timestamp, event, user, metadata }) =>
    JSON.stringify({ event, timestamp: Number(timestamp), user, metadata }),
  );
  expect(events.rows).toMatchObject({ read: 4250, delivered: 4250, rejected: 0 });
  const to = join(root, "exported");
  await exportEvents({ inputs: sample, to, timeLimits, format: "jsonl", threads: 1 });
  const lines = Object.entries(readTree(to))
    .filter(([path]) => path.startsWith("events/"))
    .flatMap(([, bytes]) => bytes.toString().trimEnd().split("\n"));
  const exported = lines.map((line) => {
    const { event, timestamp, user, metadata } = JSON.parse(line) as Record<string, unknown>;
    return JSON.stringify({
      event,
      timestamp,
      user: JSON.stringify(user),
      metadata: JSON.stringify(metadata),
    });
  });
  const normal = (text: string) => {
    const { user, metadata, ...rest } = JSON.parse(text) as Record<string, string>;
    return JSON.stringify([rest, JSON.parse(user ?? ""), JSON.parse(metadata ?? "")]);
  };
  expect(found.map(normal).sort()).toEqual(exported.map(normal).sort());
});

test("columns have the types of an Arrow part, and belong to the caller", async () => {
  const file = inputOf("typed.jsonl", [row("a", { n: 1.5 }), row("b")].join("\n"));
  const kept: RecordBatch[] = [];
  for await (const batch of readEvents(file)) kept.push(batch);
  expect(kept).toHaveLength(1);
  expect(kept[0]).toBeInstanceOf(RecordBatch);
  expect(kept[0]?.schema.fields.map(({ name, type }) => `${name} ${type}`)).toEqual([
    "event Utf8",
    "timestamp Int64",
    "userID Utf8",
    "stableID Utf8",
    "value Utf8",
    "user Utf8",
    "metadata Utf8",
    "insertID Utf8",
  ]);
  expect(kept[0]?.toArray().map((one) => one?.toJSON())).toMatchObject([
    { event: "a", timestamp: 1_769_860_800_000n, userID: "u", stableID: null },
    { event: "b" },
  ]);
});

test("many rows come in bounded batches, and leaving the loop frees what was open", async () => {
  const file = manyRows();
  const sizes: number[] = [];
  for await (const batch of readEvents(file)) {
    sizes.push(batch.numRows);
    expect(batch.data.byteLength).toBeLessThan(6 << 20);
    if (sizes.length === 2) break;
  }
  expect(sizes).toHaveLength(2);
  expect(sizes[0]).toBeLessThan(15_000);
  expect(temporary()).toEqual([]);
  expect((await rowsOf(readEvents(file))).length).toBe(MANY_ROWS);
});

test("rejected rows are handed over, counted, or end the iteration with an error", async () => {
  const file = inputOf("rejects.jsonl", [row("a"), row(null), "{", row("b")].join("\n"));
  const rejected: RejectedRow[] = [];
  const events = readEvents(file, { onReject: (one) => void rejected.push(one) });
  expect(await rowsOf(events)).toHaveLength(2);
  expect(rejected).toMatchObject([
    { source: file, row: 2, code: "event_missing" },
    { source: file, row: 3 },
  ]);
  expect(events.rows).toMatchObject({ read: 4, delivered: 2, rejected: 2 });
  expect(events.rejects.map(({ rows }) => rows)).toEqual([1, 1]);

  const strict: unknown[] = [];
  const read = async () => {
    for await (const batch of readEvents(file)) strict.push(...batch);
  };
  await expect(read()).rejects.toMatchObject({ code: "rejects_exceeded" });
  expect(strict).toHaveLength(2);
  expect(await rowsOf(readEvents(file, { maxRejects: "50%" }))).toHaveLength(2);
});

test("a source that fails ends the iteration, or is handed over and the next one follows", async () => {
  const broken = join(root, "1-broken.jsonl.gz");
  writeFileSync(broken, gzipSync(row("never")).subarray(0, 20));
  const good = inputOf("2-good.jsonl", row("a"));
  const inputs = [broken, good];
  await expect(rowsOf(readEvents(inputs))).rejects.toMatchObject({ code: "source_truncated" });
  const failures: FailedSource[] = [];
  const options = { onFailure: (failure: FailedSource) => void failures.push(failure) };
  expect(await rowsOf(readEvents(inputs, options))).toMatchObject([{ event: "a" }]);
  expect(failures).toMatchObject([{ source: broken }]);
});

test("a checksum that fails after its rows says that their events were given out", async () => {
  const file = join(root, "altered.jsonl.gz");
  const bytes = gzipSync(`${row("a")}\n${row("b")}\n`);
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 8) ^ 1, bytes.length - 8);
  writeFileSync(file, bytes);
  await expect(rowsOf(readEvents(file))).rejects.toMatchObject({
    code: "source_corrupt",
    message: expect.stringMatching(
      /altered.*were already delivered: discard the events of this source/s,
    ),
  });
});

test("an aborted signal ends the iteration with its reason", async () => {
  const controller = new AbortController();
  const file = manyRows();
  const read = async () => {
    for await (const _ of readEvents(file, { signal: controller.signal })) controller.abort();
  };
  await expect(read()).rejects.toMatchObject({ name: "AbortError" });
});

test("other work of the thread runs while the input is read", async () => {
  const file = manyRows();
  const timers: number[] = [];
  const timer = setInterval(() => timers.push(events.rows.read), 0);
  const events = readEvents(file);
  let batches = 0;
  for await (const _ of events) batches++;
  clearInterval(timer);
  expect(batches).toBeGreaterThan(3);
  expect(timers.filter((read) => read > 0 && read < MANY_ROWS).length).toBeGreaterThanOrEqual(3);
});

test("an abort by a timer ends the iteration, also where no batch is made", async () => {
  const file = manyRows();
  // One file may end before a timer has its turn.
  const files = Array.from({ length: 12 }, (_, index) => `${file}.${index}`);
  for (const link of files) linkSync(file, link);
  for (const excludeEvent of [[], ["a"]]) {
    const controller = new AbortController();
    const events = readEvents(files, { excludeEvent, signal: controller.signal });
    const timer = setInterval(() => {
      if (events.rows.read > 0) controller.abort(new Error("by a timer"));
    }, 0);
    await expect(rowsOf(events)).rejects.toThrow("by a timer");
    clearInterval(timer);
  }
});

test("a list of columns gives the batches other columns, with types", async () => {
  const input = inputOf(
    "typed.ndjson",
    [row("a", { price: "2.5" }), row("b", { price: "x" })].join("\n"),
  );
  const rejected: RejectedRow[] = [];
  const events = readEvents(input, {
    timeLimits,
    mapping: { value: ["event_properties.price"] },
    columns: ["name=event", "at=timestamp:s", "price=value:double"],
    onReject: (one) => rejected.push(one),
  });
  expect(await rowsOf(events)).toEqual([
    { name: "a", at: BigInt(Date.UTC(2026, 0, 31, 12) / 1_000), price: 2.5 },
  ]);
  expect(rejected).toMatchObject([{ row: 2, code: "type_mismatch" }]);
  const withoutTime = readEvents(input, { columns: ["name=event"] });
  await expect(rowsOf(withoutTime)).rejects.toMatchObject({ code: "columns_invalid" });
});

test("a limit ends the events after the first rows, of which some may be rejected", async () => {
  const lines = [row("a"), row(null), row("b"), row("c")].join("\n");
  const inputs = [inputOf("limit-1.jsonl", lines), inputOf("limit-2.jsonl", lines)];
  for (const limit of [1, 3, 4, 6, 8, 9]) {
    const events = readEvents(inputs, { timeLimits, limit, onReject: () => undefined });
    const rows = await rowsOf(events);
    expect(events.rows).toMatchObject({ read: Math.min(limit, 8), delivered: rows.length });
    expect(rows.map(({ event }) => event)).toEqual([..."abcabc"].slice(0, rows.length));
  }
});

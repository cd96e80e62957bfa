import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, test } from "vitest";
import { encodeRows, writeContainer } from "../avro/avro-file.js";
import { runInProcess, runSwitchyard } from "../support/command-line.js";
import { readDelivered } from "../support/delivered.js";
import { digestExport } from "../support/directory-digest.js";
import { firstSplitFinished, scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("rows-in-rows");

const mapping = {
  rows: "events",
  event: "name",
  timestamp: "time",
  userID: "^.user.id",
  stableID: null,
  metadata: { rest: "" },
  user: { rest: "^.user" },
  insertID: null,
};

const time = Date.UTC(2026, 0, 31);

interface Visit {
  readonly user: object;
  readonly events?: unknown;
}

const visits: readonly Visit[] = [
  {
    user: { id: "u1", plan: "free" },
    events: [
      { name: "open", time, n: 1 },
      { name: "buy", time: time + 1, n: 2 },
    ],
  },
  { user: { id: "u2" }, events: [] },
  { user: { id: "u3" } },
  { user: { id: "u4" }, events: [5, { name: "close", time: time + 2 }] },
  { user: { id: "u5" }, events: { name: "lone", time } },
  { user: { id: "u6" }, events: "none" },
  { user: { id: "u7" }, events: [{ time }, { name: "last", time: time + 3 }] },
];

const delivered = [
  { event: "open", timestamp: time, user: { userID: "u1", plan: "free" }, metadata: { n: 1 } },
  { event: "buy", timestamp: time + 1, user: { userID: "u1", plan: "free" }, metadata: { n: 2 } },
  { event: "close", timestamp: time + 2, user: { userID: "u4" }, metadata: {} },
  { event: "last", timestamp: time + 3, user: { userID: "u7" }, metadata: {} },
];

const rejected = [
  {
    row: 4,
    element: "1",
    code: "element_not_object",
    message: "element 1 of events is 5, not an object",
  },
  {
    row: 5,
    code: "rows_not_list",
    message: `events must be a list of rows, but is the object {"name":"lone","time":${time}}`,
  },
  { row: 6, code: "rows_not_list", message: "events must be a list of rows, but is the text none" },
  { row: 7, element: "1", code: "event_missing", message: "no event name in name" },
];

function prepare(name: string, changes: object = {}, more: object = {}): string {
  const cwd = join(scratch, name);
  mkdirSync(cwd, { recursive: true });
  const configuration = { mapping: { ...mapping, ...changes }, ...more };
  writeFileSync(join(cwd, "pipeline.config.json"), JSON.stringify(configuration));
  return cwd;
}

async function exportIn(cwd: string, ...words: readonly string[]) {
  const args = ["export", ...words, "--to", "out", "--format", "jsonl", "--json"];
  const { stdout, stderr, exitCode } = await runInProcess(args, { cwd });
  if (stdout === "") throw new Error(stderr);
  const { rows, notices } = JSON.parse(stdout);
  const events = await readDelivered(join(cwd, "out/events"));
  return { rows, notices, exitCode, stderr, events: events.map(({ text }) => JSON.parse(text)) };
}

function rejectLines(output: string) {
  const directory = join(output, "rejects");
  return readdirSync(directory)
    .sort()
    .flatMap((name) => readFileSync(join(directory, name), "utf8").trimEnd().split("\n"))
    .map((line) => JSON.parse(line));
}

test.each([
  ["lines", visits.map((visit) => `${JSON.stringify(visit)}\n`).join("")],
  ["array", `[\n${visits.map((visit) => JSON.stringify(visit)).join(",\n")}\n]`],
  ["wrapped", JSON.stringify({ status: "ok", visits })],
  ["keyed", JSON.stringify(Object.fromEntries(visits.map((visit, n) => [`k${n}`, visit])))],
])("elements are rows in JSON: %s", async (name, text) => {
  const cwd = prepare(name);
  writeFileSync(join(cwd, "in.json"), text);
  const { rows, notices, events } = await exportIn(cwd, "in.json");
  expect(events).toEqual(delivered);
  expect(rows).toMatchObject({ read: 8, delivered: 4, rejected: 4, filtered: 0 });
  expect(notices).toMatchObject({ row_without_elements: 2 });
  expect(rejectLines(join(cwd, "out"))).toMatchObject(rejected);

  // Each line is read again as the same row.
  const again = prepare(`${name}-again`, { event: { field: ["name"] } });
  const { rows: second } = await exportIn(again, join(cwd, "out/rejects"));
  expect(second).toMatchObject({ read: 4, delivered: 0, rejected: 4 });
  expect(rejectLines(join(again, "out"))).toMatchObject(
    rejected.map((one) => ({ ...one, source: "in.json" })),
  );
});

test("elements of nested Parquet are rows", async () => {
  const cwd = prepare("parquet");
  const database = await (await DuckDBInstance.create(":memory:")).connect();
  const events =
    "[{'name': 'a', 'time': 1769817600000, 'n': 1}, {'name': null, 'time': 2, 'n': 2}]";
  const rows = [
    `select {'id': 'u1', 'plan': 'free'} as user, ${events} as events`,
    "select {'id': 'u2', 'plan': null}, []",
    "select {'id': 'u3', 'plan': null}, null",
    "select {'id': 'u4', 'plan': 'x'}, [{'name': 'b', 'time': 1769817600001, 'n': 9007199254740993}]",
  ].join(" union all ");
  await database.run(`copy (${rows}) to '${join(cwd, "in.parquet")}' (format parquet)`);
  database.closeSync();
  const { rows: counts, notices, events: found } = await exportIn(cwd, "in.parquet");
  expect(counts).toMatchObject({ read: 3, delivered: 2, rejected: 1 });
  expect(notices).toMatchObject({ row_without_elements: 2 });
  expect(found).toMatchObject([
    { event: "a", user: { userID: "u1", plan: "free" }, metadata: { n: 1 } },
    { event: "b", user: { userID: "u4", plan: "x" } },
  ]);
  const [reject] = rejectLines(join(cwd, "out"));
  expect(reject).toMatchObject({ row: 1, element: "2", code: "event_missing" });

  const again = prepare("parquet-again", { event: ["name", "n"], timestamp: "^.time" });
  const { rows: second } = await exportIn(again, join(cwd, "out/rejects"));
  expect(second).toMatchObject({ read: 1, rejected: 1 });
  expect(rejectLines(join(again, "out"))).toMatchObject([
    { row: 1, element: "2", code: "event_not_text", source: "in.parquet" },
  ]);
});

const sessions = [
  {
    u: "a",
    data: [
      {
        device: "d1",
        list: [
          { e: "x", t: time },
          { e: "y", t: time + 1 },
        ],
      },
      {},
    ],
  },
  { u: "b", data: { device: "d2", list: [{ t: time }, { e: "z", t: time + 2 }] } },
  {
    u: "c",
    data: [
      { device: "d3", list: null },
      { device: "d4", list: [{ e: "w", t: time + 3 }, 7] },
    ],
  },
];

const nested = {
  rows: "data.list",
  event: "e",
  timestamp: "t",
  userID: "^.^.u",
  stableID: "^.device",
  metadata: { rest: "^" },
  user: { rest: "^.^" },
  insertID: null,
};

test("a path leads through lists and objects", async () => {
  const cwd = prepare("nested", nested);
  writeFileSync(join(cwd, "in.jsonl"), sessions.map((one) => `${JSON.stringify(one)}\n`).join(""));
  const { rows, notices, events } = await exportIn(cwd, "in.jsonl");
  const event = (name: string, after: number, userID: string, stableID: string) => ({
    event: name,
    timestamp: time + after,
    user: { userID, stableID },
    metadata: {},
  });
  expect(events).toEqual([
    event("x", 0, "a", "d1"),
    event("y", 1, "a", "d1"),
    event("z", 2, "b", "d2"),
    event("w", 3, "c", "d4"),
  ]);
  expect(rows).toMatchObject({ read: 6, delivered: 4, rejected: 2 });
  expect(notices).toMatchObject({ row_without_elements: 2 });
  const rejects = rejectLines(join(cwd, "out"));
  expect(rejects).toMatchObject([
    { row: 2, element: "1.1", code: "event_missing" },
    { row: 3, element: "2.2", message: "element 2.2 of data.list is 7, not an object" },
  ]);
  expect(JSON.parse(rejects[0].raw)).toEqual({
    u: "b",
    data: [{ device: "d2", list: [{ t: time }] }],
  });

  const again = prepare("nested-again", { ...nested, event: ["e", "^.device"] });
  const second = await exportIn(again, join(cwd, "out/rejects"));
  expect(second.events).toEqual([event("d2", 0, "b", "d2")]);
  expect(rejectLines(join(again, "out"))).toMatchObject([{ row: 3, element: "2.2" }]);
});

test("rows that were rejected as they are can be read again as their elements", async () => {
  const cwd = prepare("late", { rows: null });
  writeFileSync(
    join(cwd, "in.jsonl"),
    visits.map((visit) => `${JSON.stringify(visit)}\n`).join(""),
  );
  const { rows } = await exportIn(cwd, "in.jsonl");
  expect(rows).toMatchObject({ read: 7, rejected: 7 });
  const again = prepare("late-again");
  const { events } = await exportIn(again, join(cwd, "out/rejects"));
  expect(events).toEqual(delivered);
  expect(rejectLines(join(again, "out"))).toMatchObject(rejected);
});

test("columns of the path are those of the elements, and of kept elements", async () => {
  const changes = {
    timestamp: "path.dt",
    metadata: { fields: [{ field: "path.dt", name: "day" }] },
  };
  const cwd = prepare("path", changes);
  mkdirSync(join(cwd, "dt=2026-01-31"));
  const line = '{"user":{"id":"u1"},"events":[{"name":"a","path":{"x":1}},{"kind":"b"}]}\n';
  writeFileSync(join(cwd, "dt=2026-01-31/in.jsonl"), line);
  const first = await exportIn(cwd, "dt=2026-01-31/in.jsonl");
  const event = { timestamp: time, user: { userID: "u1" }, metadata: { day: "2026-01-31" } };
  expect(first.events).toEqual([{ event: "a", ...event }]);
  const again = prepare("path-again", { ...changes, event: "kind" });
  const second = await exportIn(again, join(cwd, "out/rejects"));
  expect(second.events).toEqual([{ event: "b", ...event }]);
});

test("CSV is refused", async () => {
  const cwd = prepare("csv");
  writeFileSync(join(cwd, "in.csv"), "user,events\nu1,[]\nu2,[]\n");
  const { stderr } = await runInProcess(["export", "in.csv", "--to", "out"], { cwd });
  expect(stderr).toContain("CSV has no lists, but the mapping's rows are in the list events");
});

test("a field outside of the row is refused", async () => {
  const cwd = prepare("outside", { userID: "^.^.id" });
  writeFileSync(join(cwd, "in.jsonl"), "{}\n");
  const { stderr, exitCode } = await runInProcess(["export", "in.jsonl", "--to", "out"], { cwd });
  expect(exitCode).toBe(2);
  expect(stderr.replaceAll(/\s+/g, " ")).toContain("the field ^.^.id is outside of the row");
});

const ROWS = 3_000;

/** Each row has up to 6 events, a third of the rows none; every 40th event has no name. */
function writeMany(path: string): number {
  let events = 0;
  const lines = Array.from({ length: ROWS }, (_, row) => {
    const list = Array.from({ length: row % 3 === 0 ? 0 : row % 7 }, () => {
      const n = events++;
      const name = n % 40 === 7 ? null : `e${n % 5}`;
      return {
        name,
        time: time + n,
        id: `i${n - (n % 10 === 9 ? 1 : 0)}`,
        text: "x".repeat(n % 90),
      };
    });
    return `${JSON.stringify({ user: { id: `u${row}` }, events: list })}\n`;
  });
  writeFileSync(path, lines.join(""));
  return events;
}

const quiet = "--format jsonl --split-size 64KiB --max-rejects 10% --quiet".split(" ");

async function digestOf(cwd: string, output: string, ...more: readonly string[]) {
  const args = ["export", "in.jsonl", "--to", output, ...quiet, ...more];
  const result = await runInProcess(args, { cwd });
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  return digestExport(join(cwd, output));
}

const rowsOf = (output: string) =>
  JSON.parse(readFileSync(join(output, "manifest.json"), "utf8")).rows;

test("threads, limits, kills and duplicates count elements", async () => {
  const cwd = prepare("many", { insertID: "id" });
  const events = writeMany(join(cwd, "in.jsonl"));
  const one = await digestOf(cwd, "one", "--threads", "1");
  const rejected = Math.ceil((events - 7) / 40);
  expect(rowsOf(join(cwd, "one"))).toMatchObject({
    read: events,
    delivered: events - rejected,
    rejected,
  });
  expect(await digestOf(cwd, "two", "--threads", "3")).toEqual(one);

  await digestOf(cwd, "limited", "--limit", "1001");
  expect(rowsOf(join(cwd, "limited"))).toMatchObject({ read: 1_001 });

  await digestOf(cwd, "deduped", "--dedupe", "--threads", "2");
  const { read, delivered: kept, rejected: bad, duplicates } = rowsOf(join(cwd, "deduped"));
  expect(read).toBe(kept + bad + duplicates);
  // Of each ten events the last has the id of the one before; the rejected ones are others.
  expect(duplicates).toBe(Math.floor(events / 10));

  const killed = join(cwd, "killed");
  const args = ["export", "in.jsonl", "--to", "killed", ...quiet, "--threads", "2"];
  await runSwitchyard(args, {
    cwd,
    started: (child) => {
      void firstSplitFinished(killed).then(() => child.kill("SIGKILL"));
    },
  });
  expect(await digestOf(cwd, "killed", "--threads", "1")).toEqual(one);
});

test("a dry run and a preview know the elements", async () => {
  const cwd = prepare("dry");
  const lines = [visits[1], ...visits].map((visit) => `${JSON.stringify(visit)}\n`);
  writeFileSync(join(cwd, "in.jsonl"), lines.join(""));
  const validated = await runInProcess(["validate", "in.jsonl", "--json"], { cwd });
  const report = JSON.parse(validated.stdout);
  expect(report.rows).toMatchObject({ read: 8, rejected: 4 });
  expect(report.findings).toContainEqual(
    expect.objectContaining({
      code: "rows_without_elements",
      title: "3 rows of the sources have no elements, and give no events",
    }),
  );
  const samples = report.rejects.flatMap((one: { samples: object[] }) => one.samples);
  expect(samples).toContainEqual(expect.objectContaining({ row: 8, element: "1" }));

  const { stdout } = await runInProcess(["preview", "in.jsonl", "--json"], { cwd });
  const { rows } = JSON.parse(stdout) as { readonly rows: readonly Record<string, unknown>[] };
  expect(rows.map(({ row, element }) => [row, element])).toEqual([
    [2, "1"],
    [2, "2"],
    [5, "1"],
    [5, "2"],
    [6, undefined],
    [7, undefined],
    [8, "1"],
    [8, "2"],
  ]);
});

test.each([
  ['{"count":2,"k1":{"name":"a","time":1,"user":1},"k2":{"name":"b","time":1,"user":1}}'],
  ['{"k1":{"name":"a","time":1},"list":[1,2]}'],
  ['{"a":{"x":1},"b":{"y":[{"name":"a","time":1}]}}'],
])("one object that has neither rows nor an event is no event: %s", async (text) => {
  const cwd = prepare("neither", { rows: null, userID: "user" });
  writeFileSync(join(cwd, "in.json"), text);
  const { rows } = await exportIn(cwd, "in.json", "--fresh");
  expect(rows).toMatchObject({ delivered: 0, rejected: 1 });
  expect(rejectLines(join(cwd, "out"))).toMatchObject([{ code: "event_missing", row: 1 }]);
});

test("elements of Avro records are rows", async () => {
  const cwd = prepare("avro", { user: { fields: ["^.user.plan"] } });
  const record = (name: string, fields: object) => ({
    type: "record",
    name,
    fields: Object.entries(fields).map(([field, type]) => ({ name: field, type })),
  });
  const event = record("event", { name: "string", time: "long" });
  const user = record("user", { id: "string", plan: "string" });
  const schema = record("visit", { user, events: { type: "array", items: event } });
  const rows = encodeRows(schema, [
    { user: { id: "u1", plan: "free" }, events: [{ name: "", time: 1n }] },
    { user: { id: "u2", plan: "pro" }, events: [{ name: "a", time: BigInt(time) }] },
  ]);
  writeFileSync(join(cwd, "in.avro"), writeContainer(schema, rows));
  const { events } = await exportIn(cwd, "in.avro");
  expect(events).toEqual([
    { event: "a", timestamp: time, user: { userID: "u2", plan: "pro" }, metadata: {} },
  ]);
  expect(rejectLines(join(cwd, "out"))).toMatchObject([{ row: 1, element: "1" }]);
});

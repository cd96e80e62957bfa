import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, test } from "vitest";
import { openStore } from "../../src/store/open-store.js";
import { writeZip } from "../sources/zip-writer.js";
import { runInProcess } from "../support/command-line.js";
import { readDelivered } from "../support/delivered.js";
import { startGcsServer } from "../support/gcs-server.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("path-columns");

const mapping = {
  event: "path.event_name",
  timestamp: "path.dt",
  userID: "user",
  stableID: null,
  metadata: [{ fields: ["n", { field: "path.dt", name: "day" }] }],
  user: null,
  insertID: null,
};

function configure(directory: string, changes: object = {}): string {
  const cwd = join(scratch, directory);
  mkdirSync(cwd, { recursive: true });
  const configuration = { mapping: { ...mapping, ...changes } };
  writeFileSync(join(cwd, "pipeline.config.json"), JSON.stringify(configuration));
  return cwd;
}

function put(cwd: string, name: string, bytes: string | Buffer): void {
  mkdirSync(dirname(join(cwd, name)), { recursive: true });
  writeFileSync(join(cwd, name), bytes);
}

async function exportIn(cwd: string, ...words: readonly string[]) {
  const args = ["export", ...words, "--to", "out", "--format", "jsonl", "--json"];
  const { stdout, stderr } = await runInProcess(args, { cwd });
  const result = JSON.parse(stdout === "" ? "null" : stdout) as {
    readonly rows: Readonly<Record<string, number>>;
  } | null;
  const events = await readDelivered(join(cwd, "out/events"));
  return { stderr, result, events: events.map(({ text }) => JSON.parse(text)) };
}

const json = (user: string, n = 1) => `${JSON.stringify({ user, n })}\n`;
const dayOf = (date: string) => Date.parse(`${date}T00:00:00Z`);

test("directories are columns in all formats, in archives too", async () => {
  const cwd = configure("formats");
  put(cwd, "in/dt=2026-01-13/event_name=open/a.jsonl", json("u0") + json("u1"));
  put(cwd, "in/dt=2026-01-13/event_name=a%20b/a.csv.gz", gzipSync("user,n\nu2,1\nu3,1\n"));
  put(cwd, "in/dt=2026-01-14/event_name=array/a.json", `[${json("u4")},${json("u5")}]`);
  const parquet = "in/dt=2026-01-15/event_name=close";
  mkdirSync(join(cwd, parquet), { recursive: true });
  const database = await (await DuckDBInstance.create(":memory:")).connect();
  const rows = "select 'u' || (6 + i) as user, 1 as n from range(2) r(i)";
  await database.run(`copy (${rows}) to '${join(cwd, parquet)}/part-0.parquet' (format parquet)`);
  database.closeSync();
  const entry = { name: "event_name=zipped/a.json", data: json("u8") + json("u9") };
  put(cwd, "in/dt=2026-01-16/a.zip", writeZip([entry]));
  const { result, events } = await exportIn(cwd, "in");
  expect(result?.rows).toMatchObject({ read: 10, delivered: 10 });
  const expected = ["open", "a b", "array", "close", "zipped"].flatMap((event, index) => {
    const date = `2026-01-${[13, 13, 14, 15, 16][index]}`;
    return [0, 1].map((more) => ({
      event,
      timestamp: dayOf(date),
      user: { userID: `u${2 * index + more}` },
      metadata: { n: 1, day: date },
    }));
  });
  const sorted = [...events].sort((a, b) => (a.user.userID < b.user.userID ? -1 : 1));
  expect(
    sorted.map(({ metadata, ...event }) => ({
      ...event,
      metadata: { ...metadata, n: +metadata.n },
    })),
  ).toEqual(expected);
});

test("keys of a store are paths", async () => {
  const { endpoint, close } = await startGcsServer(["paths"]);
  process.env["STORAGE_EMULATOR_HOST"] = endpoint;
  try {
    const bucket = await openStore({ scheme: "gs", bucket: "paths" }, {});
    const { signal } = new AbortController();
    const bytes = Buffer.from(json("u0"));
    const put = { condition: "absent", sha256: "", signal } as const;
    await bucket.put("in/dt=2026-01-13/event_name=a%20b/a.jsonl", { bytes }, put);
    const cwd = configure("store");
    const { events } = await exportIn(cwd, "gs://paths/in");
    expect(events).toMatchObject([{ event: "a b", timestamp: dayOf("2026-01-13") }]);
  } finally {
    close();
  }
});

test("a column of the path counts before the rows' own, which counts without one", async () => {
  const cwd = configure("own", { timestamp: "time" });
  const row = (user: string) =>
    `${JSON.stringify({ user, n: 1, time: "2026-01-13", path: { event_name: "own", dt: "x" } })}\n`;
  put(cwd, "in/event_name=open/a.jsonl", row("u0"));
  put(cwd, "in/b.jsonl", row("u1"));
  const { events } = await exportIn(cwd, "in");
  expect(events).toMatchObject([
    { event: "own", metadata: { day: "x" }, user: { userID: "u1" } },
    { event: "open", metadata: { day: "x" }, user: { userID: "u0" } },
  ]);
});

test("a null of Hive is a missing value, and rejected rows keep their path", async () => {
  const cwd = configure("kept");
  put(cwd, "in/dt=__HIVE_DEFAULT_PARTITION__/event_name=open/a.jsonl", json("u0"));
  put(cwd, "in/dt=2026-01-13/event_name=open/a.jsonl", `${json("u1")}{"n": 2}\n`);
  put(cwd, "in/dt=2026-01-14/event_name=close/a.jsonl", '{"n": 3}\n');
  const { result } = await exportIn(cwd, "in");
  expect(result?.rows).toMatchObject({ read: 4, delivered: 1, rejected: 3 });
  const [file = ""] = readdirSync(join(cwd, "out/rejects"));
  const lines = readFileSync(join(cwd, "out/rejects", file), "utf8")
    .trim()
    .split("\n");
  const codes = lines.map((line) => (JSON.parse(line) as { code: string }).code);
  expect(codes.sort()).toEqual(["time_missing", "unit_id_missing", "unit_id_missing"]);

  configure("kept", { userID: ["user", "path.event_name"] });
  const args = ["export", "out/rejects", "--to", "again", "--format", "jsonl", "--json"];
  const { stdout } = await runInProcess(args, { cwd });
  expect(JSON.parse(stdout).rows).toMatchObject({ read: 3, delivered: 2, rejected: 1 });
  const again = (await readDelivered(join(cwd, "again/events"))).map(({ text }) =>
    JSON.parse(text),
  );
  expect(again).toMatchObject([
    { event: "open", timestamp: dayOf("2026-01-13"), metadata: { n: 2 } },
    { event: "close", timestamp: dayOf("2026-01-14"), metadata: { n: 3 } },
  ]);
});

test("rows that cannot be read stay rejects", async () => {
  const cwd = configure("faults");
  put(cwd, "in/dt=2026-01-13/event_name=open/a.jsonl", `${json("u0")}{"user": \n${json("u1")}`);
  const { result, events } = await exportIn(cwd, "in");
  expect(result?.rows).toMatchObject({ read: 3, delivered: 2, rejected: 1 });
  expect(events.map(({ event }) => event)).toEqual(["open", "open"]);
});

test("init proposes columns of the path for what rows lack", async () => {
  const cwd = join(scratch, "init");
  for (const [index, event] of ["open", "close", "buy"].entries()) {
    const rows = Array.from({ length: 30 }, (_, n) => json(`u${index}-${n}`, n)).join("");
    put(
      cwd,
      `in/dt=2026-01-1${index}/event_name=${event}/part-0.jsonl`,
      rows.replaceAll("user", "user_id"),
    );
  }
  const first = await runInProcess(["init", "in"], { cwd });
  expect(first.stderr + first.stdout).toContain("path.event_name");
  const text = readFileSync(join(cwd, "pipeline.config.json"), "utf8");
  expect(text).toContain('"event": "path.event_name"');
  expect(text).toMatch(/"timestamp": .*"path.dt"/);
  const { result, events } = await exportIn(cwd, "in");
  expect(result?.rows).toMatchObject({ read: 90, delivered: 90 });
  expect(new Set(events.map(({ event }) => event))).toEqual(new Set(["open", "close", "buy"]));
});

test("init prefers what the rows have", async () => {
  const cwd = join(scratch, "init-own");
  const row = (n: number) =>
    JSON.stringify({ event: "e", time: 1_768_262_400_000 + n, user_id: `u${n}` });
  const rows = Array.from({ length: 30 }, (_, n) => `${row(n)}\n`).join("");
  put(cwd, "in/dt=2026-01-13/event_name=open/a.jsonl", rows);
  await runInProcess(["init", "in"], { cwd });
  const text = readFileSync(join(cwd, "pipeline.config.json"), "utf8");
  expect(text).not.toContain('"path.');
});

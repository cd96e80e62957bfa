import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { beforeAll, describe, expect, it } from "vitest";
import { readEvents } from "../../src/library/read-events.js";
import { runInProcess } from "../support/command-line.js";
import { digestExport } from "../support/directory-digest.js";
import { scratchDirectory } from "../support/scratch.js";

const cwd = scratchDirectory("identity");
const env = { SWITCHYARD_HASH_SALT: "salt" };
const ROWS = 3_000;

interface Row {
  readonly event_type: string;
  readonly user_id: string | null;
  readonly device_id: string | null;
}

/** Row `index`: half of them have no user, some have no device. */
function rowOf(index: number): Row {
  const user_id = index % 2 === 0 ? null : `u${index % 50}`;
  const device_id = user_id !== null && index % 11 === 0 ? null : `d${index % 97}`;
  return { event_type: `e${index % 3}`, user_id, device_id };
}

/** The user of a device in the table; undefined for half of the devices. */
const users = new Map(
  Array.from({ length: 60 }, (_, device) => [`d${2 * device}`, `owner "${device}" é`]),
);

const expectedUser = ({ user_id, device_id }: Row) =>
  user_id ?? (device_id === null ? undefined : users.get(device_id));

const filled = Array.from({ length: ROWS }, (_, index) => rowOf(index)).filter(
  (row) => row.user_id === null && expectedUser(row) !== undefined,
).length;

beforeAll(async () => {
  const rows = Array.from({ length: ROWS }, (_, index) =>
    JSON.stringify({
      ...rowOf(index),
      event_time: `2026-01-0${1 + (index % 3)} 00:00:00`,
      $insert_id: String(index),
      user_properties: { plan: "a" },
      event_properties: {},
    }),
  );
  mkdirSync(join(cwd, "in"));
  writeFileSync(join(cwd, "in/rows.jsonl"), `${rows.join("\n")}\n`);
  const pairs = [...users];
  const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const lines = pairs.map(([device, user]) => `${device},${cell(user)}`);
  writeFileSync(join(cwd, "in/two.csv"), `cookie,person\n${lines.join("\n")}\nd1,\n,nobody\n`);
  // The columns by name, in another order, with a device of several people.
  const objects = pairs.map(([anonymous_id, user_id]) => ({ user_id, anonymous_id }));
  const shared = ["a", "b", "a"].map((user_id) => ({ user_id, anonymous_id: "d1" }));
  const all = [...objects, ...shared, { user_id: null, anonymous_id: "d3" }];
  writeFileSync(join(cwd, "table.jsonl"), all.map((one) => `${JSON.stringify(one)}\n`).join(""));
  const connection = await (await DuckDBInstance.create()).connect();
  await connection.run(
    `COPY (SELECT * FROM '${cwd}/table.jsonl') TO '${cwd}/table.parquet' (FORMAT parquet)`,
  );
});

const run = (...words: readonly string[]) => runInProcess(words, { cwd, env });

async function exported(name: string, ...words: readonly string[]) {
  const options = ["--format", "jsonl", "--threads", "2", "--split-size", "50KB", ...words];
  // A table among the inputs is not one of them.
  const input = words.includes("in/two.csv") ? "in" : "in/rows.jsonl";
  const result = await run("export", input, "--to", name, ...options);
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  return result;
}

interface Event {
  readonly event: string;
  readonly user: Readonly<Record<string, string>>;
  readonly insertID?: string;
}

function eventsOf(name: string): ReadonlyMap<number, Event> {
  const days = join(cwd, name, "events");
  const files = readdirSync(days).flatMap((day) =>
    readdirSync(join(days, day)).map((file) => join(days, day, file)),
  );
  const events = files.flatMap((file) =>
    readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Event),
  );
  return new Map(events.map((event) => [Number(event.insertID), event]));
}

describe.each(["in/two.csv", "table.jsonl", "table.parquet"])("the table %s", (table) => {
  it("fills exactly the null users whose device it has", async () => {
    const name = `out-${table.replace("/", "-")}`;
    const { stdout } = await exported(name, "--identity", table);
    expect(stdout).toContain(`user id filled: ${new Intl.NumberFormat("en").format(filled)}`);
    const events = eventsOf(name);
    expect(events.size).toBe(ROWS);
    for (const [index, { user }] of events) {
      const row = rowOf(index);
      const expected = expectedUser(row);
      expect(user).toEqual({
        ...(expected === undefined ? {} : { userID: expected }),
        ...(row.device_id === null ? {} : { stableID: row.device_id }),
        plan: "a",
      });
    }
    const manifest = JSON.parse(readFileSync(join(cwd, name, "manifest.json"), "utf8"));
    expect(manifest.notices).toEqual({ user_id_filled: filled });
  });
});

it.each([
  [
    "the user of the first row",
    "anonymous_id,user_id,first_seen,evidence",
    "d1,,2026-01-01,shared",
  ],
  ["the id of the first row", "cookie,person,more,less", ",p,x,y"],
  ["both", "cookie,person,more,less", ",,x,y"],
])("reads a table without %s", async (_, header, first) => {
  const lines = [header, first, "d0,someone,2026-01-01,event", ""];
  writeFileSync(join(cwd, "sparse.csv"), lines.join("\n"));
  const connection = await (await DuckDBInstance.create()).connect();
  const read = `SELECT * FROM read_csv('${cwd}/sparse.csv', all_varchar = true, null_padding = true, strict_mode = false)`;
  await connection.run(`COPY (${read}) TO '${cwd}/sparse.parquet' (FORMAT parquet)`);
  await connection.run(`COPY (${read}) TO '${cwd}/sparse.jsonl' (FORMAT json)`);
  for (const table of ["sparse.csv", "sparse.parquet", "sparse.jsonl"]) {
    const words = ["--to", "-", "--identity", table];
    const { stdout } = await run("export", "in/rows.jsonl", ...words);
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).user);
    const filled = events.filter(({ userID }) => userID === "someone");
    expect([table, filled.length]).toEqual([table, expect.any(Number)]);
    expect(filled.length).toBeGreaterThan(0);
    expect(filled.every(({ stableID }) => stableID === "d0")).toBe(true);
  }
});

it("gives the same bytes with one thread and in shards", async () => {
  const words = ["--identity", "table.jsonl", "--format", "jsonl", "--split-size", "50KB"];
  const to = (name: string, ...more: readonly string[]) =>
    run("export", "in/rows.jsonl", "--to", name, ...words, ...more);
  await to("whole", "--threads", "1");
  await to("threads", "--threads", "3");
  for (const shard of ["0/2", "1/2", "finish"]) await to("shards", "--shard", shard);
  const whole = digestExport(join(cwd, "whole"));
  expect(digestExport(join(cwd, "threads"))).toEqual(whole);
  expect(digestExport(join(cwd, "shards"))).toEqual(whole);
});

it("hashes and drops filled users as all others", async () => {
  const table = ["--identity", "table.jsonl"];
  await exported("hashed", ...table, "--hash", "userID", "--hash", "user.stableID");
  await exported("dropped", ...table, "--drop", "userID", "--max-rejects", "100%");
  const { createHash } = await import("node:crypto");
  for (const [index, { user }] of eventsOf("hashed")) {
    const expected = expectedUser(rowOf(index));
    const hash = expected && createHash("sha256").update(`salt${expected}`).digest("hex");
    expect(user["userID"]).toBe(hash);
  }
  for (const { user } of eventsOf("dropped").values()) expect(user["userID"]).toBeUndefined();
});

it("shows filled users to a transform, and to the key of dedupe", async () => {
  writeFileSync(
    join(cwd, "t.mjs"),
    "export default (event) => ({ ...event, event: event.user.userID ?? 'nobody' });",
  );
  await exported("transformed", "--identity", "table.jsonl", "--transform", "t.mjs");
  for (const [index, { event }] of eventsOf("transformed"))
    expect(event).toBe(expectedUser(rowOf(index)) ?? "nobody");
  await exported("deduped", "--identity", "table.jsonl", "--dedupe", "all,by=userID");
  const distinct = new Set(Array.from({ length: ROWS }, (_, index) => expectedUser(rowOf(index))));
  expect(eventsOf("deduped").size).toBe(distinct.size);
});

it("tells the filled users in the report", async () => {
  const { stdout, stderr } = await run("validate", "in/rows.jsonl", "--identity", "table.jsonl");
  const count = new Intl.NumberFormat("en").format(filled);
  expect(stdout).toContain(`the table filled ${count} user ids`);
  expect(stderr).toContain("60 anonymous ids; 1 with several users are left out");
  const report = JSON.parse(readFileSync(join(cwd, "report/report.json"), "utf8"));
  expect(report.identity).toMatchObject({ filled, deviceOnly: ROWS / 2 - filled });
});

it("fills the events on standard output, and those of readEvents", async () => {
  const { stdout } = await run("export", "in/rows.jsonl", "--to", "-", "--identity", "table.jsonl");
  const lines = stdout.trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).user.userID)).toEqual(
    lines.map((_, index) => expectedUser(rowOf(index))),
  );
  const read: unknown[] = [];
  for await (const batch of readEvents("in/rows.jsonl", { cwd, identity: "table.jsonl" }))
    for (const row of batch) read.push(row?.toJSON()["userID"] ?? undefined);
  expect(read).toEqual(lines.map((_, index) => expectedUser(rowOf(index))));
});

it("refuses to resume with another table", async () => {
  await exported("other", "--identity", "table.jsonl");
  const words = ["--to", "other", "--format", "jsonl", "--split-size", "50KB"];
  const changed = [...words, "--identity", "in/two.csv"];
  const { exitCode, stderr } = await run("export", "in/rows.jsonl", ...changed);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/--identity: was "[0-9a-f]{64}", is "[0-9a-f]{64}"/);
});

it.each([
  ["none.csv", "ENOENT"],
  ["one.csv", "it has the columns a"],
  ["broken.jsonl", "row 2 cannot be read: not valid JSON"],
])("refuses the table %s and says why", async (table, reason) => {
  writeFileSync(join(cwd, "one.csv"), "a\n1\n");
  writeFileSync(join(cwd, "broken.jsonl"), '{"a":"x","b":"y"}\n{"a":\n{"a":"x","b":"y"}\n');
  const { exitCode, stderr } = await run(
    "export",
    "in/rows.jsonl",
    "--to",
    "refused",
    "--identity",
    table,
  );
  expect(exitCode).toBe(2);
  expect(stderr).toContain("[identity_unreadable]");
  expect(stderr).toContain(reason);
});

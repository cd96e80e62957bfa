import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { beforeAll, describe, expect, it } from "vitest";
import { identities } from "../../src/library/runs.js";
import { runInProcess, runSwitchyard } from "../support/command-line.js";
import { scratchDirectory } from "../support/scratch.js";

const cwd = scratchDirectory("identities");
const run = (...words: readonly string[]) => runInProcess(words, { cwd });

const uuid = (number: number) =>
  `0190${String(number).padStart(4, "0")}-1111-7111-8111-111111111111`;

function write(name: string, rows: readonly object[]): void {
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  writeFileSync(join(cwd, name), name.endsWith(".gz") ? gzipSync(text) : text);
}

type Table = Readonly<Record<string, string | null>>;

/** Returns the user and the evidence of each anonymous id. */
function tableOf(name: string): Table {
  const [header, ...lines] = readFileSync(join(cwd, name), "utf8").trimEnd().split("\r\n");
  expect(header).toBe("anonymous_id,user_id,first_seen,evidence");
  return Object.fromEntries(
    lines.map((line) => {
      const [anonymous = "", user = "", seen, evidence] = line.split(",");
      return [anonymous, `${user} ${seen?.slice(0, 10)} ${evidence}`];
    }),
  );
}

async function makeTable(preset: string, ...words: readonly string[]) {
  const result = await run(
    "identities",
    preset,
    "--preset",
    preset,
    "--to",
    `${preset}.csv`,
    ...words,
  );
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  return result;
}

beforeAll(() => {
  for (const preset of ["amplitude", "mixpanel", "posthog", "segment", "ga4"])
    mkdirSync(join(cwd, preset));
  const event = (day: number, user_id: string | null, device_id: string | null, more = {}) => ({
    event_type: "a",
    event_time: `2026-01-0${day} 00:00:00`,
    user_id,
    device_id,
    ...more,
  });
  write("amplitude/1_2026-01-01_0#0.json.gz", [
    event(1, null, "d1", { amplitude_id: 5 }),
    event(4, "A", "d2", { amplitude_id: 9 }),
    event(2, "A", "d2", { amplitude_id: 9 }),
    event(2, "A", "d3", { amplitude_id: 9 }),
    event(3, "B", "d3", { amplitude_id: 12 }),
    event(3, "C", "null", { amplitude_id: 13 }),
    event(3, "undefined", "d5", { amplitude_id: 13 }),
    event(3, "D", null, { amplitude_id: 14 }),
    event(3, null, "d4", { amplitude_id: 15 }),
    event(3, null, "d6", { amplitude_id: 16 }),
    event(3, "E", "12", { amplitude_id: 17 }),
  ]);
  const merge_time = Date.UTC(2026, 0, 5);
  write("amplitude/-100_2026-01-01_0.json.gz", [
    { scope: 1, merge_time, amplitude_id: 9, merged_amplitude_id: 5 },
    { scope: 1, merge_time, amplitude_id: 14, merged_amplitude_id: 15 },
    { scope: 1, merge_time, amplitude_id: 98, merged_amplitude_id: 99 },
  ]);
  const mixpanel = (name: string, day: number, properties: object) => ({
    event: name,
    properties: { time: Date.UTC(2026, 0, day) / 1_000, ...properties },
  });
  write("mixpanel/a.jsonl", [
    mixpanel("x", 1, { distinct_id: "$device:m1", $device_id: "m1" }),
    mixpanel("x", 2, { distinct_id: "U1", $device_id: "m1", $user_id: "U1" }),
    mixpanel("$identify", 3, { $identified_id: "U2", $anon_id: uuid(1) }),
    mixpanel("$create_alias", 5, { distinct_id: "b", alias: "c" }),
    mixpanel("$create_alias", 4, { distinct_id: "a", alias: "b" }),
    mixpanel("$merge", 6, { $distinct_ids: [uuid(2), uuid(3)] }),
    mixpanel("$merge", 7, { $distinct_ids: [uuid(3), uuid(1)] }),
    mixpanel("x", 8, { $device_id: "m2", $user_id: "U3" }),
    mixpanel("x", 8, { $device_id: "m2", $user_id: "U4" }),
    { distinct_id: "$device:m9", resolved_distinct_id: "U9" },
  ]);
  const posthog = (name: string, day: number, distinct_id: string, properties: object) => ({
    event: name,
    timestamp: `2026-01-0${day}T00:00:00Z`,
    distinct_id,
    person_id: "of ingestion",
    properties,
  });
  write("posthog/events.jsonl", [
    posthog("$identify", 1, "P1", { $anon_distinct_id: uuid(11) }),
    posthog("$create_alias", 2, "P1", { alias: "P0" }),
    posthog("$merge_dangerously", 3, "P2", { alias: uuid(12) }),
    posthog("$identify", 4, "P3", { $anon_distinct_id: uuid(13) }),
    posthog("$identify", 5, "P4", { $anon_distinct_id: uuid(13) }),
    posthog("x", 5, "P4", { $device_id: uuid(14), $user_id: "P4" }),
    posthog("$identify", 6, "P4", { $anon_distinct_id: "P3" }),
  ]);
  const persons = [
    [uuid(20), "p1"],
    ["P1", "p1"],
    [uuid(21), "p1"],
    [uuid(22), "p9"],
  ];
  const created_at = "2026-01-09T00:00:00Z";
  write(
    "posthog/persons.jsonl",
    persons.map(([distinct_id, person_id]) => ({ team_id: 1, distinct_id, person_id, created_at })),
  );
  const segment = (type: string, day: number, ids: object) => ({
    type,
    timestamp: `2026-01-0${day}T00:00:00Z`,
    ...ids,
  });
  write("segment/a.jsonl", [
    segment("identify", 1, { userId: "S1", anonymousId: "s1" }),
    segment("alias", 2, { previousId: "S1", userId: "S2" }),
    segment("track", 3, { event: "e", userId: "S3", anonymousId: "s3" }),
    segment("track", 3, { event: "e", anonymousId: "s4" }),
    segment("alias", 4, { previousId: "s5", userId: "S2" }),
    segment("identify", 9, { userId: "S9", anonymousId: "s9" }),
    segment("identify", 9, { userId: "S8", anonymousId: "s9" }),
  ]);
  write("ga4/a.jsonl", [
    { event_name: "a", event_timestamp: 1767225600000000, user_pseudo_id: "g1", user_id: "G" },
    { event_name: "a", event_timestamp: 1767225600000000, user_pseudo_id: "g2" },
  ]);
});

const expected: Readonly<Record<string, Table>> = {
  amplitude: {
    d1: "A 2026-01-01 merge",
    d2: "A 2026-01-02 event",
    d3: " 2026-01-02 shared",
    d4: "D 2026-01-03 merge",
    "12": "E 2026-01-03 event",
  },
  mixpanel: {
    m1: "U1 2026-01-02 event",
    [uuid(1)]: "U2 2026-01-03 identify",
    a: "c 2026-01-04 alias",
    b: "c 2026-01-05 alias",
    [uuid(2)]: "U2 2026-01-06 merge",
    [uuid(3)]: "U2 2026-01-06 merge",
    m2: " 2026-01-08 shared",
    m9: "U9 1970-01-01 merge",
  },
  posthog: {
    [uuid(11)]: "P1 2026-01-01 identify",
    P0: "P1 2026-01-02 alias",
    [uuid(12)]: "P2 2026-01-03 merge",
    [uuid(13)]: " 2026-01-04 shared",
    [uuid(14)]: "P4 2026-01-05 event",
    [uuid(20)]: "P1 2026-01-09 person",
    [uuid(21)]: "P1 2026-01-09 person",
  },
  segment: {
    s1: "S2 2026-01-01 identify",
    S1: "S2 2026-01-02 alias",
    s3: "S3 2026-01-03 event",
    s5: "S2 2026-01-04 alias",
    s9: " 2026-01-09 shared",
  },
  ga4: { g1: "G 2026-01-01 event" },
};

it.each(Object.keys(expected))("joins the ids of an export of %s", async (preset) => {
  await makeTable(preset);
  expect(tableOf(`${preset}.csv`)).toEqual(expected[preset]);
});

it("counts what it joined, what it did not, and says why", async () => {
  const { stdout } = await makeTable("amplitude");
  expect(stdout).toContain("Joined 4 anonymous ids");
  expect(stdout).toContain("2 by event, 2 by merge");
  expect(stdout).toContain("1 id of several people, not joined");
  expect(stdout).toContain("null, undefined: not joined");
  const { stdout: json } = await makeTable("posthog", "--json");
  expect(JSON.parse(json)).toMatchObject({
    command: "identities",
    exitCode: 0,
    rows: { read: 11, delivered: 11, filtered: 0, rejected: 0 },
    table: { joined: 6, shared: 1, apart: 1, placeholders: [] },
  });
});

it("takes ids from the fields of a mapping, and rejects rows without a time", async () => {
  const rows = [
    { name: "a", at: "2026-01-01", who: "W", cookie: "c1" },
    { name: "a", at: "some day", who: "W", cookie: "c2" },
  ];
  write("own.jsonl", rows);
  const mapping = { event: "name", timestamp: "at", userID: "who", stableID: "cookie" };
  writeFileSync(join(cwd, "own.json"), JSON.stringify({ mapping }));
  const words = ["identities", "own.jsonl", "--config", "own.json", "--to", "own.csv"];
  const { exitCode, stdout } = await run(...words);
  expect(exitCode).toBe(3);
  expect(stdout).toContain("time_unparsable: 1 row");
  expect(tableOf("own.csv")).toEqual({ c1: "W 2026-01-01 event" });
});

describe("a table of many rows", () => {
  const DEVICES = 4_000;

  beforeAll(() => {
    mkdirSync(join(cwd, "many"));
    const rows = (file: number) =>
      Array.from({ length: 8_000 }, (_, index) => {
        const device = (index * 7 + file * 13) % DEVICES;
        const user = `user ${device % 10 === 0 && file === 1 ? "other" : device % 900}`;
        return {
          event_type: "a",
          event_time: `2026-01-0${1 + ((index + file) % 5)} 00:00:00`,
          user_id: (index + file) % 3 === 0 ? user : null,
          device_id: `device-${device}`,
        };
      });
    for (const file of [0, 1, 2]) write(`many/${file}.jsonl`, rows(file));
  });

  const make = async (name: string, ...words: readonly string[]) => {
    const result = await run("identities", "many", "--to", name, "--split-size", "100KB", ...words);
    expect(result, result.stderr).toMatchObject({ exitCode: 0 });
    return readFileSync(join(cwd, name));
  };

  it("has the same bytes with any number of threads, and any names of files", async () => {
    const one = await make("one.parquet", "--threads", "1");
    expect((await make("three.parquet", "--threads", "3")).equals(one)).toBe(true);
    expect((await make("whole.parquet", "--split-size", "64MiB")).equals(one)).toBe(true);
    renameSync(join(cwd, "many/0.jsonl"), join(cwd, "many/z.jsonl"));
    expect((await make("renamed.parquet")).equals(one)).toBe(true);
    expect(readdirSync(cwd).filter((name) => name.startsWith("."))).toEqual([]);
  });

  it("has the same rows as Parquet, CSV and JSON lines, which fill the same users", async () => {
    await make("t.parquet");
    await make("t.csv");
    await make("t.jsonl");
    const connection = await (await DuckDBInstance.create()).connect();
    const rowsOf = async (name: string) => {
      const sql = `SELECT anonymous_id, user_id, first_seen::TIMESTAMPTZ::TIMESTAMP::VARCHAR, evidence FROM '${cwd}/${name}'`;
      return (await connection.runAndReadAll(`SET TimeZone = 'UTC'; ${sql}`)).getRowsJson();
    };
    const rows = await rowsOf("t.parquet");
    expect(rows.length).toBe(DEVICES);
    expect(rows.filter(([, user]) => user === null).length).toBeGreaterThan(100);
    expect(await rowsOf("t.csv")).toEqual(rows);
    expect(await rowsOf("t.jsonl")).toEqual(rows);
    const counts = [];
    for (const ending of ["parquet", "csv", "jsonl"]) {
      const words = ["--json", "--to", `out-${ending}`, "--identity", `t.${ending}`];
      const { stdout } = await run("export", "many", ...words);
      counts.push(JSON.parse(stdout).steps?.[0]?.notices ?? JSON.parse(stdout).notices);
    }
    expect(counts[0].user_id_filled).toBeGreaterThan(1_000);
    expect(counts).toEqual([counts[0], counts[0], counts[0]]);
  });

  it("replaces a table, and no other file", async () => {
    await make("again.csv");
    await make("again.csv");
    writeFileSync(join(cwd, "other.csv"), "a,b\n1,2\n");
    const refused = await run("identities", "many", "--to", "other.csv");
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain("[table_exists]");
    expect(readFileSync(join(cwd, "other.csv"), "utf8")).toBe("a,b\n1,2\n");
    for (const [code, ...words] of [
      ["table_name_invalid", "--to", "table.txt"],
      ["table_name_invalid", "--to", "-"],
      ["table_name_invalid", "--to", "s3://bucket/table.csv"],
      ["output_missing"],
    ]) {
      const { exitCode, stderr } = await run("identities", "many", ...words);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`[${code}]`)]);
    }
  });

  it("leaves no half table if it is killed, and the next run removes what is left", async () => {
    const work = join(cwd, ".killed.csv.switchyard");
    const words = ["identities", "many", "--to", "killed.csv", "--split-size", "20KB"];
    let killed = 0;
    for (let afterMs = 100; killed < 3 && afterMs < 3_000; afterMs += 150) {
      const { signal } = await runSwitchyard([...words, "--threads", "1"], {
        cwd,
        started: (child) => {
          setTimeout(() => child.kill("SIGKILL"), afterMs).unref();
        },
      });
      if (signal === "SIGKILL" && existsSync(work)) killed++;
      if (existsSync(join(cwd, "killed.csv"))) break;
    }
    expect(killed).toBeGreaterThan(0);
    const { exitCode } = await run(...words);
    expect(exitCode).toBe(0);
    expect(existsSync(work)).toBe(false);
    expect(readFileSync(join(cwd, "killed.csv"))).toEqual(await make("quiet.csv"));
  });

  it("writes no table if a source fails", async () => {
    mkdirSync(join(cwd, "broken"));
    const rows = readFileSync(join(cwd, "many/1.jsonl"));
    writeFileSync(join(cwd, "broken/a.json.gz"), gzipSync(rows).subarray(0, -40));
    const { exitCode, stdout } = await run("identities", "broken", "--to", "broken.csv");
    expect(exitCode).toBe(1);
    expect(stdout).toContain("no table was written");
    expect(existsSync(join(cwd, "broken.csv"))).toBe(false);
  });

  it("is made by the library too", async () => {
    const { outcome, table, rows } = await identities({ cwd, inputs: "many", to: "library.csv" });
    expect(outcome).toBe("done");
    expect(rows.read).toBe(24_000);
    expect(table?.path).toBe(join(cwd, "library.csv"));
    expect((table?.joined ?? 0) + (table?.shared ?? 0)).toBe(DEVICES);
    expect(readFileSync(join(cwd, "library.csv"))).toEqual(await make("command.csv"));
  });
});

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, it } from "vitest";
import { runInProcess } from "../support/command-line.js";
import { readDelivered } from "../support/delivered.js";
import { someOf } from "../support/property-runs.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("renamed-fields");

interface Found {
  readonly title: string;
  readonly fix: { readonly line: string; readonly isSafe: boolean };
}

type Row = Readonly<Record<string, unknown>>;

/** Rows of Amplitude, whose device has an id on all days. */
function rows(count: number, day: number, { properties = "event_properties", userID = "user_id" }) {
  return Array.from(
    { length: count },
    (_, index): Row => ({
      event_type: ["view", "buy"][index % 2],
      event_time: `2026-03-${String(day).padStart(2, "0")} 10:00:${String(index % 60).padStart(2, "0")}`,
      device_id: `d${index % 90}`,
      [userID]: `u${index % 50}`,
      [properties]: { plan: "a", n: index },
    }),
  );
}

const old = {};
const renamed = { properties: "properties", userID: "userId" };

function jsonOf(all: readonly Row[]): string {
  return all.map((row) => JSON.stringify(row)).join("\n");
}

function csvOf(all: readonly Row[]): string {
  const columns = [...new Set(all.flatMap((row) => Object.keys(row)))];
  const cell = (value: unknown) =>
    `"${(typeof value === "object" ? JSON.stringify(value) : String(value)).replaceAll('"', '""')}"`;
  const lines = all.map((row) =>
    columns.map((name) => (name in row ? cell(row[name]) : "")).join(),
  );
  return [columns.join(), ...lines].join("\n");
}

/** Writes files into a new directory, with a configuration that reads them. */
function put(
  files: Readonly<Record<string, string>>,
  configuration: object = { preset: "amplitude" },
): string {
  const cwd = join(scratch, "run");
  rmSync(cwd, { recursive: true, force: true });
  mkdirSync(join(cwd, "in"), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, "in", name), text);
  writeFileSync(
    join(cwd, "pipeline.config.json"),
    JSON.stringify({ inputs: ["in"], ...configuration }),
  );
  return cwd;
}

async function validate(cwd: string) {
  const { stdout, exitCode } = await runInProcess(["validate", "--json"], { cwd });
  const { findings, verdict } = JSON.parse(stdout) as {
    readonly findings: readonly (Found & { readonly code: string; readonly rows: number })[];
    readonly verdict: { readonly sentence: string };
  };
  const found = findings.filter(({ code }) => code === "field_renamed");
  return { exitCode, verdict, lines: found.map(({ fix }) => fix.line).sort(), found };
}

const bothLines = [
  '"mapping": {"metadata": ["event_properties", "properties"]}',
  '"mapping": {"userID": ["user_id", "userId"]}',
];

describe("fields that get other names within an export", () => {
  const months = Array.from({ length: 30 }, (_, day) =>
    rows(60, day + 1, day === 29 ? renamed : old),
  );
  it.each<[string, Readonly<Record<string, string>>, number]>(
    someOf(
      [
        [
          "of 10 rows in a second file",
          { "a.jsonl": jsonOf(rows(200, 1, old)), "b.jsonl": jsonOf(rows(10, 2, renamed)) },
          10,
        ],
        [
          "on the second of two days",
          { "a.jsonl": jsonOf([...rows(1000, 1, old), ...rows(1000, 2, renamed)]) },
          1000,
        ],
        [
          "in 10 rows of a CSV file",
          { "a.csv": csvOf([...rows(200, 1, old), ...rows(10, 2, renamed)]) },
          10,
        ],
        [
          "in a second CSV file",
          { "a.csv": csvOf(rows(200, 1, old)), "b.csv": csvOf(rows(10, 2, renamed)) },
          10,
        ],
        [
          "in a JSON array",
          { "a.json": JSON.stringify([...rows(200, 1, old), ...rows(40, 2, renamed)]) },
          40,
        ],
        ["on the last of 30 days", { "a.jsonl": jsonOf(months.flat()) }, 60],
        [
          "for the first 100 of 300 rows",
          { "a.jsonl": jsonOf([...rows(100, 1, renamed), ...rows(200, 1, old)]) },
          100,
        ],
      ],
      3,
    ),
  )("are found %s", async (_, files, lost) => {
    const { lines, found, exitCode, verdict } = await validate(put(files));
    expect(lines).toEqual(bothLines);
    expect(found.map(({ rows: count }) => count)).toEqual([lost, lost]);
    expect(verdict.sentence).toContain("Not ready");
    expect(exitCode).toBe(1);
  });

  it("are mapped by --apply, after which the export is whole", async () => {
    const all = [...rows(200, 1, old), ...rows(10, 2, renamed)];
    const cwd = put({ "a.jsonl": jsonOf(all) });
    await runInProcess(["validate", "--apply"], { cwd });
    const { verdict } = await validate(cwd);
    expect(verdict.sentence).toBe("Ready: every one of 210 rows becomes an event.");
    await runInProcess(["export", "--to", "out"], { cwd });
    const delivered = (await readDelivered(join(cwd, "out/events"))).filter(({ day }) =>
      day.endsWith("2026-03-02"),
    );
    const events = delivered.map(
      ({ text }) => JSON.parse(text) as { user: { userID: string }; metadata: { n: number } },
    );
    events.sort((one, other) => one.metadata.n - other.metadata.n);
    expect(events.map(({ user, metadata }) => [user.userID, metadata.n])).toEqual(
      Array.from({ length: 10 }, (_, index) => [`u${index}`, index]),
    );
  });

  it("are found among rows of anonymous visitors, who have no user id", async () => {
    const all = [...rows(300, 1, old), ...rows(300, 2, old), ...rows(60, 3, renamed)].map(
      (row, index) => {
        const { user_id: _, userId: __, ...anonymous } = row;
        return index % 2 === 0 ? anonymous : row;
      },
    );
    expect((await validate(put({ "a.jsonl": jsonOf(all) }))).lines).toEqual(bothLines);
  });

  const nested = {
    mapping: {
      event: "event",
      timestamp: "ts",
      userID: "user.id",
      stableID: "device",
      user: "context.traits",
      metadata: { fields: ["data.plan", "data.n"] },
      value: "revenue",
    },
  };
  const base = (index: number) => ({
    event: "view",
    ts: `2026-03-01T10:00:${String(index % 60).padStart(2, "0")}Z`,
    user: { id: `u${index}` },
    device: `d${index}`,
    context: { traits: { age: index } },
    data: { plan: "a", n: index },
    revenue: index,
  });
  it.each<[string, (row: ReturnType<typeof base>) => Row, string]>(
    someOf(
      [
        [
          "a member of an object",
          ({ context, ...row }) => ({ ...row, context: { user_traits: context.traits } }),
          '"user": ["context.traits", "context.user_traits"]',
        ],
        [
          "a time, whose rows are rejects",
          ({ ts, ...row }) => ({ ...row, timestamp: ts }),
          '"timestamp": ["ts", "timestamp"]',
        ],
        [
          "a name, whose rows are rejects",
          ({ event, ...row }) => ({ ...row, event_name: event }),
          '"event": ["event", "event_name"]',
        ],
        [
          "an object of chosen fields",
          ({ data, ...row }) => ({ ...row, payload: data }),
          '"metadata": [{"fields": ["data.plan", "data.n"]}, "payload"]',
        ],
        [
          "a device",
          ({ device, ...row }) => ({ ...row, deviceId: device }),
          '"stableID": ["device", "deviceId"]',
        ],
        [
          "a value",
          ({ revenue, ...row }) => ({ ...row, revenue_usd: revenue }),
          '"value": ["revenue", "revenue_usd"]',
        ],
        [
          "an id in another object",
          ({ user, ...row }) => ({ ...row, usr: { id: user.id } }),
          '"userID": ["user.id", "usr.id"]',
        ],
      ],
      3,
    ),
  )("are found for %s", async (_, change, line) => {
    const all = Array.from({ length: 220 }, (__, index) =>
      index < 180 ? base(index) : change(base(index)),
    );
    const cwd = put({ "a.jsonl": jsonOf(all) }, nested);
    expect((await validate(cwd)).lines).toEqual([`"mapping": {${line}}`]);
    await runInProcess(["validate", "--apply"], { cwd });
    const { found, verdict } = await validate(cwd);
    expect(found).toEqual([]);
    expect(verdict.sentence).toContain("every one of 220 rows becomes an event");
  });

  it("are found in columns of Parquet files", async () => {
    const cwd = put({});
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    const columns = (names: string, count: number, day: number) =>
      `copy (select 'view' as event_type, timestamp '2026-03-0${day}' + interval (i) second as event_time, ` +
      `'u' || i as ${names.split(" ")[0]}, 'd' || i as device_id, {'n': i} as ${names.split(" ")[1]} ` +
      `from range(${count}) t(i)) to '${cwd}/in/${day}.parquet'`;
    await connection.run(columns("user_id event_properties", 200, 1));
    await connection.run(columns('"userId" properties', 10, 2));
    connection.closeSync();
    const { lines, found } = await validate(cwd);
    expect(lines).toEqual(bothLines);
    expect(found.map((one) => one.rows)).toEqual([10, 10]);
  });
});

describe("fields that are not other names", () => {
  const plain = (index: number) => ({
    event_type: ["view", "buy", "open"][index % 3],
    event_time: `2026-03-01 10:00:${String(index % 60).padStart(2, "0")}`,
    device_id: `d${index % 90}`,
    event_properties: { n: index },
  });
  it.each<[string, (index: number) => Row]>([
    [
      "of events of another kind",
      (index) =>
        index % 3 === 0
          ? { ...plain(index), event_properties: {}, traits: { a: 1 } }
          : plain(index),
    ],
    [
      "marks of anonymous visitors",
      (index) =>
        index % 2 === 0
          ? { ...plain(index), is_anonymous: true, visitor: "anon" }
          : { ...plain(index), user_id: `u${index}` },
    ],
    [
      "fields that others have too",
      (index) => ({
        ...plain(index),
        session: `s${index}`,
        ...(index % 2 === 0 ? {} : { user_id: `u${index}` }),
      }),
    ],
    [
      "times of the server, of rows without a user",
      (index) => ({
        ...plain(index),
        ...(index % 2 === 0 ? { received: 1_700_000_000 + index } : { user_id: `u${index}` }),
      }),
    ],
  ])("are left alone: %s", async (_, rowOf) => {
    const all = Array.from({ length: 300 }, (__, index) => rowOf(index));
    expect((await validate(put({ "a.jsonl": jsonOf(all) }))).lines).toEqual([]);
  });
});

describe("init", () => {
  it("maps the names that the last rows of a file have", async () => {
    const cwd = put({ "a.jsonl": jsonOf([...rows(1000, 1, old), ...rows(1000, 2, renamed)]) });
    const { stdout } = await runInProcess(["init", "in", "--force"], { cwd });
    expect(stdout).toContain("have the field properties, from row 1951 of in/a.jsonl on");
    const { verdict } = await validate(cwd);
    expect(verdict.sentence).toBe("Ready: every one of 2,000 rows becomes an event.");
  });
});

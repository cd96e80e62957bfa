import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseJsonText } from "../../src/options/configuration-text.js";
import { runInProcess } from "../support/command-line.js";
import { scratchDirectory } from "../support/scratch.js";

type Row = Readonly<Record<string, unknown>>;
interface Found {
  readonly mapping: { readonly kind: string; readonly preset?: string; readonly reasons: string[] };
  readonly trial: { readonly delivered: number };
  readonly doubts: readonly string[];
}

const cwd = scratchDirectory("init-presets");

const timeOf = (index: number) => new Date(Date.UTC(2026, 2, 2, 20, 1, index)).toISOString();
const manyOf = (rowOf: (index: number) => Row, count = 60) =>
  Array.from({ length: count }, (_, index) => rowOf(index));

function csvOf(rows: readonly Row[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const lines = rows.map((row) => columns.map((column) => row[column] ?? "").join(","));
  return `${[columns.join(","), ...lines].join("\n")}\n`;
}

const linesOf = (rows: readonly Row[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

/** Runs `init` on an input; returns its survey and the mapping that it wrote. */
async function init(name: string, text: string) {
  writeFileSync(join(cwd, name), text);
  const { stdout, stderr } = await runInProcess(["init", name, "--force", "--json"], { cwd });
  expect(stderr).toBe("");
  const { survey } = JSON.parse(stdout) as { readonly survey: Found };
  const written = parseJsonText(readFileSync(join(cwd, "pipeline.config.json"), "utf8"), "").value;
  return { survey, ...(written as { mapping?: Row; preset?: string }) };
}

/** Exports with the written configuration; returns the events. */
async function exported(name: string) {
  const to = join(cwd, `out-${name}`);
  const result = await runInProcess(["export", "--to", to, "--format", "jsonl"], { cwd });
  expect(result.exitCode, result.stderr).toBe(0);
  const days = join(to, "events");
  return readdirSync(days).flatMap((day) =>
    readFileSync(join(days, day, readdirSync(join(days, day))[0] ?? ""), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Row),
  );
}

describe("an export that is not as the vendor writes it", () => {
  const ga4 = (index: number, time: unknown) => ({
    event_name: `page_${index % 3}`,
    event_timestamp: time,
    user_id: `u${index % 5}`,
    user_pseudo_id: `d${index % 7}`,
    page_location: `/p/${index}`,
    value: index,
  });

  test("keeps its preset if another form of time is all that differs, and all columns", async () => {
    const rows = manyOf((index) => ga4(index, timeOf(index).replace("T", " ").slice(0, 19)));
    const { survey } = await init("ga4.csv", csvOf(rows));
    expect(survey.trial.delivered).toBe(60);
    const events = await exported("ga4");
    expect(events).toHaveLength(60);
    expect(events[0]?.["metadata"]).toMatchObject({ page_location: "/p/0" });
    expect(events[0]?.["timestamp"]).toBe(Date.parse(timeOf(0)));
  });

  test("with both forms of time in one column is read whole", async () => {
    const rows = manyOf((index) =>
      ga4(index, index % 3 === 0 ? timeOf(index) : Date.parse(timeOf(index)) * 1000),
    );
    const { survey } = await init("ga4-mixed.csv", csvOf(rows));
    expect(survey.trial.delivered).toBe(60);
  });

  test("loses its preset if a guess makes more events of the rows, and says why", async () => {
    const rows = manyOf((index) => ({
      event: "open",
      timestamp: index % 2 === 0 ? timeOf(index) : "n/a",
      happened: timeOf(index),
      distinct_id: "",
      uuid: `e${index}`,
      customer_id: `u${index % 5}`,
    }));
    const { survey, preset } = await init(
      "posthog.csv",
      csvOf(rows.map((row, index) => ({ ...row, distinct_id: index % 5 === 0 ? "" : "x" }))),
    );
    expect(preset).toBeUndefined();
    expect(survey.mapping.kind).toBe("guess");
    expect(survey.trial.delivered).toBe(60);
    expect(survey.doubts[0]).toMatch(
      /the preset of PostHog, whose columns the rows have, would reject \d+ of 60 sampled rows \(.*time_unparsable/,
    );
  });

  test.each<[string, (index: number) => Row, string[]]>([
    [
      "mixpanel",
      (index) => ({
        event: "open",
        time: Math.floor(Date.parse(timeOf(index)) / 1000),
        distinct_id: `u${index % 5}`,
        $insert_id: `i${index}`,
        $browser: "Chrome",
      }),
      ["event", "time", "distinct_id", "$insert_id"],
    ],
    [
      "segment",
      (index) => ({
        id: `ajs-${index}`,
        anonymous_id: `d${index % 5}`,
        user_id: `u${index % 5}`,
        event: "order_completed",
        event_text: "Order Completed",
        timestamp: timeOf(index),
        received_at: timeOf(index + 1),
        context_ip: "10.0.0.1",
      }),
      ["event", "timestamp", "user_id", "id"],
    ],
    [
      "amplitude",
      (index) => ({
        "Event Type": "open",
        "Event Time": timeOf(index),
        "User ID": `u${index % 5}`,
        "Insert ID": `i${index}`,
        Plan: "free",
      }),
      ["Event Type", "Event Time", "User ID", "Insert ID"],
    ],
  ])("flattened or renamed is guessed with all columns: %s", async (name, rowOf, fields) => {
    const { survey, mapping } = await init(`${name}.csv`, csvOf(manyOf(rowOf)));
    expect(survey.trial.delivered).toBe(60);
    const { event, timestamp, userID, insertID, metadata } = mapping ?? {};
    expect([event, timestamp, userID, insertID]).toEqual(fields);
    expect(metadata).toEqual({ rest: "" });
  });
});

test("a name that the directory has is not looked for in other fields", async () => {
  const row = (index: number, more: Row) =>
    ({
      id: `b${index}`,
      time: 1769878992 + index,
      user_id: "z",
      app_group_id: "a",
      ...more,
    }) as Row;
  const types: Record<string, Row> = {
    Custom: { name: "Tea Ordered" },
    Entry: { canvas_name: "Spring" },
  };
  for (const [type, more] of Object.entries(types)) {
    const directory = join(cwd, "currents", `event_type=users.${type}`);
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, "a.json"), linesOf(manyOf((index) => row(index, more))));
  }
  const { stdout } = await runInProcess(["init", "currents", "--force", "--json"], { cwd });
  const { survey } = JSON.parse(stdout) as { readonly survey: Found };
  expect(survey).toMatchObject({ doubts: [], mapping: { preset: "braze" } });
});

test("single rows of Heap as JSON are found, with a word on their names", async () => {
  const rowOf = (index: number) => ({
    event_id: index,
    type: index % 2 === 0 ? "click" : null,
    object: "event",
    time: "2026-01-31 17:03:12",
    identity: null,
    user_id: 7,
    properties: '{"plan":"free"}',
  });
  writeFileSync(join(cwd, "heap.json"), linesOf(manyOf(rowOf, 20)));
  const { stdout } = await runInProcess(["init", "heap.json", "--force", "--json"], { cwd });
  const { survey } = JSON.parse(stdout) as { readonly survey: Found };
  expect(survey).toMatchObject({ mapping: { preset: "heap" }, trial: { delivered: 20 } });
  expect(survey.doubts.join()).toContain('"event": ["event_table_name", "type", "object"]');
});

test("of a whole bucket of Heap the tables without events are filtered", async () => {
  const ids = (index: number) => ({ event_id: index, user_id: 7, session_id: 1, time: 1769878992 });
  const tables: Record<string, (index: number) => Row> = {
    pageviews: (index) => ({ ...ids(index), session_time: 1769878992, landing_page: "/" }),
    users: () => ({ user_id: 7, identity: "mina", joindate: 1769878992 }),
    user_migrations: () => ({ from_user_id: 7, to_user_id: 8, time: 1769878992 }),
  };
  const bucket = join(cwd, "heap");
  for (const [table, rowOf] of Object.entries(tables)) {
    mkdirSync(join(bucket, "sync_1", table), { recursive: true });
    writeFileSync(join(bucket, "sync_1", table, "part-0.json"), linesOf(manyOf(rowOf, 3)));
  }
  writeFileSync(join(bucket, "sync_1.json"), linesOf([{ dump_id: 1, tables: [] }]));
  const { stdout } = await runInProcess(["init", "heap", "--force", "--json"], { cwd });
  const { survey } = JSON.parse(stdout) as { readonly survey: Found };
  expect(survey).toMatchObject({
    mapping: { preset: "heap" },
    trial: { delivered: 3, filtered: 6 },
  });
  const run = await runInProcess(["export", "--to", join(cwd, "out-bucket"), "--json"], { cwd });
  expect(run, run.stderr).toMatchObject({ exitCode: 0 });
  expect(run.stdout).not.toContain('"fields":["properties"]');
  const table = [
    "identities",
    "heap/sync_1/users",
    "--preset",
    "heap",
    "--to",
    "ids.csv",
    "--json",
  ];
  const joined = await runInProcess(table, { cwd });
  expect(joined, joined.stderr).toMatchObject({ exitCode: 0 });
  expect(readFileSync(join(cwd, "ids.csv"), "utf8")).toContain("7,mina,2026-01-31T17:03:12.000Z");
});

describe("columns beside the properties are kept by what init writes", () => {
  const base = { event: "open", timestamp: timeOf(0), uuid: "e0", messageId: "m0", type: "track" };
  test.each<[string, Row, Row]>([
    [
      "ga4",
      {
        event_name: "open",
        event_timestamp: Date.parse(timeOf(0)) * 1000,
        user_pseudo_id: "d",
        event_params: [{ key: "k", value: { string_value: "v" } }],
        items: [{ item_id: "i" }],
        geo: { country: "DE" },
        device: { category: "mobile" },
      },
      { k: "v", items: [{ item_id: "i" }], geo: { country: "DE" }, device: { category: "mobile" } },
    ],
    [
      "posthog",
      { ...base, distinct_id: "u", properties: { k: "v" }, person_id: "p", team_id: 5 },
      { k: "v", person_id: "p" },
    ],
    [
      "segment",
      {
        ...base,
        userId: "u",
        properties: { k: "v" },
        context: { page: { path: "/" }, traits: { plan: "x" }, library: { name: "analytics.js" } },
        integrations: { All: true },
      },
      { k: "v", context: { page: { path: "/" } }, integrations: { All: true } },
    ],
    [
      "rudderstack",
      {
        ...base,
        userId: "u",
        properties: { k: "v" },
        context: { page: { path: "/" }, traits: {}, library: { name: "RudderLabs" } },
        rudderId: "r",
      },
      { k: "v", context: { page: { path: "/" } } },
    ],
  ])("%s", async (name, row, metadata) => {
    const { preset } = await init(`${name}.jsonl`, linesOf([row]));
    expect(preset).toBe(name);
    const [event] = await exported(`kept-${name}`);
    expect(event?.["metadata"]).toMatchObject(metadata);
  });
});

test("validate does not advise dedupe by an insert id that most events share", async () => {
  const rows = manyOf((index) => ({
    event_type: "open",
    event_time: timeOf(index),
    user_id: `u${index % 7}`,
    product: `p${index % 4}`,
  }));
  writeFileSync(join(cwd, "products.jsonl"), linesOf(rows));
  writeFileSync(
    join(cwd, "pipeline.config.json"),
    JSON.stringify({ inputs: ["products.jsonl"], mapping: { insertID: "product" } }),
  );
  const { stdout } = await runInProcess(["validate"], { cwd });
  const text = stdout.replaceAll(/\s+/g, " ");
  expect(text).toContain("56 events (93.3 %), so many that the insert id may not identify events");
  expect(text).toContain('"mapping": {"insertID": null}');
  expect(text).not.toContain("dedupe");
});

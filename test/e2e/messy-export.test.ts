import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { beforeAll, expect } from "vitest";
import type { Manifest } from "../../src/ledger/manifest.js";
import type { Report } from "../../src/profile/report.js";
import { runInProcess } from "../support/command-line.js";
import { longTest } from "../support/long-test.js";
import { writeMessyExport } from "../support/messy-export.js";
import { scratchDirectory } from "../support/scratch.js";
import { killServicesAfterEach, startServiceProcess } from "../support/service-process.js";

// The numbers of a whole migration, each compared with what DuckDB counts in the same lines.
const ROWS = 50_000;
const directory = scratchDirectory("messy-export");
let duckdb: DuckDBConnection;
killServicesAfterEach();

/** Each input line with its reason for a reject, and the fields of its event. */
const truth = `
  create table lines as
    select *, row_number() over () as place from (
      select filename, rtrim(unnest(string_split(content, chr(10))), chr(13)) as line
      from read_text('${directory}/plain/*.json') order by filename)
    where line <> '';
  create table parsed as select place, line, json_valid(line) as valid,
    case when valid then line else '{}' end as json,
    try_strptime(json->>'event_time', '%Y-%m-%d %H:%M:%S.%f') as time,
    json_type(json->'event_properties') as kind
    from lines;
  create table judged as select *,
    case when not valid then 'malformed_row'
      when (json->>'event_type') is null then 'event_missing'
      when time is null then 'time_unparsable'
      when kind not in ('OBJECT', 'VARCHAR') then 'metadata_not_object'
      when (json->>'user_id') is null and (json->>'device_id') is null then 'unit_id_missing'
    end as reject from parsed;
  create table events as select place, json->>'event_type' as event, time,
    epoch_us(time) // 1000 as ms, strftime(time, '%Y-%m-%d') as day, hour(time) as hour,
    json->>'user_id' as user, json->>'device_id' as device, json->>'$."$insert_id"' as insert_id,
    case kind when 'VARCHAR' then (json->>'event_properties')::json else json->'event_properties' end
      as metadata,
    (json->'user_properties') as properties,
    json_object('country', json->'country', 'platform', json->'platform') as kept
    from judged where reject is null;
`;

async function rows<Row = Readonly<Record<string, unknown>>>(query: string): Promise<Row[]> {
  const result = await duckdb.runAndReadAll(query);
  const numbered = (value: unknown) => (typeof value === "bigint" ? Number(value) : value);
  return result
    .getRowObjectsJS()
    .map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, numbered(value)])),
    ) as Row[];
}

async function row<Row = Readonly<Record<string, number>>>(query: string): Promise<Row> {
  return (await rows<Row>(query))[0] as Row;
}

/** Runs a command to the end and returns its standard output as JSON. */
async function run(exitCode: number, ...words: string[]) {
  const result = await runInProcess([...words, "--json"], { cwd: directory, env });
  expect(result, `${words.join(" ")}\n${result.stderr}`).toMatchObject({ exitCode });
  return JSON.parse(result.stdout);
}

const env: Record<string, string> = {};
const readJson = <T>(path: string) => JSON.parse(readFileSync(join(directory, path), "utf8")) as T;
const isoTime = (ms: unknown) => new Date(Number(ms)).toISOString();

beforeAll(async () => {
  writeMessyExport(directory, ROWS);
  duckdb = await (await DuckDBInstance.create(":memory:")).connect();
  for (const statement of truth.split(/;\n/)) if (statement.trim()) await duckdb.run(statement);
});

longTest(
  "each number of a migration of a messy export is what DuckDB counts",
  async () => {
    await run(0, "init", "export.zip");
    await run(3, "validate");
    await checkReport(readJson<Report>("report/report.json"));
    acceptRejects();
    await run(0, "validate", "--apply");
    await run(0, "validate");
    await checkSummary(readJson<Report>("report/report.json"));
    const exported = await run(0, "export");
    const manifest = readJson<Manifest>("out/manifest.json");
    await checkManifest(manifest);
    await checkParts();
    checkEstimate(readJson<Report>("report/report.json"), manifest);
    const verified = await run(0, "verify", "out");
    expect(verified).toMatchObject({ rows: manifest.totals.rows });
    expect(exported).toMatchObject({ rows: { delivered: manifest.totals.rows } });
    await checkService(manifest);
  },
  600_000,
);

function acceptRejects(): void {
  const file = join(directory, "pipeline.config.json");
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace(/"steps":/, '"maxRejects": "1%",\n  "steps":'));
}

async function checkReport(report: Report): Promise<void> {
  const counts = await row(`select count(*) as read, count(*) filter (reject is null) as mapped,
    count(*) filter (reject is not null) as rejected from judged`);
  expect(report.rows).toMatchObject({ ...counts, filtered: 0, added: 0 });
  expect(report.rejects.map(({ code, rows }) => ({ code, rows }))).toEqual(
    await rows(`select reject as code, count(*) as rows from judged where reject is not null
      group by all order by rows desc, code`),
  );

  await checkDays(report);
  await checkNames(report);
  await checkIdentity(report);
  const times = await row(`select min(ms) as first, max(ms) as last from events`);
  expect([report.times.first, report.times.last]).toEqual(
    [times["first"], times["last"]].map(isoTime),
  );
  const copies = await row(
    `select count(*) - count(distinct day || insert_id) as copies from events`,
  );
  expect(report.rows.duplicates.exact?.rows).toBe(Number(copies["copies"]));
}

async function checkDays(report: Report): Promise<void> {
  const perHour = await rows<{ day: string; hour: number; events: number }>(
    `select day, hour, count(*) as events from events group by all`,
  );
  const days = report.days.flatMap(({ day, hours }) =>
    hours.flatMap((events, hour) => (events === 0 ? [] : [{ day, hour, events }])),
  );
  const key = ({ day, hour }: { day: string; hour: number }) => `${day} ${hour + 100}`;
  const sorted = (list: typeof days) => [...list].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  expect(sorted(days)).toEqual(sorted(perHour));
  const rejected = await rows(`select strftime(time, '%Y-%m-%d') as day, count(*) as rejected
    from judged where reject is not null and time is not null group by all order by day`);
  const reported = report.days.flatMap(({ day, rejected }) =>
    rejected ? [{ day, rejected }] : [],
  );
  expect(reported).toEqual(rejected);
}

async function checkNames(report: Report): Promise<void> {
  const names = await rows<Record<string, unknown>>(`select event, count(*) as rows,
    min(ms) as first, max(ms) as last, count(distinct day) as days,
    count(distinct "user") as users
    from events group by all order by rows desc, event`);
  expect(report.events).toHaveLength(names.length);
  for (const { event, users, first, last, ...facts } of names) {
    const found = report.events.find((one) => one.event === event);
    const times = { firstTimestamp: isoTime(first), lastTimestamp: isoTime(last) };
    expect(found).toMatchObject({ ...facts, ...times });
    expectEstimate(found?.users ?? undefined, Number(users));
    expect(found?.users?.count).toBeLessThanOrEqual(report.identity.users.count);
    const keys = await rows(`select key, count(*) as rows,
      count(*) filter (json_type(metadata, '$."' || key || '"') <> 'NULL') as filled
      from (select metadata, unnest(json_keys(metadata)) as key from (
        select event, metadata from events union all select event, kept from events
      ) where event = ${text(event)})
      group by all order by key`);
    const reported = found?.properties?.keys.map(({ key, rows, fill }) => {
      return { key, rows, filled: Math.round(fill * Number(facts["rows"])) };
    });
    expect(reported?.sort((a, b) => (a.key < b.key ? -1 : 1))).toEqual(keys);
  }
}

async function checkIdentity({ identity }: Report): Promise<void> {
  const counts = await row(`select
    count(*) filter ("user" is not null and device is not null) as both,
    count(*) filter ("user" is null) as "deviceOnly",
    count(*) filter (device is null) as "userOnly" from events`);
  expect(identity).toMatchObject({ ...counts, none: 0 });
  const ids = await row(
    `select count(distinct "user") as users, count(distinct device) as devices from events`,
  );
  expectEstimate(identity.users, Number(ids["users"]));
  expectEstimate(identity.devices, Number(ids["devices"]));
  for (const [top, column] of [
    [identity.topUsers, '"user"'],
    [identity.topDevices, "device"],
  ] as const) {
    const most = await rows(`select ${column} as id, count(*) as rows from events
      where ${column} is not null group by all order by rows desc, id limit ${top.length}`);
    expect(top.length).toBeGreaterThan(0);
    expect(top.map(({ rows }) => rows)).toEqual(most.map(({ rows }) => rows));
  }
}

/** Every number of at least four digits that the summary prints is one that DuckDB counts. */
async function checkSummary({ rows: { duplicates } }: Report): Promise<void> {
  const { stdout } = await runInProcess(["validate"], { cwd: directory, env });
  // Speed, sizes and times are not counts.
  const lines = stdout
    .split("\n")
    .filter((line) => !/^Read|^ {2}(export|send|report|next) /.test(line));
  const printed = lines.join("\n").match(/\d{1,3}(,\d{3})+/g) ?? [];
  const counted = await rows<{ n: number }>(`
    select count(*) as n from judged union select count(*) from judged where reject is not null
    union select count(*) from events union select count(distinct "user") from events
    union select count(distinct device) from events
    union select count(*) from events group by day union select count(*) from events group by event
    union select count(distinct "user") from events where device = 'till-1'`);
  const known = new Set([...counted.map(({ n }) => n), duplicates.estimated]);
  expect(printed.length).toBeGreaterThan(3);
  expect(printed.filter((text) => !known.has(Number(text.replaceAll(",", ""))))).toEqual([]);
}

function expectEstimate(estimate: { count: number; error: number } | undefined, exact: number) {
  expect(estimate).toBeDefined();
  const { count, error } = estimate as { count: number; error: number };
  expect(Math.abs(count - exact)).toBeLessThanOrEqual(4 * error * exact);
}

const text = (value: unknown) => `'${String(value).replaceAll("'", "''")}'`;

async function checkManifest(manifest: Manifest): Promise<void> {
  const days = await rows(`select day, count(*) as rows from events group by all order by day`);
  expect(manifest.days.map(({ day, rows }) => ({ day, rows }))).toEqual(days);
  const files = manifest.days.flatMap(({ files }) => files);
  for (const { path, bytes, sha256 } of files) {
    const content = readFileSync(join(directory, "out", path));
    expect(content).toHaveLength(bytes);
    expect(createHash("sha256").update(content).digest("hex")).toBe(sha256);
  }
  const parts = readdirSync(join(directory, "out/events"), { recursive: true, encoding: "utf8" });
  expect(parts.filter((name) => name.endsWith(".parquet"))).toHaveLength(files.length);
  expect(manifest.events.map(({ event, rows }) => ({ event, rows }))).toEqual(
    await rows(`select event, count(*) as rows from events group by all order by event`),
  );
}

async function checkParts(): Promise<void> {
  const columns = `event, ms, "user", device, md5(metadata->>'index' || ' ' ||
    coalesce(metadata->>'note', 'null') || (metadata->>'order') || (metadata->>'items')),
    properties->>'plan'`;
  await duckdb.run(`create or replace view delivered as select event, "timestamp" as ms,
    userID as "user", stableID as device, metadata::json as metadata, "user"::json as properties,
    regexp_extract(filename, '\\d{4}-\\d{2}-\\d{2}') as day
    from read_parquet('${directory}/out/events/*/*.parquet', filename = true, union_by_name = true)`);
  const difference = await row(`select
    (select count(*) from (select ${columns}, day from events except all
      select ${columns}, day from delivered)) as lost,
    (select count(*) from (select ${columns}, day from delivered except all
      select ${columns}, day from events)) as made`);
  expect(difference).toEqual({ lost: 0, made: 0 });
}

/** A forecast is of use where it is within a quarter. */
function checkEstimate(report: Report, manifest: Manifest): void {
  const written = manifest.days
    .flatMap(({ files }) => files)
    .reduce((sum, { path }) => sum + statSync(join(directory, "out", path)).size, 0);
  expect(report.estimates.export.bytes / written).toBeGreaterThan(0.75);
  expect(report.estimates.export.bytes / written).toBeLessThan(1.33);
}

async function checkService(manifest: Manifest): Promise<void> {
  const data = join(directory, "service");
  const keys = { console: await keyOf(data, "console"), server: await keyOf(data, "server") };
  const service = await startServiceProcess(data);
  env["SWITCHYARD_CONSOLE_KEY"] = keys.console;
  env["SWITCHYARD_SERVER_SECRET"] = keys.server;
  const sent = await run(0, "send", "export.zip", "--to", service.url);
  expect(sent.rows).toMatchObject({ delivered: manifest.totals.rows });
  await run(0, "qualify", "out", "--console", service.url, "--yes");
  const { json } = await service.call("/v1/events/summary", keys.console);
  const stored = (json as { data: Record<string, unknown>[] }).data;
  const order = (list: Record<string, unknown>[]) =>
    list.map(({ day, event, count }) => `${day} ${event} ${count}`).sort();
  expect(order(stored)).toEqual(
    order(await rows(`select day, event, count(*) as count from events group by all`)),
  );
  const list = await service.call("/console/v1/experiments/qualifying_events", keys.console);
  const created = (list.json as { data: { name: string }[] }).data.map(({ name }) => name);
  expect(created.sort()).toEqual(manifest.events.map(({ event }) => event).sort());
}

async function keyOf(data: string, kind: string): Promise<string> {
  const { stdout } = await runInProcess(["keys", "create", "--kind", kind, "--data", data]);
  return stdout.trim();
}

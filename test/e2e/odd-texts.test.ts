import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, it } from "vitest";
import { runInProcess } from "../support/command-line.js";
import { readDelivered } from "../support/delivered.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("odd-texts");
const ROWS = 60;

function workplace(configuration: object = { preset: "amplitude" }): string {
  const cwd = join(scratch, "run");
  rmSync(cwd, { recursive: true, force: true });
  mkdirSync(join(cwd, "in"), { recursive: true });
  const text = JSON.stringify({ inputs: ["in"], ...configuration });
  writeFileSync(join(cwd, "pipeline.config.json"), text);
  return cwd;
}

/** Other findings are not about texts. */
const looked = new Set(["blanks_around", "quotes_around", "ids_decimal", "rows_rejected"]);

const time = (index: number) => `2026-03-02 10:00:${String(index).padStart(2, "0")}`;

/** A CSV file with an id in each row. */
function csvOf(idOf: (index: number) => string): string {
  const rows = Array.from({ length: ROWS }, (_, index) => {
    return `seen,${time(index)},${idOf(index)}`;
  });
  return ["event_type,event_time,user_id", ...rows].join("\n");
}

/** JSON lines with the JSON text of an id in each row. */
function jsonOf(idOf: (index: number) => string): string {
  return Array.from(
    { length: ROWS },
    (_, index) => `{"event_type":"seen","event_time":"${time(index)}","user_id":${idOf(index)}}\n`,
  ).join("");
}

async function writeParquet(file: string, columns: string): Promise<void> {
  const database = await (await DuckDBInstance.create(":memory:")).connect();
  const rows = `select ${columns} from range(${ROWS}) r(i)`;
  await database.run(`copy (${rows}) to '${file}' (format parquet)`);
  database.closeSync();
}

async function findingsOf(cwd: string, ...options: readonly string[]) {
  const { stdout } = await runInProcess(["validate", "--json", ...options], { cwd });
  const { findings } = JSON.parse(stdout) as {
    readonly findings: readonly {
      readonly code: string;
      readonly fix?: { readonly line: string };
    }[];
  };
  return findings.filter(({ code }) => looked.has(code));
}

async function deliveredIn(out: string) {
  const events = await readDelivered(join(out, "events"));
  return events.map(({ text }) => JSON.parse(text) as Readonly<Record<string, unknown>>);
}

/** The distinct user ids of an export. */
async function usersOf(cwd: string): Promise<readonly string[]> {
  const out = join(cwd, "out");
  rmSync(out, { recursive: true, force: true });
  const { exitCode } = await runInProcess(["export", "--to", "out", "--format", "jsonl"], { cwd });
  expect(exitCode).toBe(0);
  const events = (await deliveredIn(out)).map(({ user }) => (user as { userID: string }).userID);
  return [...new Set(events)].sort();
}

describe("texts that are JSON", () => {
  it("are decoded in columns of Parquet that say so", async () => {
    const cwd = workplace({ preset: "amplitude", mapping: { value: "amount" } });
    await writeParquet(
      join(cwd, "in", "a.parquet"),
      `to_json('seen') event_type, to_json('2026-03-02 10:00:00') event_time,
       case when i < 30 then to_json('u' || (i % 3)) else to_json(i % 3) end user_id,
       to_json('9.' || (i % 3)) amount, to_json('x') extra, json_object('a', i) event_properties`,
    );
    expect(await findingsOf(cwd)).toEqual([]);
    expect(await usersOf(cwd)).toEqual(["0", "1", "2", "u0", "u1", "u2"]);
    const [event] = await deliveredIn(join(cwd, "out"));
    expect(event).toMatchObject({ event: "seen", value: "9.0", metadata: { a: 0 } });
  });

  it("are a finding where nothing says so, and decoded by its line", async () => {
    const cwd = workplace();
    writeFileSync(
      join(cwd, "in", "a.csv"),
      csvOf((index) => `"""u${index % 20}"""`),
    );
    const line = '"mapping": {"userID": {"field": "user_id", "as": "json"}}';
    expect(await findingsOf(cwd, "--apply")).toMatchObject([
      { code: "quotes_around", fix: { line } },
    ]);
    expect(await findingsOf(cwd)).toEqual([]);
    expect((await usersOf(cwd))[0]).toBe("u0");
  });

  it("are found in times first, and then in names and ids", async () => {
    const cwd = workplace();
    await writeParquet(
      join(cwd, "in", "a.parquet"),
      `'"seen"' event_type, '"2026-03-02 10:00:00"' event_time, '"u' || (i % 20) || '"' user_id`,
    );
    const times = await findingsOf(cwd, "--apply");
    expect(times.find(({ code }) => code === "rows_rejected")?.fix?.line).toBe(
      '"mapping": {"timestamp": {"field": "event_time", "as": "json"}}',
    );
    const codes = (await findingsOf(cwd, "--apply")).map(({ code }) => code);
    expect(codes).toEqual(["quotes_around", "quotes_around"]);
    expect(await findingsOf(cwd)).toEqual([]);
    expect(await usersOf(cwd)).toHaveLength(20);
  });
});

describe("numbers that are ids", () => {
  it("are the same from JSON and from columns of Parquet of any type", async () => {
    const cwd = workplace();
    const forms = ["1000", "1000.0", "1e3", '"1000"'];
    writeFileSync(
      join(cwd, "in", "a.ndjson"),
      jsonOf((index) => forms[index % 4] ?? ""),
    );
    const types = ["integer", "bigint", "double", "float", "decimal(18,3)"];
    for (const [index, type] of types.entries()) {
      const columns = `'seen' event_type, '2026-03-02 10:00:00' event_time, 1000::${type} user_id`;
      await writeParquet(join(cwd, "in", `${index}.parquet`), columns);
    }
    expect(await findingsOf(cwd)).toEqual([]);
    expect(await usersOf(cwd)).toEqual(["1000"]);
  });

  it("as texts are a finding, and the same by its line", async () => {
    const cwd = workplace();
    writeFileSync(
      join(cwd, "in", "a.csv"),
      csvOf((index) => `${1000 + (index % 20)}`),
    );
    writeFileSync(
      join(cwd, "in", "b.csv"),
      csvOf((index) => `${1000 + (index % 20)}.0`),
    );
    writeFileSync(
      join(cwd, "in", "c.ndjson"),
      jsonOf((index) => `${1000 + (index % 20)}.0`),
    );
    const big = "9007199254740993.0";
    writeFileSync(
      join(cwd, "in", "d.csv"),
      csvOf(() => big),
    );
    expect(await usersOf(cwd)).toHaveLength(41);
    const line = '"mapping": {"userID": {"field": "user_id", "as": "integer"}}';
    expect(await findingsOf(cwd, "--apply")).toMatchObject([
      { code: "ids_decimal", fix: { line } },
    ]);
    expect(await findingsOf(cwd)).toEqual([]);
    const users = await usersOf(cwd);
    expect([users.length, users.at(-1)]).toEqual([21, big]);
  });
});

it("finds blanks around ids and names, and removes them by the lines", async () => {
  const cwd = workplace();
  const forms = ["u%", " u%", "u% ", "\u200bu%", "u%\u00a0", "\u2060u%", "\ufeffu%"];
  const text = csvOf((index) => (forms[index % 7] ?? "").replace("%", String(index % 5)));
  writeFileSync(join(cwd, "in", "a.csv"), text.replaceAll(/^seen(?=,.*3$)/gm, "seen "));
  expect(await usersOf(cwd)).toHaveLength(35);
  const lines = (await findingsOf(cwd, "--apply")).map(({ fix }) => fix?.line);
  expect(lines).toEqual([
    '"mapping": {"userID": {"field": "user_id", "trim": true}}',
    '"mapping": {"event": {"field": "event_type", "trim": true}}',
  ]);
  expect(readFileSync(join(cwd, "pipeline.config.json"), "utf8")).toContain('"trim": true');
  expect(await findingsOf(cwd)).toEqual([]);
  expect(await usersOf(cwd)).toEqual(["u0", "u1", "u2", "u3", "u4"]);
});

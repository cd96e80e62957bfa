import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { tableFromIPC } from "apache-arrow";
import { expect, test } from "vitest";
import { runInProcess } from "../support/command-line.js";
import { someOf } from "../support/property-runs.js";
import { scratchDirectory } from "../support/scratch.js";

const events = Array.from({ length: 40 }, (_, index) => ({
  event_type: "buy",
  event_time: new Date(Date.UTC(2026, 0, 30) + index * 3_600_123).toISOString(),
  user_id: `u${index % 3}`,
  $insert_id: `i-${index}`,
}));

function projectOf(section: object): string {
  const directory = scratchDirectory("columns");
  writeFileSync(
    join(directory, "in.ndjson"),
    events.map((row) => `${JSON.stringify(row)}\n`).join(""),
  );
  const configuration = { inputs: ["in.ndjson"], preset: "amplitude", export: section };
  writeFileSync(join(directory, "pipeline.config.json"), JSON.stringify(configuration));
  return directory;
}

test.each(someOf(["parquet", "arrow", "csv", "jsonl", "jsonl.gz"], 5))(
  "verify reads the columns of a target back from %s, and notices another name",
  async (format) => {
    const cwd = projectOf({ to: "out", format });
    const args = ["export", "--quiet", "--target", "statsig"];
    expect(await runInProcess(args, { cwd })).toMatchObject({ exitCode: 0 });
    expect(await runInProcess(["verify", "out"], { cwd })).toMatchObject({ exitCode: 0 });
    const manifest = readFileSync(join(cwd, "out/manifest.json"), "utf8");
    writeFileSync(
      join(cwd, "out/manifest.json"),
      manifest.replace(/"event": "buy"/, '"event": "sell"'),
    );
    expect(await runInProcess(["verify", "out"], { cwd })).toMatchObject({ exitCode: 1 });
  },
);

test("other columns are another run, and a list without the event is refused", async () => {
  const cwd = projectOf({ to: "out", format: "jsonl" });
  const run = (...args: string[]) => runInProcess(["export", "--quiet", ...args], { cwd });
  expect(await run("--columns", "name=event,time=timestamp:s")).toMatchObject({ exitCode: 0 });
  const [day = ""] = readdirSync(join(cwd, "out/events"));
  const [part = ""] = readdirSync(join(cwd, "out/events", day));
  const text = readFileSync(join(cwd, "out/events", day, part), "utf8");
  expect(text.slice(0, text.indexOf("\n"))).toBe('{"name":"buy","time":1769731200}');
  expect((await run("--target", "statsig")).stderr).toContain("columns");
  expect((await run("--columns", "time=timestamp")).stderr).toContain("[columns_invalid]");
  expect((await run("--columns", "event,time=timestamp")).stderr).toContain("event is all columns");
  expect((await run("--columns", "event:x")).stderr).toContain("--columns");
  const withoutIds = await run("--columns", "e=event,t=timestamp,id=timeuuid", "--no-insert-id");
  expect(withoutIds.stderr).toContain("[columns_invalid]");
});

test.each(someOf(["parquet", "csv", "jsonl"], 3))(
  "events of many days keep their columns in %s, with all columns, few, those of a target, and typed timestamps",
  async (format) => {
    const cwd = scratchDirectory("columns-of-many-days");
    const rows = Array.from({ length: 3_000 }, (_, index) => ({
      event_type: `e${index % 5}`,
      event_time: new Date(Date.UTC(2026, 0, 1 + ((index * 7) % 40), 0, 0, index % 60)),
      user_id: `u${index}`,
      device_id: `d${index}`,
      $insert_id: `i-${index}`,
      event_properties: { index },
    }));
    writeFileSync(join(cwd, "in.ndjson"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    const all =
      "a=event,b=timestamp,c=userID,d=stableID,e=value,f=user,g=metadata,h=insertID,i=timeuuid,j=platformUser";
    const choices = [
      ["--columns", all],
      ["--columns", "a=event,b=timestamp,g=metadata,f=platformUser"],
      ["--columns", "event:timestamp"],
      ["--target", "statsig"],
    ];
    for (const options of someOf(choices, 4)) {
      const spilled = ["--split-size", "100KiB", "--format", format, ...options];
      const [many, one] = [`${options[1]}-many`, `${options[1]}-one`];
      const run = (...args: string[]) =>
        runInProcess(["export", "in.ndjson", "--preset", "amplitude", "--quiet", ...args], { cwd });
      expect(await run("--to", many, ...spilled)).toMatchObject({ exitCode: 0 });
      expect(await run("--to", one, "--format", format, ...options)).toMatchObject({ exitCode: 0 });
      expect(await runInProcess(["verify", many], { cwd })).toMatchObject({ exitCode: 0 });
      expect(await readRows(join(cwd, many), format)).toEqual(
        await readRows(join(cwd, one), format),
      );
    }
  },
);

/** Returns the rows of all parts, in the order of the days and of their splits. */
async function readRows(directory: string, format: string): Promise<readonly unknown[]> {
  const duckdb = await (await DuckDBInstance.create(":memory:")).connect();
  const files = `'${directory}/events/*/*.${format}'`;
  const from = { parquet: `read_parquet(${files})`, csv: `read_csv(${files}, all_varchar = true)` }[
    format
  ];
  const sql = `select * from ${from ?? `read_csv(${files}, columns = {line: 'varchar'}, delim = '\t', quote = '', header = false)`}`;
  const rows = (await duckdb.runAndReadAll(`${sql} order by all`)).getRowsJson();
  duckdb.closeSync();
  expect(rows).toHaveLength(3_000);
  return rows;
}

test.each(someOf(["parquet", "arrow", "csv", "jsonl"], 4))(
  "timestamps have the type of %s, or are ISO 8601, in joined files too",
  async (format) => {
    const cwd = projectOf({ to: "out", format, columns: ["name=event", "at=timestamp:timestamp"] });
    const run = (...args: string[]) => runInProcess([...args], { cwd });
    expect(await run("export", "--split-size", "2KiB", "--quiet")).toMatchObject({ exitCode: 0 });
    expect(await run("verify", "out")).toMatchObject({ exitCode: 0 });
    const [part = ""] = readdirSync(join(cwd, "out/events/2026-01-30"));
    expect(part).toContain("merged");
    expect(await timesOf(join(cwd, "out/events/2026-01-30", part), format)).toEqual(
      events.flatMap(({ event_time: time }) => (time < "2026-01-31" ? [Date.parse(time)] : [])),
    );
    expect(await run("export", "--quiet", "--columns", "name=event,at=timestamp:ms")).toMatchObject(
      { exitCode: 2, stderr: expect.stringContaining("run_changed") },
    );
  },
);

/** Returns the times of column `at` in milliseconds, as other readers find them. */
async function timesOf(file: string, format: string): Promise<readonly number[]> {
  if (format === "arrow") {
    const at = tableFromIPC(readFileSync(file)).getChild("at");
    expect(String(at?.type)).toBe("Timestamp<MILLISECOND, UTC>");
    return [...(at ?? [])].map(Number);
  }
  const duckdb = await (await DuckDBInstance.create(":memory:")).connect();
  const read = { parquet: "parquet", csv: "csv", jsonl: "json" }[format];
  const sql = `select typeof("at"), epoch_ms("at")::double from read_${read}('${file}') order by 2`;
  const rows = (await duckdb.runAndReadAll(sql)).getRowsJS();
  duckdb.closeSync();
  expect(rows[0]?.[0]).toMatch(/^TIMESTAMP/);
  return rows.map(([, time]) => Number(time));
}

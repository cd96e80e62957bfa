import { cpSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, test } from "vitest";
import { loadSql } from "../../src/check/load-sql.js";
import { readManifest } from "../../src/ledger/manifest-file.js";
import { warehouses } from "../../src/options/options.js";
import { runInProcess } from "../support/command-line.js";
import { scratchDirectory } from "../support/scratch.js";

const rows = Array.from({ length: 60 }, (_, index) => ({
  event_type: ["a, b", 'say "hi"', "two\nlines"][index % 3],
  event_time: new Date(Date.UTC(2026, 0, 30) + index * 3_600_123).toISOString(),
  user_id: `u${index % 7}`,
  device_id: index % 3 === 0 ? null : `d${index}`,
  $insert_id: index % 4 === 0 ? null : `i-${index}`,
  event_properties: { index, text: "é'\"" },
  user_properties: {},
}));

const expected = rows.map((row) => ({
  name: row.event_type,
  at: BigInt(Math.floor(Date.parse(row.event_time) / 1_000)),
  index: row.event_properties.index,
  id: row.$insert_id,
}));

/** Exports the rows into a directory whose name has to be quoted, and returns it. */
async function exportRows(
  format: string,
  more: readonly string[] = [],
): Promise<{ cwd: string; directory: string }> {
  const cwd = scratchDirectory("load's-sql");
  writeFileSync(join(cwd, "in.ndjson"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  const columns = "name=event,at=timestamp:s,props=metadata,value=value,id=insertID";
  const options = [
    "--preset",
    "amplitude",
    "--columns",
    columns,
    "--format",
    format,
    "--quiet",
    ...more,
  ];
  const args = ["export", "in.ndjson", "--to", "out", ...options];
  expect(await runInProcess(args, { cwd })).toMatchObject({ exitCode: 0 });
  return { cwd, directory: join(cwd, "out") };
}

const exports = new Map<string, ReturnType<typeof exportRows>>();

/** Returns the one export of a kind, which tests only read. */
function exported(format: string, more: readonly string[] = []): ReturnType<typeof exportRows> {
  const kind = [format, ...more].join(" ");
  const found = exports.get(kind) ?? exportRows(format, more);
  exports.set(kind, found);
  return found;
}

test.skipIf(process.platform === "win32").each(["parquet", "csv", "jsonl"])(
  "DuckDB runs the statements for an export in %s and has each event as it was",
  async (format) => {
    const { directory } = await exported(format);
    const { exitCode, stdout } = await runInProcess(["load-sql", "duckdb", directory]);
    expect(exitCode).toBe(0);
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    try {
      await connection.run(stdout);
      const found = await connection.runAndReadAll(
        `select name, "at", (props->>'$.index')::int as index, id from events order by index`,
      );
      expect(found.getRowObjects()).toEqual(expected);
    } finally {
      connection.closeSync();
    }
  },
);

/** Texts that loaders could take for null, an escape, a quote or nothing. */
const nearNulls = [
  "\\N",
  '"\\N"',
  "\\n",
  "\\",
  "\\\\N",
  "NULL",
  "null",
  '"',
  '""',
  " ",
  " x ",
  "'",
  "",
];

test.skipIf(process.platform === "win32").each(["parquet", "csv", "jsonl"])(
  "verify and DuckDB find texts that look like null in %s as they were, and nulls as null",
  async (format) => {
    const cwd = scratchDirectory("null-texts");
    const texts = [...nearNulls, null];
    const lines = texts.map((text, index) =>
      JSON.stringify({
        event_type: text || "e",
        event_time: `2026-01-30T00:00:${String(10 + index)}Z`,
        user_id: text || "u",
        device_id: `d${index}`,
        $insert_id: text,
        v: text,
      }),
    );
    writeFileSync(join(cwd, "in.ndjson"), `${lines.join("\n")}\n`);
    writeFileSync(
      join(cwd, "pipeline.config.json"),
      JSON.stringify({ preset: "amplitude", mapping: { value: "v" } }),
    );
    const columns = ["event", "timestamp", "userID", "value", "insertID"]
      .map((name) => `${name}=${name}`)
      .join();
    const args = ["export", "in.ndjson", "--to", "out", "--format", format, "--columns", columns];
    expect(await runInProcess(args, { cwd })).toMatchObject({ exitCode: 0 });
    expect(await runInProcess(["verify", "out"], { cwd })).toMatchObject({ exitCode: 0 });
    const { stdout } = await runInProcess(["load-sql", "duckdb", "out"], { cwd });
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    try {
      await connection.run(stdout);
      const value = format === "jsonl" ? "value->>'$'" : "value";
      const found = await connection.runAndReadAll(
        `select event, "userID" as user, ${value} as value, "insertID" as id from events order by timestamp`,
      );
      expect(found.getRowObjects()).toEqual(
        texts.map((text) => ({
          event: text || "e",
          user: text || "u",
          value: text,
          id: text === "" ? null : text,
        })),
      );
    } finally {
      connection.closeSync();
    }
  },
);

/** Runs the statements for an export with DuckDB, and returns the rows that the table has then. */
async function rowsInDuckDb(directory: string): Promise<number> {
  const { stdout } = await runInProcess(["load-sql", "duckdb", directory]);
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  try {
    await connection.run(stdout);
    const found = await connection.runAndReadAll("select count(*)::int as rows from events");
    return Number(found.getRowObjects()[0]?.["rows"]);
  } finally {
    connection.closeSync();
  }
}

test.skipIf(process.platform === "win32")(
  "DuckDB reads the parts of this export only, not those that its directory's name matches or the files of a log",
  async () => {
    const { cwd, directory } = await exportRows("parquet");
    const [named, matched] = [join(cwd, "o[1]*?"), join(cwd, "o1xy")];
    renameSync(directory, named);
    cpSync(named, matched, { recursive: true });
    const [day = ""] = readdirSync(join(named, "events"));
    const [part = ""] = readdirSync(join(named, "events", day));
    const file = join(named, "events", day, part);
    cpSync(file, join(matched, "events", day, "part-900000-000.parquet"));
    expect(await rowsInDuckDb(named)).toBe(rows.length);
    cpSync(file, join(named, "events/_delta_log", `${"0".repeat(20)}.checkpoint.parquet`));
    expect(await rowsInDuckDb(named)).toBe(rows.length);
  },
);

test.skipIf(process.platform === "win32").each([
  ["clickhouse", "out{1,2}"],
  ["clickhouse", "out?"],
  ["duckdb", "out\\1"],
])("%s is refused for %s, which it would read as another path", async (warehouse, name) => {
  const { cwd, directory } = await exported("parquet");
  cpSync(directory, join(cwd, name), { recursive: true });
  const { exitCode, stderr } = await runInProcess(["load-sql", warehouse, name], { cwd });
  expect(exitCode).toBe(2);
  expect(stderr).toContain(`${name}. Rename`);
  expect(stderr).toContain("[load_unsupported]");
});

test("an export without events gets a table and nothing to load", async () => {
  const { cwd } = await exported("parquet", ["--to-time", "2020-01-01"]);
  expect(await rowsInDuckDb(join(cwd, "out"))).toBe(0);
});

const zone = ["--day-zone", "America/New_York"];
const byDay = [...zone, "--layout", "day={day}"];
const byEvent = [...zone, "--layout", "day={day}/event={event}"];

test.skipIf(process.platform === "win32").each(["parquet", "csv", "jsonl"])(
  "days in the names of directories are a column that DuckDB fills from %s, whatever directories of events are below",
  async (format) => {
    const { directory } = await exported(format, byEvent);
    const { stdout } = await runInProcess(["load-sql", "duckdb", directory]);
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    try {
      await connection.run(stdout);
      const found = await connection.runAndReadAll(
        `select name, "day"::varchar as day, count(*)::int as rows from events group by all order by all`,
      );
      const days = rows.map(({ event_type: name, event_time }) => {
        const local = new Date(Date.parse(event_time) - 5 * 3_600_000);
        return JSON.stringify([name, local.toISOString().slice(0, 10)]);
      });
      const counts = [...new Set(days)].sort().map((key) => {
        const [name, day] = JSON.parse(key);
        return { name, day, rows: days.filter((other) => other === key).length };
      });
      expect(found.getRowObjects()).toEqual(
        counts.sort((one, other) => (one.name + one.day < other.name + other.day ? -1 : 1)),
      );
    } finally {
      connection.closeSync();
    }
  },
);

describe("the statements of a warehouse", () => {
  test.each([
    ["bigquery", "WITH PARTITION COLUMNS (day DATE);"],
    ["snowflake", "REGEXP_SUBSTR(METADATA$FILENAME, '(^|/)day=([0-9-]+)/', 1, 1, 'e', 2)::DATE"],
    ["redshift", 'ALTER TABLE "events" ADD COLUMN "day" DATE;'],
    ["clickhouse", "`day` Date32 DEFAULT toDate32("],
  ])("of %s give the table the day in the names of directories", async (warehouse, text) => {
    const { cwd } = await exported("parquet", byDay);
    const { stdout } = await runInProcess(["load-sql", warehouse, "out"], { cwd });
    expect(stdout).toContain(text);
  });

  test("of BigQuery compute the day where directories of events are below those of days", async () => {
    const { cwd } = await exported("parquet", byEvent);
    const { stdout } = await runInProcess(["load-sql", "bigquery", "out"], { cwd });
    expect(stdout).not.toContain("hive_partition_uri_prefix");
    expect(stdout).toContain(
      "SET `day` = DATE(TIMESTAMP_ADD(TIMESTAMP_SECONDS(`at`), INTERVAL 0 SECOND), 'America/New_York')",
    );
  });

  test.each([
    ["bigquery", "events/2*.parquet'"],
    ["snowflake", "PATTERN = '.*/part-[^/]*[.]parquet'"],
    ["redshift", "/events/2'"],
    ["clickhouse", "/events/*/part-*.parquet'"],
  ])("of %s leave out the files of a Delta log", async (warehouse, text) => {
    const { cwd } = await exported("parquet", ["--table-log", "delta"]);
    const { stdout } = await runInProcess(["load-sql", warehouse, "out"], { cwd });
    expect(stdout).toContain(text);
  });

  test.each(warehouses)("name each column of the export, for %s", async (warehouse) => {
    const { cwd } = await exported("parquet");
    const { exitCode, stdout } = await runInProcess(["load-sql", warehouse, "out"], { cwd });
    expect(exitCode).toBe(0);
    for (const name of ["name", "at", "props", "value", "id"]) {
      expect(stdout).toMatch(new RegExp(`^  ["\`]${name}["\`] [A-Z]`, "m"));
    }
  });

  test.each([
    ["bigquery", "gs://lake/july", "'gs://lake/july/events/2*.parquet'"],
    ["redshift", "s3://lake/july/", "'s3://lake/july/events/2'"],
    ["snowflake", "s3://lake/july", "'s3://lake/july/events/'"],
    ["redshift", "gs://lake/july", "'s3://<bucket>/<prefix>/events/2'"],
  ] as const)("of %s name the bucket of %s as %s", async (warehouse, address, text) => {
    const { directory } = await exported("parquet");
    const manifest = await readManifest(join(directory, "manifest.json"));
    expect(loadSql(warehouse, manifest, address)).toContain(text);
    expect(() => loadSql("clickhouse", manifest, address)).toThrow(
      /copy the output to a directory/,
    );
  });

  test.each([
    ["bigquery", "null_marker = ''"],
    ["snowflake", "NULL_IF = () ESCAPE_UNENCLOSED_FIELD = NONE"],
    ["redshift", "NULL AS ''"],
    ["clickhouse", "format_csv_null_representation = '\\\\N'"],
    ["duckdb", "nullstr = ''"],
  ])("of %s name the text that means null in CSV", async (warehouse, text) => {
    const { cwd } = await exported("csv");
    const { stdout } = await runInProcess(["load-sql", warehouse, "out"], { cwd });
    expect(stdout).toContain(text);
  });

  test("are refused for a format that it does not read", async () => {
    const { cwd } = await exported("arrow");
    const { exitCode, stderr } = await runInProcess(["load-sql", "duckdb", "out"], { cwd });
    expect(exitCode).toBe(2);
    expect(stderr).toContain("[load_unsupported]");
  });
});

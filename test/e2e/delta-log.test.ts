import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { runInProcess } from "../support/command-line.js";
import { liveFiles, readCommits } from "../support/delta-table.js";
import { writeAmplitudeRows } from "../support/generated-input.js";
import { scratchDirectory } from "../support/scratch.js";

const directory = scratchDirectory("delta-log");
const log = join(directory, "out/events/_delta_log");

function readTable() {
  const commits = readCommits(join(directory, "out/events"));
  const actions = commits.flat();
  expect(commits[0]?.find(({ protocol }) => protocol)?.protocol?.minReaderVersion).toBe(1);
  const { metaData } = actions.findLast((action) => action.metaData !== undefined) ?? {};
  if (metaData === undefined) throw new Error("no metaData");
  const { fields } = JSON.parse(metaData.schemaString);
  const files = liveFiles(join(directory, "out/events"));
  return { commits: commits.length, files, metaData, fields };
}

async function run(exitCode: number, ...words: string[]) {
  const result = await runInProcess([...words, "--json"], { cwd: directory });
  expect(result, result.stderr).toMatchObject({ exitCode });
  return JSON.parse(result.stdout);
}

/** Compares the files of the log with what DuckDB reads from them. */
async function expectRows(rows: number): Promise<void> {
  const { files } = readTable();
  const paths = files.map(({ path }) => `'${join(directory, "out/events", decodeURI(path))}'`);
  const duckdb = await (await DuckDBInstance.create(":memory:")).connect();
  const reader = await duckdb.runAndReadAll(
    `select filename, count(*)::int as rows, min(timestamp)::double as first, max(timestamp)::double as last
     from read_parquet([${paths}], filename = true, hive_partitioning = false) group by 1`,
  );
  const found = new Map(reader.getRowsJS().map(([name, ...counts]) => [String(name), counts]));
  for (const { path, stats } of files) {
    const { numRecords, minValues, maxValues } = JSON.parse(stats);
    const expected = [numRecords, minValues.timestamp, maxValues.timestamp];
    expect(found.get(join(directory, "out/events", decodeURI(path)))).toEqual(expected);
  }
  expect([...found.values()].reduce((sum, [count]) => sum + Number(count), 0)).toBe(rows);
  duckdb.closeSync();
}

it("a Delta log lists the files of the manifest, with a commit for each run that changes them", async () => {
  const words = [
    "--to",
    "out",
    "--table-log",
    "delta",
    "--layout",
    "day={day}",
    "--max-rejects",
    "1%",
  ];
  writeAmplitudeRows(join(directory, "a.jsonl"), 900, 3);
  await run(0, "export", ".", ...words);
  const first = readTable();
  expect(first).toMatchObject({ commits: 1, metaData: { partitionColumns: ["day"] } });
  expect(first.files.map(({ partitionValues }) => partitionValues["day"]).sort()).toEqual([
    "2026-01-01",
    "2026-01-02",
    "2026-01-03",
  ]);
  expect(first.fields.map(({ name, type }: Record<string, string>) => `${name} ${type}`)).toEqual([
    "event string",
    "timestamp long",
    "userID string",
    "stableID string",
    "value string",
    "user string",
    "metadata string",
    "insertID string",
    "day date",
  ]);
  await expectRows(900);
  await run(0, "export", ".", ...words);
  expect(readTable().commits).toBe(1);

  writeAmplitudeRows(join(directory, "b.jsonl"), 600, 4);
  await run(0, "export", ".", ...words);
  expect(readTable().commits).toBe(2);
  await expectRows(1_500);
  await run(0, "compact", "out");
  // A commit for each day that had more than one file: readers are told that no row is new.
  expect(readTable()).toMatchObject({ commits: 5, files: { length: 4 } });
  for (const actions of readCommits(join(directory, "out/events")).slice(2)) {
    expect(actions.find(({ commitInfo }) => commitInfo)?.commitInfo?.operation).toBe("OPTIMIZE");
    const changes = actions.flatMap(({ add, remove }) => add ?? remove ?? []);
    expect(changes).toHaveLength(3);
    for (const { dataChange } of changes) expect(dataChange).toBe(false);
  }
  await expectRows(1_500);
  expect(await run(0, "verify", "out")).toMatchObject({ outcome: "verified" });

  // A log that was lost, or a commit that a kill has prevented, is made up for.
  rmSync(join(log, "00000000000000000004.json"));
  await run(0, "export", ".", ...words);
  await expectRows(1_500);
  await run(0, "export", "a.jsonl", ...words, "--fresh");
  await expectRows(900);
});

it("a log with a gap is refused, and another format than Parquet", async () => {
  writeFileSync(join(log, "00000000000000000009.json"), "{}\n");
  const words = [
    "export",
    "a.jsonl",
    "--to",
    "out",
    "--layout",
    "day={day}",
    "--max-rejects",
    "1%",
  ];
  expect(await run(1, ...words)).toMatchObject({ error: { code: "table_damaged" } });
  expect(
    await run(2, "export", "a.jsonl", "--to", "csv", "--format", "csv", "--table-log", "delta"),
  ).toMatchObject({ error: { code: "table_unsupported" } });
});

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { runInProcess } from "../support/command-line.js";
import { writeAmplitudeRows } from "../support/generated-input.js";
import { scratchDirectory } from "../support/scratch.js";

const directory = scratchDirectory("day-name");

async function run(exitCode: number, ...words: string[]): Promise<Record<string, unknown>> {
  const result = await runInProcess([...words, "--json"], { cwd: directory });
  expect(result, result.stderr).toMatchObject({ exitCode });
  return JSON.parse(result.stdout);
}

it("days named as Hive does are resumed, grown, compacted and verified, and are a column of readers", async () => {
  writeAmplitudeRows(join(directory, "a.jsonl"), 500, 3);
  const words = ["export", ".", "--to", "out", "--layout", "day={day}", "--max-rejects", "1%"];
  await run(0, ...words);
  writeAmplitudeRows(join(directory, "b.jsonl"), 700, 4);
  await run(0, ...words);
  const days = ["day=2026-01-01", "day=2026-01-02", "day=2026-01-03", "day=2026-01-04"];
  expect(readdirSync(join(directory, "out/events")).sort()).toEqual(days);
  expect(readdirSync(join(directory, "out/events/day=2026-01-01"))).toHaveLength(2);
  expect(await run(0, "verify", "out")).toMatchObject({ outcome: "verified", rows: 1_200 });
  await run(0, "compact", "out");
  expect(readdirSync(join(directory, "out/events/day=2026-01-01"))).toHaveLength(1);
  expect(await run(0, "verify", "out")).toMatchObject({ outcome: "verified", rows: 1_200 });
  expect(await run(0, ...words)).toMatchObject({ alreadyDone: true });

  const duckdb = await (await DuckDBInstance.create(":memory:")).connect();
  const reader = await duckdb.runAndReadAll(
    `select count(*) filter (day::varchar = strftime(make_timestamp(timestamp * 1000), '%Y-%m-%d'))::int
     from read_parquet('${directory}/out/events/*/*.parquet', hive_partitioning = true)`,
  );
  expect(reader.getRowsJS()).toEqual([[1_200]]);
  duckdb.closeSync();
});

it("a run with days of another name is refused", async () => {
  writeAmplitudeRows(join(directory, "c.jsonl"), 10, 1);
  await run(0, "export", "c.jsonl", "--to", "other");
  const words = ["export", "c.jsonl", "--to", "other", "--layout", "day={day}"];
  expect(await run(2, ...words)).toMatchObject({ error: { code: "run_changed" } });
});

it.each(["{day}/x", "x", "../{day}", "a b={day}", "a/b/{day}", "_x/{day}", "{event}/{day}"])(
  "%j is not a layout",
  async (name) => {
    const { exitCode, stderr } = await runInProcess(
      ["export", "c.jsonl", "--to", "out", "--layout", name],
      { cwd: directory },
    );
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("day={day}")]);
  },
);

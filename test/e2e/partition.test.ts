import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { beforeAll, describe, expect, it } from "vitest";
import { runInProcess } from "../support/command-line.js";
import { digestExport } from "../support/directory-digest.js";
import { longTest } from "../support/long-test.js";
import { someOf } from "../support/property-runs.js";
import { scratchDirectory } from "../support/scratch.js";

const directory = scratchDirectory("partition");
const long = "x".repeat(300);
const odd = [
  "a/b c",
  "a%2Fb c",
  "A/b c",
  "../..",
  "x.",
  "=1",
  "ünï ☃",
  "__HIVE_DEFAULT_PARTITION__",
];
const names = Array.from({ length: 15 }, (_, index) => `event_${index}`).concat(
  odd,
  long,
  `${long}y`,
);

async function run(exitCode: number, ...words: string[]) {
  const result = await runInProcess([...words, "--json"], { cwd: directory });
  expect(result, result.stderr).toMatchObject({ exitCode });
  return JSON.parse(result.stdout);
}

/** Writes rows of three days in no order; every tenth insert id repeats an earlier one. */
function writeRows(file: string, rows: number, start = 0): void {
  const lines = Array.from({ length: rows }, (_, index) => {
    const time = new Date(Date.UTC(2026, 0, 1 + ((index * 7) % 3), 0, 0, index % 60));
    return JSON.stringify({
      event_type: names[(index * 13) % names.length],
      event_time: time.toISOString().replace("T", " ").replace("Z", "000"),
      user_id: `u${index % 9}`,
      $insert_id: `i${start + index - (index % 10 === 9 ? 120 : 0)}`,
      event_properties: { index },
    });
  });
  writeFileSync(join(directory, file), `${lines.join("\n")}\n`);
}

const words = ["--layout", "{day}/event={event}", "--split-size", "64KiB"];

function filesIn(output: string): string[] {
  return readdirSync(join(directory, output, "events"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.includes("part-"))
    .sort();
}

beforeAll(() => {
  writeRows("a.jsonl", 6_000);
  writeRows("b.jsonl", 3_000, 5_500);
});

// The output in Parquet serves a test below.
it.each(someOf(["parquet", "jsonl", "csv", "jsonl.gz", "arrow"], 5))(
  "each event of each day has one directory with one file of %s, with any number of threads",
  async (format) => {
    const output = `out-${format}`;
    const args = ["export", "a.jsonl", "--format", format, ...words];
    await run(0, ...args, "--to", output, "--threads", "2");
    expect(filesIn(output)).toHaveLength(3 * names.length);
    expect(new Set(filesIn(output).map((file) => file.split("/")[1]?.toLowerCase()))).toHaveLength(
      // Two names differ in case.
      names.length - 1,
    );
    expect(Math.max(...filesIn(output).map((file) => file.length))).toBeLessThan(200);
    expect(await run(0, "verify", output)).toMatchObject({ outcome: "verified", rows: 6_000 });
    await run(0, ...args, "--to", `${output}-1`, "--threads", "1");
    expect(digestExport(join(directory, `${output}-1`))).toEqual(
      digestExport(join(directory, output)),
    );
  },
);

describe("an output that grows", () => {
  const hive = ["--layout", "day={day}/event={event}", "--split-size", "64KiB"];
  const grown = [...hive, "--to", "grown", "--dedupe", "--table-log", "delta"];

  it("is deduplicated, compacted, verified, and read as Hive and Delta tables", async () => {
    await run(0, "export", "a.jsonl", ...grown);
    const { rows } = await run(0, "export", "a.jsonl", "b.jsonl", ...grown);
    const before = filesIn("grown").length;
    await run(0, "compact", "grown");
    expect(filesIn("grown").length).toBeLessThan(before);
    expect(await run(0, "verify", "grown")).toMatchObject({ outcome: "verified" });
    expect(await run(0, "export", "a.jsonl", "b.jsonl", ...grown)).toMatchObject({
      alreadyDone: true,
    });

    const duckdb = await (await DuckDBInstance.create(":memory:")).connect();
    const read = async (hive: boolean) => {
      const from = `read_parquet('${directory}/grown/events/*/*/*.parquet', hive_partitioning = ${hive}, hive_types_autocast = false)`;
      const sql = `select event, count(*)::int from ${from} where length(event) < 100 group by 1 order by 1`;
      return (await duckdb.runAndReadAll(sql)).getRowsJS();
    };
    // Readers take the event from the directory; names that are too long for one end with a digest.
    expect(await read(true)).toEqual(await read(false));
    duckdb.closeSync();
    expect(rows.delivered + rows.duplicates).toBe(9_000);

    const log = readdirSync(join(directory, "grown/events/_delta_log")).sort();
    const actions = log.flatMap((name) =>
      readFileSync(join(directory, "grown/events/_delta_log", name), "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    );
    expect(actions.find(({ metaData }) => metaData).metaData.partitionColumns).toEqual([
      "day",
      "event",
    ]);
    const added = actions.flatMap(({ add }) => (add ? [add.partitionValues.event] : []));
    expect(new Set(added)).toEqual(new Set(names));
  });

  longTest(
    "writes what was removed again, and refuses files of others in a directory of an event",
    async () => {
      const digest = digestExport(join(directory, "out-jsonl"));
      const [file = ""] = filesIn("out-jsonl");
      rmSync(join(directory, "out-jsonl/events", file));
      const args = ["export", "a.jsonl", "--format", "jsonl", ...words, "--to", "out-jsonl"];
      await run(0, ...args);
      expect(digestExport(join(directory, "out-jsonl"))).toEqual(digest);
      await run(0, ...args, "--fresh");
      expect(digestExport(join(directory, "out-jsonl"))).toEqual(digest);
      const foreign = join(directory, "foreign/events/2026-01-01/event=x/other.csv");
      await run(0, "export", "a.jsonl", "--to", "foreign", ...words);
      renameSync(
        join(directory, "foreign/events", filesIn("foreign")[0] ?? ""),
        foreign.replace("event=x/", ""),
      );
      expect(await run(2, "export", "a.jsonl", "--to", "foreign", ...words)).toMatchObject({
        error: { code: "output_occupied" },
      });
    },
  );

  it("is refused with other levels of directories", async () => {
    expect(await run(2, "export", "a.jsonl", "--to", "out-parquet")).toMatchObject({
      error: { code: "run_changed" },
    });
  });
});

it("verify finds events in the directory of another event", async () => {
  const [from, to] = ["2026-01-01/event=event_0", "2026-01-01/event=event_00"];
  const output = join(directory, "out-parquet");
  const manifest = readFileSync(join(output, "manifest.json"), "utf8");
  const moved = JSON.parse(manifest.replaceAll(`${from}/`, `${to}/`));
  for (const file of moved.days[0].files) if (file.path.includes(to)) file.event = "event_00";
  writeFileSync(join(output, "manifest.json"), JSON.stringify(moved));
  renameSync(join(output, "events", from), join(output, "events", to));
  const { differences } = await run(1, "verify", "out-parquet");
  expect(differences).toEqual([
    {
      code: "row_in_wrong_event",
      path: expect.stringContaining(to),
      message: 'row 1 has the event "event_0", not "event_00"',
    },
  ]);
});

it("too many event names are an error that says what to do", async () => {
  const lines = Array.from({ length: 20_000 }, (_, index) =>
    JSON.stringify({
      event_type: `order ${index}`,
      event_time: "2026-01-01 00:00:00",
      user_id: "u",
    }),
  );
  writeFileSync(join(directory, "many.jsonl"), lines.join("\n"));
  expect(
    await run(1, "export", "many.jsonl", "--to", "many", ...words, "--split-size", "64MiB"),
  ).toMatchObject({
    error: {
      code: "partition_too_large",
      message: expect.stringContaining("more than 16384 event names"),
    },
  });
});

import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { exitCodes } from "../../src/base/errors.js";
import { DUPLICATES_LISTED_MAX } from "../../src/base/limits.js";
import { runInProcess, runSwitchyard } from "../support/command-line.js";
import { digestExport } from "../support/directory-digest.js";
import { longTest } from "../support/long-test.js";
import { isCi } from "../support/property-runs.js";
import { createRandom } from "../support/random.js";
import {
  distinctNumbers,
  type RepeatedRow,
  repeatedLine,
  repeatedRows,
} from "../support/repeated-rows.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("dedupe");
const KILLS = 6;
const seed = Number(process.env["SWITCHYARD_SEED"] ?? Date.now() % 1_000_000);

/** Writes rows in order to files of 1,500; every other one is compressed. */
function writeRows(directory: string, rows: readonly RepeatedRow[]): string {
  const input = join(scratch, directory);
  mkdirSync(input, { recursive: true });
  const names = Array.from({ length: Math.ceil(rows.length / 1_500) }, (_, index) => index);
  for (const index of names) {
    const text = rows
      .slice(index * 1_500, (index + 1) * 1_500)
      .map((row) => `${repeatedLine(row)}\n`)
      .join("");
    const isPacked = index % 2 === 1;
    const path = join(input, `part-${String(index).padStart(3, "0")}.json${isPacked ? ".gz" : ""}`);

    writeFileSync(path, isPacked ? gzipSync(text) : text);
  }
  return input;
}

const options = "--format jsonl --max-rejects 10% --quiet --split-size 128KiB".split(" ");

const exportTo = (output: string, input: string, ...more: string[]) => [
  "export",
  input,
  "--to",
  output,
  ...options,
  ...more,
];

function exportedNumbers(output: string): readonly number[] {
  return readdirSync(join(output, "events"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) =>
      readFileSync(join(output, "events", name), "utf8")
        .trimEnd()
        .split("\n"),
    )
    .map((line) => (JSON.parse(line) as { metadata: { n: number } }).metadata.n)
    .sort((one, other) => one - other);
}

const readManifest = (output: string) =>
  JSON.parse(readFileSync(join(output, "manifest.json"), "utf8"));

it.each(["day", "all"] as const)(
  "keeps the first event of each insert id within %s, with any number of threads",
  async (within) => {
    const count = isCi ? 12_000 : 4_000;
    const rows = repeatedRows(count, count / 4, createRandom(seed));
    const input = writeRows(`rows-${within}`, rows);
    const digests = [];
    for (const threads of ["1", "3", ...(isCi ? ["2"] : [])]) {
      const output = join(scratch, `${within}-${threads}`);
      const result = await runInProcess(
        exportTo(output, input, "--dedupe", within, "--threads", threads),
      );
      expect(result, result.stderr).toMatchObject({ exitCode: 0 });
      digests.push(digestExport(output));
    }
    const output = join(scratch, `${within}-1`);
    const kept = distinctNumbers(rows, within);
    expect(exportedNumbers(output), `SWITCHYARD_SEED=${seed}`).toEqual(kept);
    for (const digest of digests) expect(digest).toEqual(digests[0]);
    const { rows: counts, duplicates } = readManifest(output);
    expect(counts.duplicates).toBe(rows.filter((row) => !row.isBroken).length - kept.length);
    for (const list of [duplicates.days, duplicates.sources, duplicates.events]) {
      const total = list.reduce((sum: number, one: { rows: number }) => sum + one.rows, 0);
      expect(total).toBe(counts.duplicates);
    }
    const verified = await runInProcess(["verify", output]);
    expect(verified, verified.stdout).toMatchObject({ exitCode: 0 });
  },
);

it("lists removed events with the position of the one that stayed", async () => {
  const rows = repeatedRows(4_000, 500, createRandom(seed));
  const input = writeRows("listed", rows);
  const output = join(scratch, "listed-out");
  // Rows are numbered in sources that are read as a whole.
  const command = exportTo(output, input, "--split-size", "64MiB", "--dedupe");
  const result = await runInProcess(command);
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  const lines = readdirSync(join(output, "duplicates")).flatMap((name) =>
    readFileSync(join(output, "duplicates", name), "utf8")
      .trimEnd()
      .split("\n"),
  );
  expect(lines).toHaveLength(DUPLICATES_LISTED_MAX);
  const numberOf = ({ source, row }: { source: string; row: number }) =>
    Number(/part-(\d+)/.exec(source)?.[1]) * 1_500 + row - 1;
  for (const line of lines) {
    const { first, event, timestamp, key, ...place } = JSON.parse(line);
    const [removed, stayed] = [rows[numberOf(place)], rows[numberOf(first)]];
    expect(removed).toMatchObject({ event, timeMs: timestamp, id: key.insertID });
    expect(stayed?.id).toBe(key.insertID);
    expect(numberOf(first)).toBeLessThan(numberOf(place));
  }
});

it("agrees with DuckDB on every event that stays", async () => {
  const count = isCi ? 9_000 : 3_000;
  const rows = repeatedRows(count, isCi ? 2_000 : 700, createRandom(seed + 1)).map((row) => ({
    ...row,
    isBroken: false,
  }));
  const input = writeRows("duckdb", rows);
  const output = join(scratch, "duckdb-out");
  const result = await runInProcess(exportTo(output, input, "--dedupe", "day"));
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  const database = await (await DuckDBInstance.create(":memory:")).connect();
  const found = await database.runAndReadAll(`
    select (event_properties->>'n')::integer as n
    from read_json('${input}/*', format = 'newline_delimited', filename = true,
      columns = {'$insert_id': 'VARCHAR', event_time: 'VARCHAR', event_properties: 'JSON'})
    qualify "$insert_id" is null or row_number() over (
      partition by "$insert_id", event_time[:10] order by filename, n) = 1
    order by n`);
  expect(exportedNumbers(output)).toEqual(found.getRows().map(([n]) => Number(n)));
});

longTest(
  `survives kills and ^C at random moments with the bytes of a quiet run, seed ${seed}`,
  async () => {
    const random = createRandom(seed);
    const input = writeRows("killed", repeatedRows(30_000, 9_000, random));
    const quiet = join(scratch, "quiet");
    const start = performance.now();
    const first = await runSwitchyard(exportTo(quiet, input, "--dedupe", "--threads", "2"));
    expect(first, first.stderr).toMatchObject({ exitCode: 0 });
    const quietMs = performance.now() - start;
    const output = join(scratch, "killed-out");
    let kills = 0;
    while (kills < KILLS) {
      rmSync(output, { recursive: true, force: true });
      for (let isDone = false; !isDone; ) {
        let timer: NodeJS.Timeout | undefined;
        const result = await runSwitchyard(exportTo(output, input, "--dedupe", "--threads", "2"), {
          started: (child) => {
            // The run after the last kill comes to its end.
            if (kills >= KILLS) return;
            const signal = random() < 0.5 ? "SIGKILL" : "SIGINT";
            timer = setTimeout(() => child.kill(signal), random() * quietMs);
          },
        });
        clearTimeout(timer);
        isDone = result.signal === null && result.exitCode !== exitCodes.interrupted;
        if (isDone) expect(result, result.stderr).toMatchObject({ exitCode: 0 });
        else kills++;
      }
      expect(digestExport(output), `after ${kills} kills`).toEqual(digestExport(quiet));
    }
  },
  300_000,
);

it("has the bytes of a clean run once a damaged input is repaired", async () => {
  const count = isCi ? 6_000 : 3_000;
  const rows = repeatedRows(count, count / 4, createRandom(seed + 2));
  const input = writeRows("repaired", rows);
  const clean = join(scratch, "clean");
  await runInProcess(exportTo(clean, input, "--dedupe"));
  const path = join(input, "part-001.json.gz");
  const sound = readFileSync(path);
  truncateSync(path, Math.floor(sound.length / 2));
  const output = join(scratch, "repaired-out");
  const failed = await runInProcess(exportTo(output, input, "--dedupe"));
  expect(failed).toMatchObject({ exitCode: 1 });
  writeFileSync(path, sound);
  const result = await runInProcess(exportTo(output, input, "--dedupe"));
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  // The fingerprint of the repaired file, in the list of inputs, has its new time.
  const bytesOf = (directory: string) => {
    const { "inputs.jsonl": _, "manifest.json": __, ...others } = digestExport(directory);
    return others;
  };
  expect(bytesOf(output)).toEqual(bytesOf(clean));
  expect(readManifest(output).duplicates).toEqual(readManifest(clean).duplicates);
});

longTest("reads a split again whose keys were damaged between two runs", async () => {
  const input = writeRows("keys", repeatedRows(9_000, 2_000, createRandom(seed + 3)));
  const output = join(scratch, "keys-out");
  await runInProcess(exportTo(output, input, "--dedupe"));
  const before = digestExport(output);
  const ledger = join(output, "_switchyard");
  const files = readdirSync(join(ledger, "keys", "files"));
  for (const name of files) truncateSync(join(ledger, "keys", "files", name), 1_000);
  rmSync(join(ledger, "splits", "000000.json"));
  const result = await runInProcess(exportTo(output, input, "--dedupe"));
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  expect(digestExport(output)).toEqual(before);
});

longTest("keeps the right events after a worker that died while keys were read", async () => {
  const rows = repeatedRows(6_000, 900, createRandom(seed + 8));
  const input = writeRows("died", rows);
  const flag = join(scratch, "died.flag");
  writeFileSync(flag, "");
  const transform = join(scratch, "die-twice.mjs");
  writeFileSync(
    transform,
    // Twice: if the first time another split is in progress, both are only read again.
    `import { appendFileSync, readFileSync } from "node:fs";
    export default (event) => {
      const deaths = ${JSON.stringify(flag)};
      if (event.metadata.n < 2000 || readFileSync(deaths, "utf8").length >= 2) return event;
      appendFileSync(deaths, "x");
      process.exit(3);
    };`,
  );
  const output = join(scratch, "died-out");
  const command = exportTo(output, input, "--dedupe", "--transform", transform, "--threads", "1");
  const first = await runInProcess(command);
  expect(first, first.stderr).toMatchObject({ exitCode: 1 });
  const second = await runInProcess(command);
  expect(second, second.stderr).toMatchObject({ exitCode: 0 });
  expect(exportedNumbers(output)).toEqual(distinctNumbers(rows, "day"));
});

it("removes events that repeat one of an earlier epoch, which stays as it is", async () => {
  const rows = repeatedRows(6_000, 1_500, createRandom(seed + 5));
  const input = writeRows("epochs", rows.slice(0, 3_000));
  const output = join(scratch, "epochs-out");
  const first = await runInProcess(exportTo(output, input, "--dedupe"));
  expect(first, first.stderr).toMatchObject({ exitCode: 0 });
  const before = digestExport(output);
  writeRows("epochs", rows);
  for (const name of readdirSync(input).slice(0, 2)) rmSync(join(input, name));
  const second = await runInProcess(exportTo(output, input, "--dedupe"));
  expect(second, second.stderr).toMatchObject({ exitCode: 0 });
  expect(exportedNumbers(output)).toEqual(distinctNumbers(rows, "day"));
  const after = digestExport(output);
  for (const name of Object.keys(before)) {
    if (name.includes("part-")) expect(after[name], name).toBe(before[name]);
  }
});

it("compares the events that a transform makes, which never repeat those of their own row", async () => {
  const rows = repeatedRows(3_000, 600, createRandom(seed + 6));
  const input = writeRows("transformed", rows);
  const transform = join(scratch, "twice.mjs");
  // Every third row is left out, the others become two events with one insert id.
  writeFileSync(
    transform,
    `export default (event) => event.metadata.n % 3 === 0 ? null : [
      event, { ...event, metadata: { n: event.metadata.n + 100000 } }];`,
  );
  const output = join(scratch, "transformed-out");
  const result = await runInProcess(exportTo(output, input, "--dedupe", "--transform", transform));
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  const kept = distinctNumbers(
    rows.filter(({ n }) => n % 3 !== 0),
    "day",
  );
  expect(exportedNumbers(output)).toEqual([...kept, ...kept.map((n) => n + 100_000)]);
});

longTest("starts a transform that keeps a state anew when it delivers the events", async () => {
  const input = writeRows("seen", repeatedRows(2_000, 400, createRandom(seed + 9)));
  const transform = join(scratch, "seen.mjs");
  writeFileSync(
    transform,
    `const seen = new Set();
    export default (event) => {
      const isNew = !seen.has(event.metadata.n);
      seen.add(event.metadata.n);
      return isNew ? event : null;
    };`,
  );
  const output = join(scratch, "seen-out");
  const command = exportTo(output, input, "--dedupe", "--transform", transform, "--threads", "1");
  const result = await runInProcess(command);
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
});

longTest(
  "is counted exactly by a dry run, whether repeated events are removed or not",
  async () => {
    const rows = repeatedRows(6_000, 1_500, createRandom(seed + 7));
    const input = writeRows("counted", rows);
    const validate = async (...more: string[]) => {
      const report = join(scratch, "report");
      const command = ["validate", input, "--report", report, "--max-rejects", "10%"];
      const small = ["--split-size", "128KiB"];
      const result = await runInProcess([...command, ...small, ...more]);
      expect(result, result.stderr).toMatchObject({ exitCode: 0 });
      const { rows: counts, findings } = JSON.parse(
        readFileSync(join(report, "report.json"), "utf8"),
      );
      const codes = findings.map(({ code }: { code: string }) => code);
      return { counts, exact: counts.duplicates.exact, stdout: result.stdout, codes };
    };
    const kept = new Set(distinctNumbers(rows, "day"));
    const valid = rows.filter(({ isBroken }) => !isBroken);
    const removed = valid.filter(({ n }) => !kept.has(n));
    const countBy = (keyOf: (row: RepeatedRow) => string) => {
      const counts = new Map<string, number>();
      for (const row of removed) counts.set(keyOf(row), (counts.get(keyOf(row)) ?? 0) + 1);
      return Object.fromEntries(counts);
    };
    const would = await validate();
    expect(would.exact).toMatchObject({ rows: removed.length, removed: false });
    expect(would.counts.mapped).toBe(valid.length);
    expect(would.stdout).toContain("so many that the insert id may not identify events");
    expect(would.codes).toContain("duplicates");
    const does = await validate("--dedupe");
    expect(does.exact).toMatchObject({ rows: removed.length, removed: true });
    expect(does.counts.mapped).toBe(kept.size);
    expect(does.stdout).toContain("removed as duplicates");
    expect(does.codes).not.toContain("duplicates");
    const listOf = (list: readonly Record<string, string | number>[], name: string) =>
      Object.fromEntries(list.map((one) => [one[name], one["rows"]]));
    for (const { exact } of [would, does]) {
      expect(listOf(exact.days, "day")).toEqual(
        countBy(({ timeMs }) => new Date(timeMs).toISOString().slice(0, 10)),
      );
      expect(listOf(exact.events, "event")).toEqual(countBy(({ event }) => event));
      const sources = Object.entries(listOf(exact.sources, "source")).map(([name, count]) => [
        Number(/part-(\d+)/.exec(name)?.[1]),
        count,
      ]);
      expect(Object.fromEntries(sources)).toEqual(
        countBy(({ n }) => String(Math.floor(n / 1_500))),
      );
    }
    const sampled = await validate("--sample", "50%");
    expect(sampled.exact).toBeUndefined();
  },
);

longTest("removes events by other targets, and refuses a key that events do not have", async () => {
  const rows = repeatedRows(2_000, 100, createRandom(seed + 4)).map((row) => ({
    ...row,
    isBroken: false,
    timeMs: Math.floor(row.timeMs / 3_600_000) * 3_600_000,
  }));
  const input = writeRows("targets", rows);
  const output = join(scratch, "targets-out");
  const by = ["--dedupe", "all,by=event,timestamp"];
  const result = await runInProcess(exportTo(output, input, ...by));
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  const distinct = new Set(rows.map(({ event, timeMs }) => `${event} ${timeMs}`)).size;
  expect(readManifest(output).rows.delivered).toBe(distinct);
  const config = join(scratch, "no-id.json");
  writeFileSync(config, JSON.stringify({ mapping: { insertID: null } }));
  const refused = await runInProcess(exportTo(output, input, "--dedupe", "--config", config));
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain("--dedupe needs an insert id");
  expect(refused.stderr).toContain("--dedupe by=event,timestamp,userID,stableID,metadata");
  const dropped = await runInProcess(
    exportTo(output, input, "--dedupe", "by=event,userID", "--drop", "userID"),
  );
  expect(dropped.stderr).toContain("--drop removes from every event");
});

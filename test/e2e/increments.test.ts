import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect } from "vitest";
import type { Manifest } from "../../src/ledger/manifest.js";
import { type CommandResult, runSwitchyard } from "../support/command-line.js";
import { readDelivered } from "../support/delivered.js";
import { inputsOf } from "../support/inputs-of.js";
import { longTest } from "../support/long-test.js";
import { writeOverlappingHours } from "../support/overlapping-export.js";
import { createRandom } from "../support/random.js";
import { scratchDirectory } from "../support/scratch.js";
import { killServicesAfterEach, startServiceProcess } from "../support/service-process.js";

// Overlapping hourly files, migrated under kills, and again when there are more of them. What each copy of
// an event has of its own says which copy was kept; DuckDB says which one should have been.
const KILLS = 4;
const ROWS_AN_HOUR = 100;
const seed = Number(process.env["KILL_SEED"] ?? Date.now() % 1_000_000);
const directory = scratchDirectory("increments");
killServicesAfterEach();

longTest(
  `each event is exported and sent once, after ${KILLS} kills and after further files, seed ${seed}`,
  async () => {
    console.info(`KILL_SEED=${seed} repeats these kills as far as the machine's timing allows`);
    configure();
    writeOverlappingHours(join(directory, "in"), { first: 24, end: 96, rows: ROWS_AN_HOUR });
    const random = createRandom(seed);
    const undisturbedMs = await migrateElsewhere();
    for (let kills = 0; kills < KILLS; ) {
      const end = await migrate(random() * undisturbedMs);
      if (end.signal === "SIGKILL") kills++;
      else startOver(end);
    }
    expectDone(await migrate());
    const first = await expectOnce([72]);
    expect(first.duplicates).toBeGreaterThan(ROWS_AN_HOUR * 72 * 0.1);

    // Two more days, and one hour that lies before all others: what was delivered stays.
    writeOverlappingHours(join(directory, "in"), { first: 96, end: 144, rows: ROWS_AN_HOUR });
    writeOverlappingHours(join(directory, "in"), { first: 23, end: 24, rows: ROWS_AN_HOUR });
    const killed = await migrate((random() * undisturbedMs) / 2);
    expect([0, null]).toContain(killed.exitCode);
    expectDone(await migrate());
    const both = await expectOnce([72, 49]);
    expect(both.rows).toBeGreaterThan(first.rows);
    expect(both.manifest.epochs?.length).toBe(2);

    const again = await migrate();
    expect(again, again.stderr).toMatchObject({ exitCode: 0 });
    expect(await expectOnce([72, 49])).toEqual(both);
  },
  600_000,
);

function configure(): void {
  mkdirSync(directory, { recursive: true });
  const configuration = {
    steps: ["validate", "export", "send", "qualify", "verify"],
    inputs: ["in"],
    service: "embedded",
    dedupe: "day",
    export: { to: "out", threads: 2, splitSize: "256KiB" },
    send: { batchSize: 1, idempotency: "insertID" },
  };
  writeFileSync(join(directory, "pipeline.config.json"), JSON.stringify(configuration));
}

async function migrate(killAfterMs?: number): Promise<CommandResult> {
  let timer: NodeJS.Timeout | undefined;
  const result = await runSwitchyard(["migrate", "--json"], {
    cwd: directory,
    started(child) {
      if (killAfterMs !== undefined) timer = setTimeout(() => child.kill("SIGKILL"), killAfterMs);
    },
  });
  clearTimeout(timer);
  return result;
}

/** Returns how long a migration without kills takes here and now. */
async function migrateElsewhere(): Promise<number> {
  const start = performance.now();
  const words = ["export", "in", "--to", "elsewhere", "--dedupe", "day", "--quiet"];
  const { exitCode, stderr } = await runSwitchyard(words, { cwd: directory });
  expect(exitCode, stderr).toBe(0);
  return 3 * (performance.now() - start);
}

function expectDone(result: CommandResult): void {
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  const { steps, nothingNew } = JSON.parse(result.stdout);
  // The last kill may have come when everything was done.
  if (nothingNew === true) return;
  expect(steps.at(-1)).toMatchObject({ outcome: "verified", stored: { differences: [] } });
}

/** Removes what a migration has written that came to its end before the kill did. */
function startOver(end: CommandResult): void {
  expectDone(end);
  for (const name of ["out", "report", ".switchyard"]) {
    rmSync(join(directory, name), { recursive: true });
  }
}

/** Compares output, manifest and service with what DuckDB keeps of so many files of each epoch. */
async function expectOnce(files: readonly number[]) {
  const manifest: Manifest = JSON.parse(readFileSync(join(directory, "out/manifest.json"), "utf8"));
  const names = inputsOf(join(directory, "out")).map(({ name }) => name);
  expect(names).toHaveLength(files.reduce((sum, count) => sum + count, 0));
  const epochOf = (index: number) => (index < (files[0] ?? 0) ? 0 : 1);
  const duckdb = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();
  const epochs = names.map((name, index) => `('${join(directory, name)}', ${epochOf(index)})`);
  await duckdb.run(`create table epochs as from (values ${epochs.join()}) as t(filename, epoch)`);
  await duckdb.run(`create table kept as
    select *, row_number() over (
        partition by coalesce(insert_id, line), day order by epoch, filename, place) = 1 as is_kept
    from (select filename, row_number() over () as place, json->>'$."$insert_id"' as insert_id,
        json->>'$.event_properties.line' as line, (json->>'event_time')[:10] as day,
        json->>'event_type' as event
      from read_ndjson_objects('${directory}/in/*.json.gz', filename = true)) join epochs using (filename)`);
  const rows = async (query: string) => (await duckdb.runAndReadAll(query)).getRowsJS();
  const truth = new Set((await rows("select line from kept where is_kept")).map(([line]) => line));

  const delivered = await readDelivered(join(directory, "out/events"));
  const exported = delivered.map(({ text }) => JSON.parse(text).metadata.line);
  expect(new Set(exported)).toEqual(truth);
  expect(exported).toHaveLength(truth.size);
  const stored = await storedLines();
  expect(new Set(stored)).toEqual(truth);
  expect(stored).toHaveLength(truth.size);

  const [counted] = await rows(
    "select count(*)::int, (count(*) filter (not is_kept))::int from kept",
  );
  const [read, duplicates] = counted as [number, number];
  expect(manifest.rows).toMatchObject({ read, duplicates, delivered: truth.size });
  const days = await rows(
    "select day, count(*)::int from kept where is_kept group by 1 order by 1",
  );
  expect(manifest.days.map(({ day, rows: count }) => [day, count])).toEqual(days);
  const events = await rows(
    "select event, count(*)::int from kept where is_kept group by 1 order by 1",
  );
  expect(manifest.events.map(({ event, rows: count }) => [event, count])).toEqual(events);
  duckdb.closeSync();
  const { run: _, ...accounts } = manifest;
  return { rows: truth.size, duplicates, manifest: accounts };
}

/** Returns the line of each event that the service has stored. */
async function storedLines(): Promise<string[]> {
  const key = `console-${"c".repeat(43)}`;
  const service = await startServiceProcess(join(directory, ".switchyard"), {
    env: { SWITCHYARD_CONSOLE_KEY: key },
  });
  const lines: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const from: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const { status, json } = await service.call(`/v1/events?limit=1000${from}`, key);
    expect(status).toBe(200);
    const page = json as {
      readonly data: readonly { readonly metadata: { readonly line: string } }[];
      readonly nextCursor: string | null;
    };
    lines.push(...page.data.map(({ metadata }) => metadata.line));
    cursor = page.nextCursor;
  }
  await service.stop();
  return lines;
}

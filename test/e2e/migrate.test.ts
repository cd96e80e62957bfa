import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { SqliteDatabase } from "../../src/storage/sqlite-database.js";
import {
  type CommandResult,
  programIn,
  runInProcess,
  runSwitchyard,
} from "../support/command-line.js";
import { writeAmplitudeRows } from "../support/generated-input.js";
import { longTest } from "../support/long-test.js";
import { someOf } from "../support/property-runs.js";
import { createRandom } from "../support/random.js";
import { scratchDirectory } from "../support/scratch.js";
import { killServicesAfterEach, startServiceProcess } from "../support/service-process.js";

const ROWS = 3_000;
/** Each 997th row is malformed. */
const DELIVERED = ROWS - 3;
const KILLS = 5;
const seed = Number(process.env["KILL_SEED"] ?? Date.now() % 1_000_000);

const scratch = scratchDirectory("migrate");
let directory: string;
let tests = 0;
/** Options of a send whose requests a test does not look at: few of them. */
const inArrays = { batchSize: 200 };
/** Duration of a whole migration here and now. */
let undisturbedMs = 2_000;
killServicesAfterEach();

beforeEach(() => {
  directory = join(scratch, String(tests++));
  mkdirSync(directory);
  writeAmplitudeRows(join(directory, "rows.jsonl"), ROWS, 4);
  configure({});
});

function configure(changes: Readonly<Record<string, unknown>>): void {
  const configuration = {
    steps: ["export", "send", "qualify", "verify"],
    inputs: ["rows.jsonl"],
    service: "embedded",
    export: { to: "out" },
    maxRejects: "1%",
    ...changes,
  };
  writeFileSync(join(directory, "pipeline.config.json"), JSON.stringify(configuration));
}

interface Migration extends CommandResult {
  readonly json: {
    readonly exitCode: number;
    readonly steps: readonly Readonly<Record<string, unknown>>[];
    readonly notRun: readonly string[];
    readonly error?: { readonly code: string; readonly message: string };
  };
}

async function migrate(started?: Parameters<typeof runSwitchyard>[1]): Promise<Migration> {
  const run = started === undefined ? runInProcess : runSwitchyard;
  const result = await run(["migrate", "--json"], { cwd: directory, ...started });
  return { ...result, json: result.stdout === "" ? undefined : JSON.parse(result.stdout) };
}

const verified = {
  command: "verify",
  exitCode: 0,
  outcome: "verified",
  rows: DELIVERED,
  stored: expect.objectContaining({
    outcome: "verified",
    events: DELIVERED,
    refused: 0,
    differences: [],
    countedBy: "day and name",
  }),
};

describe("migrate with an embedded service", () => {
  it("exports, sends, qualifies, and proves what the service has stored; then has nothing to do", async () => {
    const startedAt = performance.now();
    const first = await migrate();
    undisturbedMs = performance.now() - startedAt;
    expect(first, first.stderr).toMatchObject({
      exitCode: 0,
      json: {
        steps: [
          { command: "export", exitCode: 0 },
          { command: "send", rows: { read: ROWS, delivered: DELIVERED, rejected: 3 } },
          { command: "qualify", mode: "apply", done: { length: 13 } },
          verified,
        ],
        notRun: [],
      },
    });
    expect((await migrate()).json).toMatchObject({ nothingNew: true, exitCode: 0 });
    // Another configuration runs all steps again.
    configure({ maxRejects: "2%" });
    const second = await migrate();
    expect(second, second.stderr).toMatchObject({
      exitCode: 0,
      json: {
        steps: [
          { command: "export", alreadyDone: true },
          { command: "send", alreadyDone: true },
          { command: "qualify" },
          verified,
        ],
      },
    });
    expect(second.json.steps[2]?.["plan"]).toHaveLength(13);
    expect(JSON.stringify(second.json.steps[2])).not.toContain('"action":"create"');
  });

  longTest("says on one screen what was done, and how to look at it", async () => {
    const { stdout, stderr, exitCode } = await runSwitchyard(["migrate"], { cwd: directory });
    expect(exitCode, stderr).toBe(0);
    const [, summary = ""] = stdout.split("Migration done\n");
    const data = join(directory, ".switchyard");
    expect(summary.split("\n")).toEqual([
      "  read      3,000 rows of 1 source",
      "  left out  3 rejected",
      "  exported  2,997 events of 4 days, 2026-01-01 to 2026-01-04",
      `  sent      2,997 events to the embedded service in ${data}`,
      "  qualified 13 event names, 13 of them new or changed",
      "  verified  4 files, read back: all as written",
      "            the service has each of these events: 52 counts by day and name agree, and 256 events field by field",
      "",
      "  Look at the result in a browser (serve prints a link, and keys on its first start):",
      `    ${programIn(directory)} serve --data ${data}`,
      '    curl -H "SERVICE-API-KEY: $SWITCHYARD_CONSOLE_KEY" http://127.0.0.1:8080/v1/events/summary',
      "",
    ]);
  });

  longTest(
    "leaves no key behind, and the service that is started later makes its own",
    async () => {
      await migrate();
      const service = await startServiceProcess(join(directory, ".switchyard"));
      const consoleKey = /console-[\w-]{43}/.exec(service.stderr())?.[0];
      const { json } = await service.call("/v1/events/summary", consoleKey);
      const counts = (json as { data: readonly { count: number }[] }).data.map(
        ({ count }) => count,
      );
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(DELIVERED);
      await service.stop();
      expect(writtenText()).not.toMatch(/(console|secret)-[\w-]{43}/);
    },
  );

  longTest(
    `has every event once after ${KILLS} kills at random moments, seed ${seed}`,
    async () => {
      console.info(`KILL_SEED=${seed} repeats these kills as far as the machine's timing allows`);
      const random = createRandom(seed);
      let kills = 0;
      for (;;) {
        const afterMs = kills < KILLS ? random() * undisturbedMs : undefined;
        const end = await migrateOrKill(afterMs);
        if (end === undefined) {
          kills++;
          continue;
        }
        expect(end, end.stderr).toMatchObject({ exitCode: 0 });
        // A kill may come when all steps are done and recorded: then nothing is left to do.
        if (!("nothingNew" in end.json)) expect(end.json.steps[3]).toMatchObject(verified);
        if (kills >= KILLS) break;
        // It came to its end before the kill: on to the next migration.
        for (const name of ["out", ".switchyard"])
          rmSync(join(directory, name), { recursive: true });
      }
    },
    300_000,
  );
});

it("does not read the configuration or the output of another step as input", async () => {
  configure({ inputs: ["."], steps: ["export", "send"], send: inArrays });
  const { exitCode, json, stderr } = await migrate();
  expect(exitCode, stderr).toBe(0);
  expect(json.steps[1]).toMatchObject({ rows: { read: ROWS } });
});

describe("verify of a migration", () => {
  longTest("finds events that another sender stored", async () => {
    await migrate();
    const key = `secret-${"s".repeat(43)}`;
    const service = await startServiceProcess(join(directory, ".switchyard"), {
      env: { SWITCHYARD_SERVER_SECRET: key },
    });
    const event = { event: "event_1", timestamp: Date.UTC(2026, 0, 2) };
    const posted = await service.call("/v1/webhooks/event_webhook", key, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(event),
    });
    expect(posted.status).toBe(202);
    await service.stop();
    const { exitCode, json, stderr } = await migrate();
    expect(exitCode, stderr).toBe(1);
    expect(json.steps[3]).toMatchObject({
      outcome: "verified",
      stored: {
        outcome: "different",
        differences: [{ code: "stored_count_differs", path: "service" }],
      },
    });
  });

  longTest(
    "finds that the service has lost its events, and does not start beside a database that is missing",
    async () => {
      configure({ send: inArrays });
      await migrate();
      const events = new SqliteDatabase(join(directory, ".switchyard/events.db"));
      events.execute("DELETE FROM event; DELETE FROM event_series");
      events.close();
      const { exitCode, json } = await migrate();
      expect(exitCode).toBe(1);
      expect(json.steps[3]).toMatchObject({ stored: { outcome: "different", events: 0 } });
      rmSync(join(directory, ".switchyard/events.db"));
      const refused = await migrate();
      expect([refused.exitCode, refused.json.error?.code]).toEqual([1, "database_missing"]);
    },
  );

  it("is about the export alone where no service is embedded", async () => {
    configure({ steps: ["export", "verify"] });
    const { exitCode, json } = await migrate();
    expect(exitCode).toBe(0);
    expect(json.steps[1]).not.toHaveProperty("stored");
    expect(existsSync(join(directory, ".switchyard"))).toBe(false);
  });
});

describe("migrate refuses", () => {
  it.each([
    [{ send: { to: "http://127.0.0.1:9" } }, "service_contradicted"],
    [{ qualify: { console: "http://127.0.0.1:9" } }, "service_contradicted"],
    [{ serve: { data: ":memory:" } }, "service_forgetful"],
  ])("an embedded service beside %j", async (changes, code) => {
    configure(changes);
    const { exitCode, json } = await migrate();
    expect([exitCode, json.error?.code]).toEqual([2, code]);
    expect(existsSync(join(directory, "out"))).toBe(false);
  });

  it("a data directory that another service has", async () => {
    await startServiceProcess(join(directory, ".switchyard"));
    const { exitCode, json } = await migrate();
    expect([exitCode, json.error?.code]).toEqual([4, "data_in_use"]);
  });

  longTest("to continue after a step that failed, and names the step", async () => {
    configure({ maxRejects: 2 });
    const { exitCode, json } = await migrate();
    expect(exitCode).toBe(3);
    expect(json.notRun).toEqual(["send", "qualify", "verify"]);
    const { stdout } = await runInProcess(["migrate"], { cwd: directory });
    expect(stdout).toContain("Migration stopped at export\n");
    expect(stdout).toContain("\n  not run   send, qualify, verify\n");
  });
});

it.each(someOf([[["export", "send"]], [["validate", "send"]], [["send"]]], 3))(
  "checks the limit of rejects of a later step before anything is sent: %j",
  async (steps) => {
    configure({ steps, send: { ...inArrays, maxRejects: 2 } });
    const { exitCode, json } = await migrate();
    expect([exitCode, json.error?.code]).toEqual([3, "rejects_exceeded"]);
    expect(json.error?.message).toContain("3 of 3000 rows are rejected, and send accepts 2");
    expect(existsSync(join(directory, ".switchyard", "runs"))).toBe(false);
    const raised = await runInProcess(["migrate", "--max-rejects", "3"], { cwd: directory });
    expect(raised.exitCode, raised.stderr).toBe(0);
    expect(existsSync(join(directory, ".switchyard", "runs"))).toBe(true);
  },
);

async function migrateOrKill(afterMs: number | undefined): Promise<Migration | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const end = await migrate({
    started: (child) => {
      if (afterMs !== undefined) timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
    },
  });
  clearTimeout(timer);
  return end.signal === "SIGKILL" ? undefined : end;
}

/** Returns the text of every file that the migration and its service have written. */
function writtenText(): string {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((name) => join(directory, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, "latin1"))
    .join("\n");
}

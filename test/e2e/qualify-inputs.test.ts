import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type CommandOptions, runInProcess, runSwitchyard } from "../support/command-line.js";
import { writeAmplitudeRows } from "../support/generated-input.js";
import { longTest } from "../support/long-test.js";
import { someOf } from "../support/property-runs.js";
import { scratchDirectory } from "../support/scratch.js";
import { startTestService, type TestService } from "../support/service.js";

const fixtures = fileURLToPath(new URL("../../fixtures", import.meta.url));
const scratch = scratchDirectory("qualify-inputs");
const temporary = join(scratch, "temporary");
const transform = join(scratch, "rename.mjs");

let service: TestService;
let url: string;

beforeAll(async () => {
  mkdirSync(temporary);
  writeFileSync(
    transform,
    "export default (event) => ({ ...event, event: event.event.toUpperCase() });\n",
  );
  service = await startTestService();
  url = await service.app.http.listen({ host: "127.0.0.1", port: 0 });
});

afterAll(() => service.close());

/** Runs `qualify --json` with a temporary directory that the tests look into. */
async function qualify(words: readonly string[], options: CommandOptions = {}) {
  const result = await runSwitchyard(["qualify", ...words, "--console", url, "--json"], {
    env: { SWITCHYARD_CONSOLE_KEY: service.keys.console, TMPDIR: temporary },
    cwd: scratch,
    ...options,
  });
  return { ...result, json: result.stdout === "" ? undefined : JSON.parse(result.stdout) };
}

/** Runs `qualify --json` on a finished export, which needs no temporary directory. */
async function planOf(output: string) {
  const { stdout } = await runInProcess(["qualify", output, "--console", url, "--json"], {
    env: { SWITCHYARD_CONSOLE_KEY: service.keys.console },
    cwd: scratch,
  });
  return JSON.parse(stdout);
}

const samples: readonly (readonly [string, readonly string[], readonly string[], number])[] = [
  [
    "what filters and a transform leave",
    ["sample"],
    [
      "--exclude-event",
      "s*",
      "--from-time",
      "2026-01-25",
      "--to-time",
      "2026-01-30",
      "--transform",
      transform,
      "--split-size",
      "64KiB",
    ],
    0,
  ],
  ["every sample", ["sample"], [], 0],
  [
    "hostile inputs",
    readdirSync(join(fixtures, "traps")).map((name) => `traps/${name}/input`),
    ["--threads", "3", "--split-size", "64KiB"],
    1,
  ],
];

let exports = 0;
beforeEach(() => {
  exports++;
});

describe("qualifying the events of inputs", () => {
  it.each(someOf(samples, 3))(
    "gives the plan of the export of %s",
    async (_, inputs, options, exitCode) => {
      const output = join(scratch, `out-${exports}`);
      const words = [...inputs.map((input) => join(fixtures, input)), ...options];
      const exported = await runInProcess(["export", ...words, "--to", output, "--json"]);
      const counted = await qualify(words);
      expect(counted.exitCode, counted.stderr).toBe(exported.exitCode);
      expect(counted.exitCode).toBe(exitCode);
      const json = await planOf(output);
      expect(json.plan.length).toBeGreaterThan(1);
      expect(counted.json.plan).toEqual(json.plan);
      expect(counted.json.isComplete).toBe(json.isComplete);
      const { rows, rejects, failures } = JSON.parse(exported.stdout);
      expect(counted.json).toMatchObject({ rows, rejects, failures });
      expect(readdirSync(temporary)).toEqual([]);
    },
  );

  longTest("leaves nothing behind when it is interrupted, and says so", async () => {
    const input = join(scratch, "rows.jsonl");
    writeAmplitudeRows(input, 20_000, 3);
    const words = [input, "--split-size", "64KiB", "--threads", "1", "--yes"];
    const { exitCode, stderr, json } = await qualify(words, {
      started: (child) => {
        void firstSplitCounted().then(() => child.kill("SIGINT"));
      },
    });
    expect(exitCode, stderr).toBe(130);
    expect(json).toMatchObject({ exitCode: 130, error: { code: "interrupted" } });
    expect(stderr).toContain("Interrupted. Run the same command again");
    expect(readdirSync(temporary)).toEqual([]);
    const path = "/console/v1/experiments/qualifying_events";
    expect((await service.call<unknown[]>({ path })).json.data).toEqual([]);
  });
});

async function firstSplitCounted(): Promise<void> {
  await vi.waitFor(
    () => {
      const [name = "none"] = readdirSync(temporary);
      const splits = join(temporary, name, "_switchyard", "splits");
      if (!existsSync(splits) || readdirSync(splits).length === 0) throw new Error("none so far");
    },
    { interval: 2, timeout: 90_000 },
  );
}

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { runInProcess } from "../support/command-line.js";
import { longTest } from "../support/long-test.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("migrate-again");
let directory: string;
let tests = 0;

beforeEach(() => {
  directory = join(scratch, String(tests++));
  mkdirSync(join(directory, "in"), { recursive: true });
  put("one.json", 5);
  configure({});
});

function put(name: string, rows: number, broken = 0): void {
  const lines = Array.from({ length: rows }, (_, index) =>
    JSON.stringify({
      event_type: index < broken ? "" : "e",
      event_time: "2026-01-31 10:00:00",
      user_id: `${name}${index}`,
    }),
  );
  writeFileSync(join(directory, "in", name), lines.map((line) => `${line}\n`).join(""));
}

function configure(changes: Readonly<Record<string, unknown>>): void {
  const configuration = {
    steps: ["validate", "export", "send", "verify"],
    inputs: ["in"],
    preset: "amplitude",
    service: "embedded",
    export: { to: "out" },
    ...changes,
  };
  writeFileSync(join(directory, "pipeline.config.json"), JSON.stringify(configuration));
}

async function migrate() {
  const { exitCode, stdout } = await runInProcess(["migrate", "--json"], { cwd: directory });
  const json = JSON.parse(stdout) as {
    readonly nothingNew?: boolean;
    readonly steps: readonly {
      readonly command: string;
      readonly nothingNew?: boolean;
      readonly rows?: { readonly read: number };
    }[];
    readonly notRun: readonly string[];
  };
  const rows = json.steps.map((step) => [step.command, step.rows?.read ?? step.nothingNew]);
  return { exitCode, nothingNew: json.nothingNew, notRun: json.notRun, rows };
}

test("a migration without new inputs says so in one line, and runs no further step", async () => {
  expect(await migrate()).toMatchObject({ exitCode: 0, notRun: [], nothingNew: undefined });
  const again = await runInProcess(["migrate"], { cwd: directory });
  expect(again).toMatchObject({
    exitCode: 0,
    stdout: "Nothing new: all 1 input and 5 events were migrated before.\n",
    stderr: expect.stringMatching(/^Watch it: http:\/\/127\.0\.0\.1:\d+\/sign-in#\S+\n$/),
  });
  expect(await migrate()).toMatchObject({
    exitCode: 0,
    nothingNew: true,
    notRun: ["send", "verify"],
  });
});

longTest("a migration validates only the inputs that its export does not have", async () => {
  await migrate();
  put("two.json", 3);
  const { rows } = await migrate();
  expect(rows).toEqual([
    ["validate", 3],
    ["export", 8],
    ["send", 8],
    ["verify", undefined],
  ]);
  expect(await migrate()).toMatchObject({ nothingNew: true });
});

longTest("a new input without rows does not stop a migration", async () => {
  await migrate();
  put("two.json", 0);
  expect(await migrate()).toMatchObject({ exitCode: 0, nothingNew: undefined });
  expect(await migrate()).toMatchObject({ exitCode: 0, nothingNew: true });
});

longTest(
  "a new input with too many rejects stops a migration each time, before it is exported",
  async () => {
    await migrate();
    put("two.json", 3, 1);
    for (let run = 0; run < 2; run++) {
      const { exitCode, rows, notRun } = await migrate();
      expect({ exitCode, rows, notRun }).toEqual({
        exitCode: 3,
        rows: [["validate", 3]],
        notRun: ["export", "send", "verify"],
      });
    }
  },
);

longTest(
  "all steps are run again if a step is new, and if the service has lost its events",
  async () => {
    await migrate();
    const all = { exitCode: 0, nothingNew: undefined, notRun: [] };
    const steps = ["validate", "export", "send", "qualify", "verify"];
    configure({ steps, qualify: { yes: true } });
    expect(await migrate()).toMatchObject(all);
    rmSync(join(directory, ".switchyard"), { recursive: true });
    expect(await migrate()).toMatchObject(all);
  },
);

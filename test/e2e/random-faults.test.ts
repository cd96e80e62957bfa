import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "vitest";
import { runSwitchyard } from "../support/command-line.js";
import { digestExport } from "../support/directory-digest.js";
import { longTest } from "../support/long-test.js";
import { propertyRuns } from "../support/property-runs.js";
import { createRandom } from "../support/random.js";
import { scratchDirectory } from "../support/scratch.js";

const seed = Number(process.env["KILL_SEED"] ?? Date.now() % 1_000_000);
const scratch = scratchDirectory("random-faults");
const faults = pathToFileURL(join(import.meta.dirname, "../support/file-faults.mjs")).href;
const codes = ["kill", "kill", "EIO", "EMFILE", "EACCES", "ENOENT", "ENOSPC"];

interface Shape {
  readonly name: string;
  readonly days: number;
  readonly flags: readonly string[];
  /** Inputs are exported one after the other; the last run is the disturbed one. */
  readonly epochs: number;
}

const shapes: readonly Shape[] = [
  {
    name: "increments",
    days: 4,
    epochs: 2,
    flags: ["--format", "parquet", "--table-log", "delta"],
  },
  { name: "dedupe", days: 4, epochs: 2, flags: ["--format", "jsonl", "--dedupe"] },
  { name: "merge", days: 28, epochs: 1, flags: ["--format", "csv"] },
];

/** Writes an input in which some events of the first one are there again. */
function writeInput(path: string, epoch: number, days: number): void {
  const lines = Array.from({ length: 900 }, (_, row) => {
    const id = `${row % 5 === 0 ? 0 : epoch}-${row}`;
    const event_time = `2026-01-${String(1 + (row % days)).padStart(2, "0")} 08:00:00.000000`;
    return JSON.stringify({ event_type: "view", event_time, user_id: id, $insert_id: id });
  });
  writeFileSync(path, `${lines.join("\n")}\n`);
}

function withoutLog(digests: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(digests).filter(([name]) => !name.includes("_delta")));
}

longTest.each(shapes)(
  `an export with faults and kills at random calls ends as an undisturbed one: $name, seed ${seed}`,
  async ({ name, days, flags, epochs }) => {
    const [input, output, before] = ["in", "out", "before"].map((word) =>
      join(scratch, name, word),
    ) as [string, string, string];
    const words = [
      "export",
      input,
      "--to",
      output,
      "--split-size",
      "64KiB",
      "--threads",
      "2",
      ...flags,
    ];
    const run = (fault?: object) =>
      runSwitchyard([...words, "--quiet"], {
        env:
          fault === undefined
            ? {}
            : { NODE_OPTIONS: `--import=${faults}`, FILE_FAULT: JSON.stringify(fault) },
      });
    const succeed = async (fault?: object) => {
      const result = await run(fault);
      expect(result, result.stderr).toMatchObject({ exitCode: 0 });
    };
    const restore = () => {
      rmSync(output, { recursive: true, force: true });
      if (existsSync(before)) cpSync(before, output, { recursive: true, preserveTimestamps: true });
    };
    mkdirSync(input, { recursive: true });
    for (let epoch = 0; epoch < epochs; epoch++) {
      if (epoch > 0) {
        await succeed();
        rmSync(before, { recursive: true, force: true });
        cpSync(output, before, { recursive: true, preserveTimestamps: true });
      }
      writeInput(join(input, `${epoch}.jsonl`), epoch, days);
    }
    restore();
    const count = join(scratch, name, "count");
    await succeed({ under: output, at: 0, code: "EIO", count });
    const calls = Number(readFileSync(count, "utf8"));
    const expected = withoutLog(digestExport(output));
    const random = createRandom(seed);
    for (let round = 0; round < propertyRuns(5); round++) {
      restore();
      const disturbances = Array.from({ length: 1 + Math.floor(random() * 2) }, () => ({
        under: output,
        at: 1 + Math.floor(random() * calls),
        code: codes[Math.floor(random() * codes.length)],
      }));
      for (const fault of disturbances) await run(fault);
      await succeed();
      const where = disturbances.map(({ at, code }) => `${code} at call ${at}`).join(", ");
      expect(withoutLog(digestExport(output)), `${where} of ${calls}`).toEqual(expected);
    }
  },
  600_000,
);

import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect } from "vitest";
import { longTest } from "../support/long-test.js";
import { processScript } from "../support/process-scripts.js";
import { type FakeExport, fakeExport } from "./kit/fake-export.js";

const RUNS = 26;

const seed = Number(process.env["SWITCHYARD_SEED"] ?? Date.now() % 1_000_000);

/** Random numbers from 0 to 1 by seed (linear congruential generator of Numerical Recipes). */
function randomNumbers(state: number): () => number {
  let current = state;
  return () => {
    current = (Math.imul(current, 1_664_525) + 1_013_904_223) >>> 0;
    return current / 2 ** 32;
  };
}

function someInputs(run: FakeExport): void {
  for (let file = 0; file < 4; file++) {
    const rows = Array.from({ length: 60 }, (_, row) => {
      const word = row % 17 === 5 ? "bad" : row % 13 === 7 ? "skip" : `r${file}-${row}`;
      return `2026-01-${String(1 + ((row * 7 + file) % 9)).padStart(2, "0")} ${word}`;
    });
    run.input(`${file}.txt`, ...rows);
  }
}

/** Runs the export in its own process; returns `killed` if the process was killed before its end. */
async function runProcess(run: FakeExport, killAfterMs?: number, fresh = false) {
  const task = JSON.stringify(await run.portable({ splitBytes: 150, fresh }));
  const child = spawn(process.execPath, [processScript("fake-run"), task], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const errors: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
  const timer =
    killAfterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  const [code, signal] = await once(child, "close");
  clearTimeout(timer);
  if (signal === "SIGKILL") return "killed";
  expect(`${code} ${Buffer.concat(errors)}`).toBe("0 ");
  return "done";
}

longTest(
  `a run that is killed repeatedly ends with the bytes of an undisturbed one (SWITCHYARD_SEED=${seed})`,
  async () => {
    const random = randomNumbers(seed);
    const quiet = fakeExport();
    someInputs(quiet);
    const startedMs = performance.now();
    await runProcess(quiet);
    const quietMs = performance.now() - startedMs;
    const expected = quiet.files();
    expect(Object.keys(expected).length).toBeGreaterThan(50);

    const kills = { fresh: 0, resumed: 0 };
    let disturbed = fakeExport();
    someInputs(disturbed);
    for (let runs = 0; runs < RUNS; runs++) {
      const fresh = random() < 0.2;
      // The first fifth is the start of Node, which a kill cannot harm.
      const end = await runProcess(disturbed, quietMs * (0.2 + random()), fresh);
      if (end === "killed") kills[fresh ? "fresh" : "resumed"]++;
      else {
        expect(disturbed.files()).toEqual(expected);
        disturbed = fakeExport();
        someInputs(disturbed);
      }
    }
    await runProcess(disturbed);
    expect(disturbed.files()).toEqual(expected);
    expect(kills.resumed).toBeGreaterThan(0);
  },
  300_000,
);

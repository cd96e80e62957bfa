import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { runSwitchyard } from "./command-line.js";

/** Runs on a busy machine may come to their end before they are interrupted. */
const ATTEMPTS_MAX = 5;

/** Interrupts an export into `output` when all splits are finished, but not all merges. */
export async function interruptWhileMerging(
  exportArgs: readonly string[],
  output: string,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const result = await runSwitchyard(exportArgs, {
      started: (child) => void mergesBegun(output).then(() => child.kill("SIGINT")),
    });
    if (result.exitCode !== 0 || attempt === ATTEMPTS_MAX) {
      expect(result, result.stderr).toMatchObject({ exitCode: 130, signal: null });
      return;
    }
    rmSync(output, { recursive: true });
  }
}

async function mergesBegun(output: string): Promise<void> {
  await vi.waitFor(
    () => {
      if (!existsSync(join(output, "_switchyard/merges/plan.json"))) throw new Error("not yet");
    },
    { interval: 1, timeout: 90_000 },
  );
}

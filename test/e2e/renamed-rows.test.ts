import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Report } from "../../src/profile/report.js";
import { runInProcess } from "../support/command-line.js";
import { createRandom } from "../support/random.js";
import { scratchDirectory } from "../support/scratch.js";

test.each([
  [40_000, 42],
  [40_000, 1],
  [20_000, 1],
  [20_000, 7],
  [4_000, 1],
  [4_000, 42],
  [4_000, 400],
])(
  "of %d rows over %d days, counts about those whose id has another name at last",
  async (rows, days) => {
    const random = createRandom(rows + days);
    const firstMs = Date.UTC(2025, 0, 1);
    const lines: string[] = [];
    let [lacking, renamed] = [0, 0];
    for (let row = 0; row < rows; row++) {
      const id = random() < 0.5 ? null : `user ${Math.floor(random() * 1_000)}`;
      const isLate = row >= (rows * 2) / 3;
      lacking += id === null || isLate ? 1 : 0;
      renamed += id !== null && isLate ? 1 : 0;
      const event_time = new Date(firstMs + (row / rows) * days * 86_400_000).toISOString();
      const ids = { device_id: `d${row % 500}`, [isLate ? "userId" : "user_id"]: id };
      lines.push(`${JSON.stringify({ event_type: "view", event_time, ...ids })}\n`);
    }
    const cwd = scratchDirectory("renamed-rows");
    writeFileSync(join(cwd, "one.jsonl"), lines.join(""));
    await runInProcess(["validate", "one.jsonl"], { cwd });
    const text = readFileSync(join(cwd, "report/report.json"), "utf8");
    const [found, ...others] = (JSON.parse(text) as Report).renamedFields;
    expect(others).toEqual([]);
    expect(found).toMatchObject({ target: "userID", path: ["userId"], isExact: false });
    expect(Math.abs((found?.rows ?? 0) / renamed - 1)).toBeLessThan(0.6);
    expect(Math.abs((found?.lacking ?? 0) / lacking - 1)).toBeLessThan(0.1);
  },
);

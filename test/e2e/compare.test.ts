import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Report } from "../../src/profile/report.js";
import { runInProcess } from "../support/command-line.js";
import { scratchDirectory } from "../support/scratch.js";

const root = scratchDirectory("compare");
const reportPath = join(root, "report", "report.json");

const rowOf = (event: string, day: number, properties: object) =>
  JSON.stringify({
    event_type: event,
    user_id: `u${day % 7}`,
    event_time: `2026-01-0${(day % 9) + 1} 10:00:00.000000`,
    event_properties: properties,
  });

function writeRows(...rows: readonly string[]): void {
  writeFileSync(join(root, "rows.jsonl"), `${rows.join("\n")}\n`);
}

const validate = (...flags: string[]) =>
  runInProcess(["validate", "rows.jsonl", "--time-limits", "..2027-01-01", ...flags], {
    cwd: root,
  });

it("lists what has changed since the report that it replaces", async () => {
  const early = Array.from({ length: 40 }, (_, index) => rowOf("brewed", index, { beans: "x" }));
  writeRows(...early, rowOf("poured", 1, { cup: 1 }));
  await validate();
  writeRows(...early.slice(0, 20), rowOf("brewed", 2, { milk: 1 }), rowOf("bought", 1, {}), "{}");
  const { stdout } = await validate("--compare", "report/report.json");
  expect(stdout).toContain("\nCompared with ");
  expect(stdout).toMatch(/\n {2}events +bought new, 1 event; poured gone/);
  const { comparison } = JSON.parse(readFileSync(reportPath, "utf8")) as Report;
  expect(comparison).toMatchObject({
    earlier: { file: reportPath },
    rows: [{ figure: "read", before: 41, after: 23 }, {}, { figure: "rejected" }],
    rejects: [{ before: 0, after: 1 }],
    events: { came: { items: [{ event: "bought" }] }, went: { items: [{ event: "poured" }] } },
    fields: { came: { items: [{ of: "metadata", key: "milk", events: ["brewed"] }] } },
  });
});

it("prints the comparison with --json, which can be compared with in turn", async () => {
  const { stdout } = await validate("--compare", "report/report.json", "--json");
  const result = JSON.parse(stdout) as Report;
  expect(result.comparison).toMatchObject({ rows: [], unknown: [] });
  writeFileSync(join(root, "result.json"), stdout);
  const again = await validate("--compare", "result.json");
  expect(again.stdout).toMatch(/\): no differences\n {2}unknown {3}Event names, fields and days/);
});

it("reads nothing if the file is no report", async () => {
  const before = readFileSync(reportPath, "utf8");
  const { exitCode, stderr } = await validate("--compare", "rows.jsonl");
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/rows\.jsonl cannot be compared with: .* \[compare_invalid\]/);
  expect(readFileSync(reportPath, "utf8")).toBe(before);
});

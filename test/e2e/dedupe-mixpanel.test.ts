import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runInProcess } from "../support/command-line.js";
import { scratchDirectory } from "../support/scratch.js";

/** Returns the JSON lines of all files in a directory. */
function linesOf(directory: string) {
  return readdirSync(directory).flatMap((name) =>
    readFileSync(join(directory, name), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
  );
}

/** Rows of a Mixpanel export, made by hand: `[insert id, event, seconds, distinct id, more properties]`. */
const mixpanelRows = [
  ["i1", "buy", 0, "p1", {}],
  ["i1", "buy", 0, "p1", { $user_id: "p1", $device_id: "d1" }],
  ["i1", "buy", 0, "p2", { $user_id: "p1" }],
  ["i1", "buy", 60, "p1", {}],
  ["i1", "view", 0, "p1", {}],
  ["i2", "buy", 0, "p1", {}],
  ["i1", "buy", 0, "$device:d1", { $device_id: "d1" }],
  ["i1", "buy", 0, "$device:d1", { $device_id: "d1", $user_id: "p1" }],
] as const;

it("takes Mixpanel's events as repeated by event, time, distinct id and insert id, as Mixpanel does", async () => {
  const cwd = scratchDirectory("mixpanel");
  const lines = mixpanelRows.map(([$insert_id, event, seconds, distinct_id, more], n) =>
    JSON.stringify({
      event,
      properties: { time: 1_767_268_800 + seconds, distinct_id, $insert_id, n, ...more },
    }),
  );
  writeFileSync(join(cwd, "in.ndjson"), `${lines.join("\n")}\n`);
  const preset = ["--preset", "mixpanel"];
  const command = [
    "export",
    "in.ndjson",
    "--to",
    "out",
    "--format",
    "jsonl",
    "--quiet",
    "--dedupe",
  ];
  const result = await runInProcess([...command, ...preset], { cwd });
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  const numbers = linesOf(join(cwd, "out/events/2026-01-01")).map(({ metadata }) => metadata.n);
  // The first of each.
  expect(numbers).toEqual([0, 2, 3, 4, 5, 6]);
  const listed = linesOf(join(cwd, "out/duplicates"));
  expect(listed).toHaveLength(2);
  // No option drops or hashes it, so it must not be here.
  expect(JSON.stringify(listed)).not.toContain("$device:d1");
  const validated = await runInProcess(["validate", "in.ndjson", ...preset], { cwd });
  expect(validated, validated.stderr).toMatchObject({ exitCode: 0 });
  const report = JSON.parse(readFileSync(join(cwd, "report/report.json"), "utf8"));
  expect(report.rows.duplicates.exact).toMatchObject({ rows: 2, removed: false });
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runInProcess } from "../support/command-line.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("misplaced-commas");

function put(name: string, separators: readonly string[]): string {
  const rows = separators.map(
    (separator, index) =>
      `${separator}{"event_type":"e","event_time":"2026-01-31 10:00:00","user_id":"u${index}"}`,
  );
  writeFileSync(join(scratch, name), `[${rows.join("")}]`);
  return name;
}

const inputs = [
  put("a.json", ["", ",,", " "]),
  put("b.json", ["", ","]),
  put("c.json", [",", ","]),
];
const misplacedCommas = { places: 3, sources: 2, source: "a.json", byte: 71 };
const sentence =
  "commas between rows are missing or too many at 3 positions of 2 sources, first at byte 71 of a.json";

test("export reads the rows of arrays with misplaced commas, and notes how many and where", async () => {
  const words = ["export", ...inputs, "--to"];
  const { exitCode, stdout } = await runInProcess([...words, "out"], { cwd: scratch });
  expect(exitCode).toBe(0);
  expect(stdout).toContain(sentence);
  const json = await runInProcess([...words, "out2", "--json"], { cwd: scratch });
  expect(JSON.parse(json.stdout)).toMatchObject({ misplacedCommas, rows: { delivered: 7 } });
});

test("validate has misplaced commas as a finding", async () => {
  const { stdout } = await runInProcess(["validate", ...inputs, "--json"], { cwd: scratch });
  const { findings, ...result } = JSON.parse(stdout) as {
    readonly findings: readonly { readonly code: string; readonly title: string }[];
  };
  expect(result).toMatchObject({ misplacedCommas });
  expect(findings).toContainEqual(
    expect.objectContaining({ code: "commas_misplaced", title: sentence }),
  );
});

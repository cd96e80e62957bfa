import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { runInProcess } from "../support/command-line.js";
import { digestExport } from "../support/directory-digest.js";
import { writeAmplitudeRows } from "../support/generated-input.js";
import { isCi, someOf } from "../support/property-runs.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("threads");
const input = join(scratch, "rows.jsonl");
beforeAll(() => writeAmplitudeRows(input, isCi ? 60_000 : 20_000, 4));

async function exportWith(threads: number, format: string): Promise<Record<string, string>> {
  const output = join(scratch, `${format}-${threads}`);
  const result = await runInProcess([
    "export",
    input,
    "--to",
    output,
    "--format",
    format,
    "--threads",
    String(threads),
    "--split-size",
    "1MiB",
    "--part-size",
    isCi ? "64KiB" : "16KiB",
    "--max-rejects",
    "1%",
    "--quiet",
  ]);
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  return digestExport(output);
}

it.each(someOf(["parquet", "jsonl", "jsonl.gz", "csv", "arrow"], 5))(
  "writes the same %s bytes with one thread and with four",
  async (format) => {
    const one = await exportWith(1, format);
    const parts = Object.keys(one).filter((name) => name.startsWith("events/"));
    expect(parts.length).toBeGreaterThanOrEqual(20);
    expect(await exportWith(4, format)).toEqual(one);
  },
);

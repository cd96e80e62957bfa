import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { digestLines, readLines, writeLines } from "../../src/base/line-file.js";
import { scratchDirectory } from "../support/scratch.js";

it.each([
  ["none", []],
  ["some", ["a", "", "é€😀"]],
  ["more than a block", Array.from({ length: 70_000 }, (_, index) => `${index}${"ü".repeat(20)}`)],
  ["one that is longer than a block", ["x", "y".repeat(3_000_000), "z"]],
])("returns the lines that were written: %s", async (_, lines) => {
  const path = join(scratchDirectory("lines"), "file.jsonl");
  const written = await writeLines(path, lines, dirname(path));
  const bytes = readFileSync(path);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  expect(bytes.toString()).toBe(lines.map((line) => `${line}\n`).join(""));
  expect(written).toEqual({ bytes: bytes.length, sha256 });
  expect(digestLines(lines)).toEqual(written);
  const found: string[] = [];
  expect(await readLines(path, (line) => found.push(line))).toEqual(written);
  expect(found).toEqual(lines);
});

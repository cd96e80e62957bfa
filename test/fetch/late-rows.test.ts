import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { canonical, lateRows } from "../../src/fetch/late-rows.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("late-rows");
let files = 0;

function fileOf(lines: readonly string[], isPacked = true): string {
  const path = join(scratch, `${files++}.jsonl`);
  const text = lines.map((line) => `${line}\n`).join("");
  writeFileSync(path, isPacked ? gzipSync(text) : text);
  return path;
}

async function lateOf(known: readonly string[], asked: string, rows: number, rowsHeldMax?: number) {
  const keyOf = (line: string) => canonical(JSON.parse(line));
  const { signal } = new AbortController();
  const held = rowsHeldMax === undefined ? {} : { rowsHeldMax };
  const chunks: Uint8Array[] = [];
  for await (const chunk of lateRows({ known, asked, rows, keyOf, signal, ...held }))
    chunks.push(chunk);
  return gunzipSync(Buffer.concat(chunks)).toString("utf8").split("\n").slice(0, -1);
}

it("rows are new that no file has, or not as often, in any order of keys", async () => {
  const known = [fileOf(['{"a":1,"b":{"c":2,"d":[1,2]}}', '{"a":2}']), fileOf(['{"a":3}'], false)];
  const odd = '{"text":"line\u2028separator\\n"}';
  const asked = fileOf(['{"b":{"d":[1,2],"c":2},"a":1}', '{"a":3}', '{"a":3}', '{"a":4}', odd]);
  expect(await lateOf(known, asked, 8)).toEqual(['{"a":3}', '{"a":4}', odd]);
});

it("are the same whatever number of keys is held at a time", async () => {
  const row = (number: number) => `{"number":${number},"padding":"${"x".repeat(number % 300)}"}`;
  const numbers = Array.from({ length: 3_000 }, (_, number) => number);
  const known = [fileOf(numbers.filter((number) => number % 3 > 0).map(row))];
  const asked = fileOf(numbers.map(row));
  const late = numbers.filter((number) => number % 3 === 0).map(row);
  expect(await lateOf(known, asked, 5_000)).toEqual(late);
  expect((await lateOf(known, asked, 5_000, 700)).sort()).toEqual([...late].sort());
});

it("end in an error if a file is damaged", async () => {
  const asked = fileOf(['{"a":1}']);
  const broken = join(scratch, "broken.jsonl");
  writeFileSync(broken, gzipSync('{"a":2}\n').subarray(0, 15));
  await expect(lateOf([broken], asked, 2)).rejects.toThrow(/stops in the middle/);
});

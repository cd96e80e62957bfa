import { describe, expect, test } from "vitest";
import { rejectCodes } from "../../../src/base/reject-codes.js";
import type { FieldRequest } from "../../../src/batch/batch.js";
import { type CsvRun, readCsv, testDialect } from "./csv-rows.js";

/** The same array for all readings: it is how a reader knows what the one before has left to it. */
const fields: readonly FieldRequest[] = [
  { path: ["a"], form: "text" },
  { path: ["b"], form: "json" },
  { path: ["b", "x"], form: "text" },
  { path: [], form: "rest", except: ["a"] },
];

const two = testDialect(["a", "b"]);

async function read(text: string, dialect = two, run: CsvRun = {}) {
  const rows = await readCsv(text, dialect, { fields, ...run });
  return rows.map(({ fault, cells }) => (fault === 0 ? cells : fault));
}

describe("a CSV source after another one", () => {
  test("has its own cells even if the columns are the same, after any number of rows", async () => {
    const many = await read('1,"{""x"":2}"\n'.repeat(20_000));
    expect(many).toHaveLength(20_000);
    expect(new Set(many.map(String)).size).toBe(1);
    expect(await read(",\n3\n4,y\n")).toEqual([
      [null, null, null, "{}"],
      rejectCodes.ragged_row,
      ["4", '"y"', null, '{"b":"y"}'],
    ]);
  });

  test("has its own columns if they differ or are in another order", async () => {
    expect(await read("1,2\n")).toEqual([["1", '"2"', null, '{"b":"2"}']]);
    const turned = testDialect(["b", "a"]);
    expect(await read("1,2\n", turned)).toEqual([["2", '"1"', null, '{"b":"1"}']]);
    const three = testDialect(["a", "b", "c"]);
    expect(await read("1,2,3\n", three)).toEqual([["1", '"2"', null, '{"b":"2","c":"3"}']]);
    expect(await read("1,2\n")).toEqual([["1", '"2"', null, '{"b":"2"}']]);
  });

  test("has its own dialect and its own limits", async () => {
    expect(await read("'1',2\n")).toEqual([["'1'", '"2"', null, '{"b":"2"}']]);
    const single = testDialect(["a", "b"], { quote: "'" });
    expect(await read("'1',2\n", single)).toEqual([["1", '"2"', null, '{"b":"2"}']]);
    const semicolons = testDialect(["a", "b"], { delimiter: ";", quote: "'" });
    expect(await read("'1';2\n", semicolons)).toEqual([["1", '"2"', null, '{"b":"2"}']]);
    const escaping = { ...semicolons, escape: "\\" };
    expect(await read("'1\\'';2\n", escaping)).toEqual([["1'", '"2"', null, '{"b":"2"}']]);
    const long = `${"1".repeat(5_000)};2\n`;
    const short = { rowBytesMax: 1_000 };
    expect(await read(long, escaping, short)).toEqual([rejectCodes.row_too_long]);
    expect(await read(long, escaping, { windowBytes: 64 })).toHaveLength(1);
    expect(await read(long, escaping, short)).toEqual([rejectCodes.row_too_long]);
  });
});

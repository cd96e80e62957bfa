import { describe, expect, test } from "vitest";
import { BATCH_ROWS_MAX } from "../../../src/base/limits.js";
import type { FieldRequest } from "../../../src/batch/batch.js";
import { type Reading, type Row, readJson, text } from "./read-json.js";

/** The same array for all readings: it is how a reader knows what the one before has left to it. */
const fields: readonly FieldRequest[] = [text("a"), text("b"), { path: [], form: "rest" }];

const textsOf = (rows: readonly Row[]) =>
  rows.map(({ fault, cells }) => fault ?? [cells["text a"], cells["text b"]]);

const read = async (input: string, reading: Reading = {}) =>
  textsOf(await readJson(input, fields, reading));

describe("a source after another one", () => {
  test("has no cells of it, however many rows there were", async () => {
    const many = `{"a":1,"b":"x"}\n`.repeat(BATCH_ROWS_MAX + 10);
    expect(await read(many, { windowBytes: 1 << 20 })).toHaveLength(BATCH_ROWS_MAX + 10);
    const few = `{"b":"y"}\n{"c":1}\n`.repeat(20);
    expect(await read(few)).toEqual(
      Array(20)
        .fill([
          [undefined, "string y"],
          [undefined, undefined],
        ])
        .flat(),
    );
    expect(await read(`{"a":2}\n`.repeat(50))).toEqual(Array(50).fill(["number 2", undefined]));
  });

  test("has no cells of a row that was cut off", async () => {
    const cut = await read(`{"a":1,"b":"x"} {"a":2,"b":"x`, { layout: "values", failAt: 29 });
    expect(cut).toEqual([["number 1", "string x"], "the source broke"]);
    expect(await read(`{"a":3} {} {}`, { layout: "values" })).toEqual([
      ["number 3", undefined],
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });

  test("begins outside the array that the one before left open", async () => {
    const open = await read(`[{"a":1},{"a":2}`, { layout: "values" });
    expect(open.at(-1)).toContain("ends before its JSON array does");
    expect(await read(`[{"a":3}]`, { layout: "values" })).toEqual([["number 3", undefined]]);
    expect(await read(`{"a":4}`, { layout: "values" })).toEqual([["number 4", undefined]]);
  });

  test("is checked as strictly if it looks the same at first", async () => {
    const row = `{"a":1,"c":{"d":[true]},"b":"x"}\n`;
    expect(await read(row.repeat(100))).toEqual(Array(100).fill(["number 1", "string x"]));
    const broken = `${row.replace("true", "tru")}${row.replace('"x"', '"\\q"')}${row}`;
    expect(await read(broken)).toEqual([
      "malformed_row",
      "malformed_row",
      ["number 1", "string x"],
    ]);
  });

  test("has its own limits", async () => {
    const long = `{"a":"${"x".repeat(5_000)}"}\n`;
    expect(await read(long, { rowBytesMax: 1_000 })).toEqual(["row_too_long"]);
    expect(await read(long, { windowBytes: 64 })).toEqual([
      [`string ${"x".repeat(5_000)}`, undefined],
    ]);
    expect(await read(long, { rowBytesMax: 1_000, layout: "values" })).toEqual(["row_too_long"]);
  });
});

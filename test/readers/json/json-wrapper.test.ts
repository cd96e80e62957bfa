import { expect, test } from "vitest";
import { readJson, text } from "./read-json.js";

const before = '\ufeff {"status": "ok", "events": [';
const arrayStart = Buffer.byteLength(before);

function readWrapped(input: string, chunkBytes = 7, windowBytes = 64) {
  return readJson(input, [text("a")], { layout: "values", arrayStart, chunkBytes, windowBytes });
}

const valuesOf = (rows: Awaited<ReturnType<typeof readWrapped>>) =>
  rows.map(({ fault, cells }) => fault ?? cells["text a"]);

test("rows of an array in an object are read, with their positions in the file", async () => {
  const input = `${before}{"a":1},\n{"a":[{"b":2}]}, {"a": bad}, 3,{"a":4}] , "next": null, "p": {"n":[1]}}\n`;
  for (const chunkBytes of [1, 7, 4096]) {
    const rows = await readWrapped(input, chunkBytes);
    expect(valuesOf(rows)).toEqual([
      "number 1",
      'array [{"b":2}]',
      "malformed_row",
      "row_not_object",
      "number 4",
    ]);
    for (const { raw, offset } of rows) {
      expect(Buffer.from(input).toString("latin1").indexOf(raw, offset)).toBe(offset);
    }
  }
});

test.each([
  [`{"a":1}`, /the file ends before its JSON array does/],
  [`{"a":1}], "next": 1`, /the file ends before the object around the rows/],
  [`{"a":1}]} {"events": [{"a":2}]}`, /no end of one JSON object follows the rows/],
  [`{"a":1}], "more": [{"a":2}]}`, /are followed by more, in "more"/],
  [`{"a":1}], "text": "${"x".repeat(200)}"}`, /more than a few members follow the rows/],
])("what follows the rows is checked: %j", async (rest, message) => {
  const [first, second, ...others] = await readWrapped(before + rest);
  expect(first?.cells).toEqual({ "text a": "number 1" });
  expect(second?.fault).toMatch(message);
  expect(others).toEqual([]);
});

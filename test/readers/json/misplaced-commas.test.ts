import fc from "fast-check";
import { expect, test } from "vitest";
import type { MisplacedCommas } from "../../../src/readers/reader.js";
import { propertyRuns } from "../../support/property-runs.js";
import { type Reading, readJson, text } from "./read-json.js";

async function commasOf(input: string, reading: Reading = {}) {
  let found: MisplacedCommas | undefined;
  const onCommas = (commas: MisplacedCommas | undefined) => {
    found = commas;
  };
  const rows = await readJson(input, [text("a")], { ...reading, layout: "values", onCommas });
  return { rows: rows.map(({ fault, raw }) => fault ?? raw), found };
}

test.each([
  ["[{},, {} {}]", 3, { places: 2, byte: 6 }],
  ["[,{}]", 1, { places: 1, byte: 2 }],
  ["[{},]", 1, { places: 1, byte: 4 }],
  ["[,]", 0, { places: 1, byte: 2 }],
  ["[]", 0, undefined],
  ["[{}, {}]\n[{}]", 3, undefined],
  ["{} {}", 2, undefined],
  ["[{},]\n[{}]", 2, { places: 1, byte: 4 }],
  ["{} [{}]", 2, undefined],
])(
  "commas of %j are counted, with the position of the first misplaced one",
  async (input, count, found) => {
    const result = await commasOf(input);
    expect(result.found).toEqual(found);
    expect(result.rows).toHaveLength(count);
  },
);

test("commas beside a malformed row are not counted, and those after it are", async () => {
  const { rows, found } = await commasOf('[{"a":1} , , {"a":x}, {"a":2},,{"a":3}]');
  expect(rows).toEqual(['{"a":1}', "malformed_row", '{"a":2}', '{"a":3}']);
  expect(found).toEqual({ places: 1, byte: 31 });
});

test("commas beside a row that is too long are not counted", async () => {
  const long = `{"a":"${"x".repeat(400)}"}`;
  const { rows, found } = await commasOf(`[{},,${long} {},,{}]`, {
    rowBytesMax: 64,
    windowBytes: 64,
  });
  expect(rows).toEqual(["{}", "row_too_long", "{}", "{}"]);
  expect(found?.places).toBe(1);
});

test("commas of an array in an object are counted", async () => {
  const before = '{"events": [';
  const { found } = await commasOf(`${before}{"a":1} {"a":2},]}`, { arrayStart: before.length });
  expect(found).toEqual({ places: 2, byte: before.length + 8 });
});

const row = fc.constantFrom(
  "{}",
  '{"a":1}',
  '{"a":",,"}',
  '{"a":[1,{"b":2}]}',
  "7",
  '"x,y"',
  "[1,2]",
);
const blank = fc.constantFrom("", " ", "\n", " \r\n\t");
const gap = fc
  .tuple(fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, fc.nat({ max: 3 })), blank, blank)
  .map(([commas, before, after]) => ({ commas, text: `${before} ${",".repeat(commas)}${after}` }));

test("any commas between rows are counted, whatever the chunks and windows", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(gap, row), { maxLength: 12 }),
      gap,
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 32, max: 80 }),
      async (elements, end, chunkBytes, windowBytes) => {
        let input = "[";
        let places = 0;
        let byte: number | undefined;
        const check = (commas: number, wanted: number) => {
          if (commas === wanted) return;
          places++;
          byte ??= input.length;
        };
        for (const [index, [between, value]] of elements.entries()) {
          input += between.text;
          check(between.commas, index === 0 ? 0 : 1);
          input += value;
        }
        input += end.text;
        check(end.commas, 0);
        const expected = byte === undefined ? undefined : { places, byte };
        for (const reading of [
          {},
          { chunkBytes, windowBytes },
          { chunkBytes: 1, windowBytes: 32 },
        ]) {
          const { rows, found } = await commasOf(`${input}]`, reading);
          expect(found).toEqual(expected);
          expect(rows).toHaveLength(elements.length);
        }
      },
    ),
    { numRuns: propertyRuns(300) },
  );
});

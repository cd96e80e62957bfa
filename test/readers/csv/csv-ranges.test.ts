import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { agreeOnRecord, cutCsvPiece, planCsvRanges } from "../../../src/readers/csv/csv-ranges.js";
import type { Source } from "../../../src/sources/source.js";
import { propertyRuns } from "../../support/property-runs.js";
import { deliverBytes } from "../conformance.js";
import { readCsv, testDialect, testSource } from "./csv-rows.js";

const dialect = testDialect(["a", "b", "c"]);

function plan(content: Uint8Array, splitBytes: number, change: Partial<Source> = {}) {
  const source = { ...testSource(dialect, content.length), ...change };
  return planCsvRanges(source, async (_, start) => deliverBytes(content, start, {}), splitBytes);
}

async function readRanges(content: Uint8Array, splitBytes: number) {
  const rows = [];
  for (const { start, end } of await plan(content, splitBytes)) {
    rows.push(...(await readCsv(content, dialect, { start, end, windowBytes: 64 })));
  }
  return rows.map(({ offset, raw, fault, cells }) => ({ offset, raw, fault, cells }));
}

describe("planCsvRanges", () => {
  test("cuts at the next record after each position", async () => {
    const content = Buffer.from('1,"x\ny",3\n'.repeat(10));
    expect(await plan(content, 25)).toMatchObject([
      { start: 0, end: 30 },
      { start: 30, end: 60 },
      { start: 60, end: 80 },
      { start: 80, end: null },
    ]);
  });

  test("keeps a source that cannot be cut in one range", async () => {
    const content = Buffer.from("1,2,3\n".repeat(10));
    const one = [{ start: 0, end: null }];
    const format = { kind: "csv", ...dialect, encoding: "utf-16le" } as const;
    expect(await plan(content, 1_000)).toMatchObject(one);
    expect(await plan(content, 10, { codecs: ["gzip"] })).toMatchObject(one);
    expect(await plan(content, 10, { format })).toMatchObject(one);
    expect(await plan(new Uint8Array(), 10)).toMatchObject(one);
  });

  test("does not cut if the quotes make sense in two ways", async () => {
    // One reading has inside quotes the text that the other has outside: three cells in both.
    const ambiguous = Buffer.from(`,"${',\n,"'.repeat(1_000)},\n`);
    expect(await readCsv(ambiguous, dialect)).toHaveLength(501);
    expect(agreeOnRecord(ambiguous.subarray(3), true, dialect)).toBeUndefined();
    expect(await plan(ambiguous, 500)).toHaveLength(1);
  });

  test("cuts a source whose shape differs if its quotes are read inside out", async () => {
    const content = Buffer.from('x,",",y\n'.repeat(400));
    expect(agreeOnRecord(content.subarray(3), true, dialect)).toBe(5);
  });

  test("reads the same bad rows as the whole source, or reports that it cut a record", async () => {
    const parts = ['"', '"', ",", ",", "\n", "\r\n", "a", "bc", "1,2,3\n", '"x","y\ny",""\n'];
    const text = fc.array(fc.constantFrom(...parts), { maxLength: 60 });
    let misaligned = 0;
    let cut = 0;
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 60 }), async (text, splitBytes) => {
        const content = Buffer.from(text.join(""));
        const whole = (await readCsv(content, dialect)).map(({ offset, raw, fault, cells }) => {
          return { offset, raw, fault, cells };
        });
        try {
          expect(await readRanges(content, splitBytes)).toEqual(whole);
          cut += (await plan(content, splitBytes)).length > 1 ? 1 : 0;
        } catch (error) {
          if ((error as { code?: string }).code !== "csv_split_misaligned") throw error;
          misaligned++;
        }
      }),
      { numRuns: propertyRuns(1_000) },
    );
    expect(cut).toBeGreaterThan(misaligned);
  });
});

describe("CsvReader on a range", () => {
  const content = Buffer.from('1,"x\ny",3\n4,5,6\n');

  test("reads its first record as a row and has no row numbers if it is not the first", async () => {
    const header = testDialect(["a", "b", "c"], { header: true });
    const rows = await readCsv(content, header, { start: 10 });
    expect(rows).toMatchObject([{ cells: ["4", "5", "6"], offset: 10, number: undefined }]);
  });

  test.each([
    ["in quotes", 4],
    ["in the next line of the cell", 6],
    ["before the line end", 9],
  ])("fails when it ends %s", async (_, end) => {
    for (const windowBytes of [1, 7, 1_000]) {
      const reading = readCsv(content, dialect, { end, windowBytes });
      await expect(reading).rejects.toMatchObject({ code: "csv_split_misaligned" });
    }
  });

  test("fails if a row over the limit crosses its end", async () => {
    const long = Buffer.from(`1,2,${"x".repeat(500)}\n1,2,3\n`);
    const options = { end: 100, rowBytesMax: 20, windowBytes: 30 };
    await expect(readCsv(long, dialect, options)).rejects.toMatchObject({
      code: "csv_split_misaligned",
    });
    const exact = await readCsv(long, dialect, { ...options, end: 505 });
    expect(exact.map(({ raw }) => raw.length)).toEqual([21]);
  });

  test("reads past its end to see that a quote is never closed", async () => {
    const open = Buffer.from(`1,"x,3\n${"4,5,6\n".repeat(20)}`);
    const first = await readCsv(open, dialect, { end: 13, windowBytes: 8 });
    const second = await readCsv(open, dialect, { start: 13, windowBytes: 8 });
    const whole = await readCsv(open, dialect);
    const places = (rows: typeof whole) => rows.map(({ offset, fault }) => [offset, fault]);
    expect(places([...first, ...second])).toEqual(places(whole));
  });
});

describe("cutCsvPiece", () => {
  const pieceOf = (content: Uint8Array, index: number, bytes: number) =>
    cutCsvPiece(
      testSource(dialect, content.length),
      async (_, start) => deliverBytes(content, start, {}),
      { index, bytes },
    );

  test("gives each record to one piece, and none to a piece inside of a long one", async () => {
    const long = `1,"${"x".repeat(70)}",3\n`;
    const content = Buffer.from(`${"1,2,3\n".repeat(40)}${long}${"1,2,3\n".repeat(40)}`);
    const pieces = [];
    for (let index = 0; index * 25 < content.length; index++)
      pieces.push(await pieceOf(content, index, 25));
    const ranges = pieces.filter((piece) => piece !== undefined);
    expect(ranges.length).toBeLessThan(pieces.length);
    expect(ranges[0]?.start).toBe(0);
    expect(ranges.at(-1)?.end).toBeNull();
    for (const [index, { start }] of ranges.entries())
      if (index > 0) expect(ranges[index - 1]?.end).toBe(start);
    expect(ranges.map(({ start, end }) => ({ start, end }))).toEqual(
      (await plan(content, 25)).map(({ start, end }) => ({ start, end })),
    );
  });

  test("ends the last piece with the source", async () => {
    const content = Buffer.from("1,2,3\n".repeat(100));
    expect(await pieceOf(content, 5, 100)).toMatchObject({ start: 504, end: null });
  });
});

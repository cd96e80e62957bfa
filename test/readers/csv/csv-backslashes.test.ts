import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rejectCodes } from "../../../src/base/reject-codes.js";
import { Kernel } from "../../../src/batch/kernel.js";
import { keptFormat } from "../../../src/formats/input-formats.js";
import { planCsvRanges } from "../../../src/readers/csv/csv-ranges.js";
import { CsvReader } from "../../../src/readers/csv/csv-reader.js";
import { RejectsReader } from "../../../src/readers/rejects/rejects-reader.js";
import type { CsvDialect, SourceRange } from "../../../src/sources/source.js";
import { propertyRuns } from "../../support/property-runs.js";
import { deliverBytes, renderBatch } from "../conformance.js";
import { readCsv, testDialect, testSource } from "./csv-rows.js";

const columns = ["a", "b", "c"];

async function cellsOf(content: string, change: Partial<CsvDialect>, windowBytes = 4_096) {
  const rows = await readCsv(content, testDialect(columns, change), { windowBytes });
  return rows.map(({ fault, cells }) => (fault === 0 ? cells : fault));
}

const letters: Readonly<Record<string, string>> = {
  "\n": "n",
  "\r": "r",
  "\t": "t",
  "\b": "b",
  "\f": "f",
  "\v": "v",
};

/** Writes a cell as PostgreSQL (letters for control characters) or as MySQL. */
function writeCell(text: string | null, mark: string, quote: string, hasLetters: boolean): string {
  if (text === null) return "\\N";
  const escaped = text.replaceAll(/[\\\n\r\t\b\f\v]/g, (character) => {
    const letter = hasLetters ? letters[character] : undefined;
    return letter === undefined && /[\t\b\f\v]/.test(character)
      ? character
      : `\\${letter ?? character}`;
  });
  if (quote !== "") return quote + escaped.replaceAll(quote, `\\${quote}`) + quote;
  return escaped.replaceAll(mark, `\\${mark}`);
}

function plan(content: Buffer, dialect: CsvDialect, splitBytes: number) {
  const source = testSource(dialect, content.length);
  return planCsvRanges(source, async (_, start) => deliverBytes(content, start, {}), splitBytes);
}

async function readRanges(
  content: Buffer,
  dialect: CsvDialect,
  ranges: readonly SourceRange[],
  windowBytes: number,
) {
  const rows = [];
  for (const { start, end } of ranges) {
    rows.push(...(await readCsv(content, dialect, { start, end, windowBytes })));
  }
  return rows;
}

/** Few records leave it open whether quotes begin or end: such a cut must be reported. */
function asMisaligned(error: { readonly code?: string }): "misaligned" {
  if (error.code !== "csv_split_misaligned") throw error;
  return "misaligned";
}

const piece = fc.constantFrom(
  "a",
  "\\",
  "\n",
  "\r",
  "\r\n",
  ",",
  "|",
  '"',
  "N",
  "n",
  "é",
  "x".repeat(15),
  "y".repeat(40),
);
const cell = fc.option(
  fc.array(piece, { minLength: 1, maxLength: 6 }).map((parts) => parts.join("")),
);
const record = fc.tuple(cell, cell, cell);

describe("a dialect with backslashes", () => {
  test("gives back what PostgreSQL and MySQL write, from any window and after any split", async () => {
    const marks = fc.record({
      delimiter: fc.constantFrom(",", "|"),
      quote: fc.constantFrom("", '"'),
      backslashes: fc.constantFrom<"lf" | "crlf">("lf", "crlf"),
    });
    const windowBytes = fc.integer({ min: 1, max: 200 });
    const splitBytes = fc.integer({ min: 20, max: 400 });
    let cuts = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { minLength: 1, maxLength: 60 }),
        marks,
        fc.boolean(),
        windowBytes,
        splitBytes,
        async (records, change, hasLetters, size, split) => {
          const { delimiter, quote, backslashes } = change;
          const lines = records.map((cells) =>
            cells.map((text) => writeCell(text, delimiter, quote, hasLetters)).join(delimiter),
          );
          const end = backslashes === "lf" ? "\n" : "\r\n";
          const content = Buffer.from(lines.map((line) => line + end).join(""));
          const dialect = testDialect(columns, change);
          const ranges = await plan(content, dialect, split);
          const found = await readRanges(content, dialect, ranges, size).catch(asMisaligned);
          if (found === "misaligned") return;
          cuts += ranges.length - 1;
          expect(found.map(({ fault, cells }) => (fault === 0 ? cells : fault))).toEqual(records);
        },
      ),
      { numRuns: propertyRuns(400) },
    );
    expect(cuts).toBeGreaterThan(propertyRuns(400) / 2);
  });

  test("tells the text \\N from null, in quotes too", async () => {
    const content = '\\N,\\\\N,x\\N\n"\\N","\\\\N","a\\"b"\n';
    expect(await cellsOf(content, { backslashes: "lf" })).toEqual([
      [null, "\\N", "xN"],
      [null, "\\N", 'a"b'],
    ]);
  });

  test("ends rows at line feeds only, and keeps other carriage returns", async () => {
    const content = "a\rb,c,d\r\n\r\n1,2,\\\r\n";
    expect(await cellsOf(content, { backslashes: "lf", quote: "" })).toEqual([
      ["a\rb", "c", "d\r"],
      ["1", "2", "\r"],
    ]);
    expect(await cellsOf(content, { backslashes: "crlf", quote: "" })).toEqual([
      ["a\rb", "c", "d"],
      ["1", "2", "\r"],
    ]);
  });

  test.each([
    ["lf", "\n"],
    ["crlf", "\r\n"],
  ] as const)("skips the end of data of COPY, with lines of %s", async (backslashes, end) => {
    const rows = ["1,2,3", "\\.", "\\.,5,6", "\\.x", "4,5,6", "\\."];
    for (const content of [rows.join(end) + end, rows.join(end)]) {
      for (const windowBytes of [1, 4_096]) {
        expect(await cellsOf(content, { backslashes, quote: "" }, windowBytes)).toEqual([
          ["1", "2", "3"],
          [".", "5", "6"],
          rejectCodes.ragged_row,
          ["4", "5", "6"],
        ]);
      }
    }
    const one = testDialect(["a"], { backslashes, quote: "" });
    expect((await readCsv(`x${end}\\.${end}`, one)).map(({ cells }) => cells)).toEqual([
      ["x"],
      ["."],
    ]);
  });

  test("rejects one line for a quote that is never closed, and a row of other cells", async () => {
    const content = '1,2,"3\n4,5\\,6\n"7"x,8,9\n1,2,3\\\n4\n';
    expect(await cellsOf(content, { backslashes: "lf" })).toEqual([
      rejectCodes.malformed_row,
      rejectCodes.ragged_row,
      rejectCodes.malformed_row,
      ["1", "2", "3\n4"],
    ]);
  });

  test("reads a backslash at the end of the source as text", async () => {
    expect(await cellsOf("1,2,3\\", { backslashes: "lf" }, 1)).toEqual([["1", "2", "3\\"]]);
  });
});

describe("kept rows of CSV", () => {
  test("are read again as the rows that they were", async () => {
    const change = { backslashes: "lf", comment: "#", skipLines: 3, header: true } as const;
    const format = keptFormat({ kind: "csv", ...testDialect(columns, change) });
    const raws = ["1,2\\", "3,4", "5\\\n,6", `#${"x".repeat(40)}`, "7,\\N,8"];
    const lines = raws.map((raw) =>
      JSON.stringify({ source: "a", code: "ragged_row", message: "", raw, format }),
    );
    const bytes = deliverBytes(Buffer.from(lines.join("\n")), 0, {});
    const range = { source: testSource(testDialect([]), 0), start: 0, end: null };
    const options = { rowBytesMax: 100, signal: new AbortController().signal };
    const fields = columns.map((name) => ({ path: [name], form: "text" as const }));
    const reader = new RejectsReader(range, bytes, async (kept, inner) => {
      if (kept.kind !== "csv") throw new Error(kept.kind);
      return new CsvReader(new Kernel(), range, kept, fields, inner, options);
    });
    const rows = [];
    for (let batch = await reader.next(); batch !== null; batch = await reader.next()) {
      rows.push(...renderBatch(batch).map(({ fault, cells, raw }) => [fault, cells[1], raw]));
    }
    const { ragged_row } = rejectCodes;
    expect(rows).toEqual([
      ...raws.slice(0, 4).map((raw) => [ragged_row, null, raw]),
      [0, null, "7,\\N,8"],
    ]);
  });
});

describe("null texts", () => {
  test("are the empty cell and the unquoted \\N by default", async () => {
    const content = '\\N,"\\N",x\\N\n"",,"\\N"""\n';
    expect(await cellsOf(content, {})).toEqual([
      [null, "\\N", "x\\N"],
      [null, null, '\\N"'],
    ]);
    const escaped = '"\\\\N",\\N,"\\N"\n';
    expect(await cellsOf(escaped, { escape: "\\" })).toEqual([["\\N", null, "\\N"]]);
  });

  test("can be named, in quotes or not, at every place of a batch", async () => {
    const content = 'NULL,"NULL",null\n(null),NULLS,x"NULL"\n'.repeat(7);
    const rows = await cellsOf(content, { nulls: ["NULL", "(null)"] });
    expect(rows).toEqual(
      Array.from({ length: 14 }, (_, index) =>
        index % 2 === 0 ? [null, null, "null"] : [null, "NULLS", 'x"NULL"'],
      ),
    );
  });

  test("are left out of the rest of a row, and are null inside JSON", async () => {
    const fields = [
      { path: [], form: "rest", except: ["a"] },
      { path: ["a", "x"], form: "text" },
    ] as const;
    const dialect = testDialect(columns, { nulls: ["NULL"] });
    const [row] = await readCsv("NULL,\\N,y\n", dialect, { fields });
    expect(row?.cells).toEqual(['{"c":"y"}', null]);
  });
});

describe("lines that are not rows", () => {
  test("are skipped before the header, whatever they contain", async () => {
    const content = '\ufeffan "open quote\r\nsep=;\ra,b,c\n1,2,3\n';
    const change = { skipLines: 2, header: true };
    for (const windowBytes of [1, 7, 4_096]) {
      expect(await cellsOf(content, change, windowBytes)).toEqual([["1", "2", "3"]]);
    }
    expect(await cellsOf("only\n", change)).toEqual([]);
  });

  test("are comments, which have no row number and may be longer than a row", async () => {
    const content = `# "open\n1,2,3\n#${"x".repeat(300)}\n\n#\n4,#,6\n# end`;
    const dialect = testDialect(columns, { comment: "#" });
    const rows = await readCsv(content, dialect, { windowBytes: 16 });
    expect(rows.map(({ number, cells }) => [number, cells])).toEqual([
      [1, ["1", "2", "3"]],
      [2, ["4", "#", "6"]],
    ]);
  });
});

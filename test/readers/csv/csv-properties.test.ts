import { type Options, parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rejectCodes } from "../../../src/base/reject-codes.js";
import { detectCsv } from "../../../src/readers/csv/csv-detection.js";
import {
  endOfLine,
  RecordWalker,
  skipLine,
  skipToRecord,
} from "../../../src/readers/csv/record-walk.js";
import type { CsvDialect } from "../../../src/sources/source.js";
import { propertyRuns } from "../../support/property-runs.js";
import { readCsv, testDialect } from "./csv-rows.js";

const delimiters = [",", "\t", ";", "|", "^"] as const;

const marks = fc.oneof(
  fc.record({ delimiter: fc.constantFrom(...delimiters), quote: fc.constantFrom('"', "'", "") }),
  fc.record({
    delimiter: fc.constantFrom(...delimiters),
    quote: fc.constant('"'),
    escape: fc.constant("\\"),
  }),
);

const pieces = ["a", "xyz", '"', "'", '""', ",", "\t", ";", "|", "^", "\n", "\r\n", "\r", " "];
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(...pieces, "\\", "\\n", '{"a":1}', "é", "😀", "x".repeat(15), "y".repeat(33)),
      fc.string({ unit: "grapheme", maxLength: 4 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

const record = fc.array(fc.record({ text, quoted: fc.boolean() }), { minLength: 1, maxLength: 5 });
const records = fc.array(fc.record({ record, end: fc.constantFrom("\n", "\r\n", "\r") }), {
  maxLength: 12,
});

/** Writes a cell so that it means the text, or the nearest that the dialect can write. */
function writeCell(
  { text, quoted }: { text: string; quoted: boolean },
  { delimiter, quote, escape: escaper }: Pick<CsvDialect, "delimiter" | "quote" | "escape">,
): string {
  const breaks = [delimiter, "\n", "\r"].some((mark) => text.includes(mark));
  if (quote === "") return breaks ? text.replaceAll(/[,\t;|^\n\r]/g, "_") : text;
  if (!quoted && !breaks && !text.startsWith(quote)) return text;
  if (escaper === undefined) return `${quote}${text.replaceAll(quote, quote + quote)}${quote}`;
  return `${quote}${text.replaceAll(/[\\"]/g, (mark) => escaper + mark)}${quote}`;
}

describe("CSV beside csv-parse", () => {
  test("has the same cells for everything that is well-formed", async () => {
    const window = fc.integer({ min: 1, max: 300 });
    await fc.assert(
      fc.asyncProperty(marks, records, window, fc.boolean(), async (marks, rows, size, mark) => {
        const lines = rows.map(({ record, end }) => {
          return record.map((cell) => writeCell(cell, marks)).join(marks.delimiter) + end;
        });
        const content = `${mark ? "\ufeff" : ""}${lines.join("")}`;
        const options: Options = {
          bom: true,
          delimiter: marks.delimiter,
          quote: marks.quote === "" ? null : marks.quote,
          escape: "escape" in marks ? marks.escape : marks.quote,
          record_delimiter: ["\r\n", "\n", "\r"],
          relax_column_count: true,
          relax_quotes: true,
          skip_empty_lines: true,
        };
        const expected = (parse(content, options) as string[][]).map((cells) =>
          cells.map((cell) => (cell === "" ? null : cell)),
        );
        for (const width of new Set(expected.map((cells) => cells.length))) {
          const names = Array.from({ length: width }, (_, index) => `c${index}`);
          const found = await readCsv(content, testDialect(names, marks), { windowBytes: size });
          expect(found.map(({ fault, cells }) => (fault === 0 ? cells : fault))).toEqual(
            expected.map((cells) => (cells.length === width ? cells : rejectCodes.ragged_row)),
          );
        }
      }),
      { numRuns: propertyRuns(300) },
    );
  });
});

/** Returns the length of a record without the line ends after it. */
function lengthOf(record: Uint8Array): number {
  return Buffer.from(record)
    .toString("latin1")
    .replace(/[\r\n]+$/, "").length;
}

/** The rows that the reader must find, by the walk that looks at heads and split points. */
function walkRows(bytes: Uint8Array, dialect: CsvDialect): [number, number, number][] {
  const rows: [number, number, number][] = [];
  const { malformed_row, ragged_row } = rejectCodes;
  const walker = new RecordWalker(bytes, dialect);
  let p = skipToRecord(bytes, 0, dialect);
  while (p < bytes.length) {
    const { ending, next } = walker.walk(p);
    const isWhole = ending === "line" || ending === "cut";
    const after = isWhole ? next : skipLine(bytes, p, dialect);
    const end = isWhole ? next : endOfLine(bytes, p, dialect);
    const isRagged = walker.cells !== dialect.columns.length;
    rows.push([
      p,
      lengthOf(bytes.subarray(p, end)),
      isWhole ? (isRagged ? ragged_row : 0) : malformed_row,
    ]);
    p = skipToRecord(bytes, after, dialect);
  }
  return rows;
}

describe("CSV beside itself", () => {
  test("finds the same rows with the kernel as with the walk that plans splits", async () => {
    const bytes = fc
      .array(fc.constantFrom('"', '"', ",", ",", "\n", "\r", "a", "#", "\\", "x".repeat(14)), {
        maxLength: 80,
      })
      .map((parts) => Buffer.from(parts.join("")));
    const quoting = fc.constantFrom<Partial<CsvDialect>>(
      {},
      { quote: "" },
      { escape: "\\", comment: "#" },
      { backslashes: "lf" },
      { backslashes: "crlf", comment: "#" },
      { quote: "", backslashes: "lf" },
      { quote: "", backslashes: "crlf", comment: "#" },
    );
    const window = fc.integer({ min: 1, max: 200 });
    await fc.assert(
      fc.asyncProperty(bytes, quoting, window, async (content, quoting, windowBytes) => {
        const dialect = testDialect(["a", "b"], quoting);
        const rows = await readCsv(content, dialect, { windowBytes });
        expect(
          rows.map(({ offset, raw, fault }) => [offset, lengthOf(Buffer.from(raw)), fault]),
        ).toEqual(walkRows(content, dialect));
      }),
      {
        numRuns: propertyRuns(1_500),
        examples: [[Buffer.from('""\n\r"'), { quote: "", backslashes: "lf" }, 4]],
      },
    );
  });

  test("finds the dialect that ordinary tables are written in", () => {
    const word = fc.stringMatching(/^[A-Za-z][a-z ]{0,12}$/);
    const cell = fc.oneof(
      fc.integer().map(String),
      word,
      fc.constantFrom("", "2026-01-31 17:03:12.123000", "a, b; c | d", 'say "hi"'),
      fc.record({ page: word, price: fc.double({ noNaN: true }) }).map((o) => JSON.stringify(o)),
    );
    const columns = ["event_type", "event_time", "user_id", "event_properties"];
    const row = fc.tuple(cell, cell, cell, cell);
    const rows = fc.array(row, { minLength: 3, maxLength: 20 });
    fc.assert(
      fc.property(fc.constantFrom(",", "\t", ";", "|"), rows, (delimiter, rows) => {
        const quoted = (text: string) =>
          /["\n,;|\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
        const lines = [columns, ...rows].map((cells) => cells.map(quoted).join(delimiter));
        const head = Buffer.from(`${lines.join("\n")}\n`);
        expect(detectCsv(head, { complete: true })).toEqual(
          testDialect(columns, { delimiter, header: true }),
        );
      }),
    );
  });
});

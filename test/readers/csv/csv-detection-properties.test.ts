import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { detectCsv } from "../../../src/readers/csv/csv-detection.js";
import { isOtherEncoding } from "../../../src/readers/csv/csv-encoding.js";
import type { CsvHints } from "../../../src/readers/csv/csv-trial.js";
import { possibleStates, RecordWalker } from "../../../src/readers/csv/record-walk.js";
import type { GivenDialect } from "../../../src/sources/source.js";
import { propertyRuns } from "../../support/property-runs.js";
import { detectCsvEagerly } from "./eager-csv-detection.js";
import { recordStates, walkRecord } from "./plain-record-walk.js";

const numRuns = propertyRuns(1_500);

const delimiter = fc.constantFrom(",", "\t", ";", "|", "\x01", "^", "{", '"');
const quote = fc.constantFrom('"', "'", "", "}");
const lineEnd = fc.constantFrom("\n", "\r\n", "\r", "\n\n");

const name = fc.constantFrom("event_type", "user_id", "time", "name", "colour", "Größe", " a ", "");
const value = fc.constantFrom(
  "",
  "x",
  "click",
  "12",
  "2024-01-31",
  "colour",
  '{"a":1}',
  "{",
  "}",
  "a b",
  "\ufeffcolour",
  "Größe",
  "l'été",
  "'",
  '"',
  "\\",
  "\0",
  "\ufffd",
);
/** Cells that stand at a line's beginning so that some other way to read it is near as well. */
const cell = fc
  .tuple(fc.oneof(name, value), fc.constantFrom("", '"', "'", '""', '"\\"'))
  .map(([text, mark]) => `${mark}${text}${mark === '"\\"' ? '"' : mark}`);
const table = fc
  .tuple(
    fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 9 }),
    fc.array(delimiter, { minLength: 1, maxLength: 2 }),
    lineEnd,
  )
  .map(([rows, delimiters, end]) =>
    rows.map((row, index) => row.join(delimiters[index % delimiters.length]) + end).join(""),
  );
/** A table of one shape, as most files are, with few rows of another. */
const regular = fc
  .tuple(
    fc.array(name, { minLength: 1, maxLength: 5 }),
    fc.constantFrom(",", "\t", ";", "|"),
    fc.array(fc.array(value, { minLength: 5, maxLength: 5 }), { maxLength: 12 }),
    fc.nat({ max: 260 }),
    fc.boolean(),
  )
  .map(([names, mark, rows, repeats, quoted]) => {
    const lines = rows.map((row) => {
      const cells = row.slice(0, names.length);
      if (!quoted) return cells.join(mark);
      return cells.map((text) => `"${text.replaceAll('"', '""')}"`).join(mark);
    });
    const body = lines.length === 0 ? "" : `${lines.join("\n")}\n`;
    const copies = Math.ceil(repeats / Math.max(1, lines.length));
    return `${names.join(mark)}\n${body.repeat(copies)}`;
  });
const head = fc
  .tuple(
    fc.constantFrom("", "\ufeff", "\n", "\r\n\r\n"),
    fc.oneof(table, regular),
    fc.oneof(fc.constant(""), fc.string({ maxLength: 12 }), table),
    fc.constantFrom<BufferEncoding>("utf8", "utf8", "utf8", "utf16le", "latin1"),
    fc.nat(),
    fc.boolean(),
  )
  .map(([start, text, rest, encoding, cut, isCut]) => {
    const bytes = Buffer.from(start + text + rest, encoding);
    return isCut ? bytes.subarray(0, cut % (bytes.length + 1)) : bytes;
  });
const hints = fc.record({
  complete: fc.boolean(),
  name: fc.constantFrom("a", "a.csv", "a.tsv", "a.tab.gz", "a.csv.gz", "csv.txt"),
});
const given = fc.record(
  {
    delimiter,
    quote,
    escape: fc.constantFrom("\\", '"'),
    columns: fc.array(name, { minLength: 1, maxLength: 4 }),
    header: fc.boolean(),
  },
  { requiredKeys: [] },
);

function expectSame(bytes: Uint8Array, known: CsvHints, marks: GivenDialect): void {
  // Such dialects and heads are refused.
  fc.pre(marks.delimiter !== (marks.quote ?? '"'));
  fc.pre(!isOtherEncoding(bytes));
  const detected = detectCsv(bytes, known, { backslashes: false, ...marks });
  fc.pre(detected?.skipLines === undefined);
  expect(detected).toEqual(detectCsvEagerly(bytes, known, marks));
}

describe("the detection of CSV", () => {
  test("finds what trying every candidate on all records finds", () => {
    fc.assert(
      fc.property(head, hints, (bytes, known) => {
        expectSame(bytes, known, {});
      }),
      {
        numRuns,
        examples: [[Buffer.from("colour,a\n\ufeffcolour,b\n"), { complete: true, name: "a" }]],
      },
    );
  });

  // A name of a column above rows of two cells.
  const titled = `event_type\n${"a|b\n".repeat(10)}`;
  const piped = { delimiter: "|" as const, header: false };

  test("finds the same with given marks", () => {
    fc.assert(
      fc.property(head, hints, given, (bytes, known, marks) => {
        expectSame(bytes, known, marks);
      }),
      { numRuns, examples: [[Buffer.from(titled), { complete: false, name: "a" }, piped]] },
    );
  });
});

test("RecordWalker walks and counts records as the plain walk does, from every state", () => {
  const marks = fc.record(
    {
      delimiter,
      quote,
      escape: fc.constantFrom("\\", '"'),
      backslashes: fc.constantFrom("lf", "crlf"),
    },
    { requiredKeys: ["delimiter", "quote"] },
  );
  fc.assert(
    fc.property(head, marks, fc.nat(), (bytes, one, from) => {
      const start = from % (bytes.length + 1);
      const walker = new RecordWalker(bytes, one);
      for (const state of possibleStates(one)) {
        const [bounds, plainBounds]: [number[], number[]] = [[], []];
        const { cells, ...walk } = walkRecord(bytes, start, one, recordStates[state], plainBounds);
        expect(walker.walk(start, state, bounds)).toEqual(walk);
        const isBroken = walk.ending === "malformed" || walk.ending === "open";
        expect(walker.cells).toBe(isBroken ? 0 : cells);
        if (!isBroken) expect(bounds).toEqual(plainBounds);
      }
    }),
    { numRuns },
  );
});

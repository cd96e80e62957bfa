import { isParsed } from "../../../src/readers/csv/csv-dialects.js";
import { planCsvRanges } from "../../../src/readers/csv/csv-ranges.js";
import { CsvReader } from "../../../src/readers/csv/csv-reader.js";
import { ParsedCsvReader } from "../../../src/readers/csv/parsed-csv-reader.js";
import type { CsvDialect } from "../../../src/sources/source.js";
import { someOf } from "../../support/property-runs.js";
import { deliverBytes, describeReader, type ReaderSubject, type Sample } from "../conformance.js";
import { testDialect, testSource } from "./csv-rows.js";

const names = ["event", "user", "properties"];
const fields = names.map((name) => ({ path: [name], form: "text" as const }));

function subject(name: string, dialect: CsvDialect, makeCell: (text: string) => string) {
  const make = (rowBytes: readonly number[]): Sample => {
    const rows = rowBytes.map((bytes, index) => {
      const event = `e${index}`;
      const text = `{"a":"${"x,é;".repeat(Math.ceil(bytes / 5))}"}`;
      return [event, index % 3 === 0 ? null : `u${index}`, text];
    });
    const records = [names, ...rows].map((row) =>
      row.map((cell) => (cell === null ? "" : makeCell(cell))).join(dialect.delimiter),
    );
    return { content: Buffer.from(records.map((record) => `${record}\n`).join("")), rows };
  };
  return {
    name,
    make,
    open: ({ kernel, content, openBytes, start, end, rowBytesMax, windowBytes, signal }) => {
      const range = { source: testSource(dialect, content.length), start, end };
      const options = { rowBytesMax, signal, ...(windowBytes && { windowBytes }) };
      const Reader = isParsed(dialect) ? ParsedCsvReader : CsvReader;
      return new Reader(kernel, range, dialect, fields, openBytes(start), options);
    },
    plan: (content, splitBytes) =>
      planCsvRanges(
        testSource(dialect, content.length),
        async (_, start) => deliverBytes(content, start, { chunks: [7, 100] }),
        splitBytes,
      ),
    stream: {
      gap: /^[\r\n]*$/,
      headBytes: ({ content }) => content.indexOf(0x0a),
      mayEndInError: false,
    },
  } satisfies ReaderSubject;
}

const comma = testDialect(names, { header: true });
describeReader(
  subject("CSV with doubled quotes", comma, (text) => `"${text.replaceAll('"', '""')}"`),
);
const scannedSubjects = [
  subject("TSV without quotes", { ...comma, delimiter: "\t", quote: "" }, (text) => text),
  subject("CSV with escaped quotes", { ...comma, escape: "\\" }, (text) =>
    text.startsWith("{") ? `"${text.replaceAll('"', '\\"')}"` : text,
  ),
];
for (const one of someOf(scannedSubjects, 2)) describeReader(one);

// Read through csv-parse, which reads whole sources.
function parsedSubject(name: string, change: Partial<CsvDialect>, escaped: string): ReaderSubject {
  const dialect = { ...comma, ...change };
  const { plan: _, ...more } = subject(name, dialect, (text) =>
    text.startsWith("{") ? `"${text.replaceAll('"', escaped)}"` : text,
  );
  return more;
}
const parsedSubjects = [
  parsedSubject("CSV between several characters", { delimiter: "||" }, '""'),
  parsedSubject("CSV between § with another escape", { delimiter: "§", escape: "^" }, '^"'),
];
for (const one of someOf(parsedSubjects, 2)) describeReader(one);

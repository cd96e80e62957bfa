import fc from "fast-check";
import { expect, test } from "vitest";
import { rejectCodes } from "../../../src/base/reject-codes.js";
import { Kernel } from "../../../src/batch/kernel.js";
import { fromWindows1252 } from "../../../src/readers/csv/csv-encoding.js";
import { planCsvRanges } from "../../../src/readers/csv/csv-ranges.js";
import { openCsvReader } from "../../../src/readers/csv/open-csv.js";
import { bytesInMemory } from "../../../src/sources/byte-source.js";
import type { CsvDialect } from "../../../src/sources/source.js";
import { propertyRuns } from "../../support/property-runs.js";
import { openOptions } from "../scratch.js";
import { testDialect, testSource } from "./csv-rows.js";

const kernel = new Kernel();

async function read(content: Buffer, change: Partial<CsvDialect>, start = 0, end?: number) {
  const dialect = testDialect(["a", "b"], { encoding: "mixed", ...change });
  const source = testSource(dialect, content.length);
  const options = { ...openOptions, rowBytesMax: 10_000, temporaryDirectory: "", windowBytes: 512 };
  const range = { source, start, end: end ?? null };
  const fields = [
    { path: ["a"], form: "text" },
    { path: ["b"], form: "json" },
    { path: [], form: "rest", except: ["a"] },
  ] as const;
  const bytes = bytesInMemory(content.subarray(start));
  const reader = await openCsvReader({ kernel, range, fields, bytes, options }, dialect);
  const rows: unknown[] = [];
  for (let batch = await reader.next(); batch !== null; batch = await reader.next()) {
    for (let row = 0; row < batch.rows; row++) {
      const fault = kernel.bytes[batch.faults + row];
      const cells = batch.columns.map((column) => column.text(row));
      rows.push(fault === 0 ? cells : fault);
    }
  }
  const notices = reader.notices;
  await reader.close();
  return { rows, notices };
}

const cells = (a: string, b: string) => [a, JSON.stringify(b), JSON.stringify({ b })];

test("each row is UTF-8, or else windows-1252", async () => {
  const content = Buffer.concat([
    Buffer.from("a,b\nMüller,€\n"),
    Buffer.from("M\xfcller,\x80\n", "latin1"),
    Buffer.from('"x, \xe9","\x93q\x94"\n', "latin1"),
    Buffer.from("plain,1\nZoë,2\n"),
    Buffer.from("\xdf,", "latin1"),
  ]);
  const { rows, notices } = await read(content, { header: true });
  expect(rows).toEqual([
    cells("Müller", "€"),
    cells("Müller", "€"),
    cells("x, é", "“q”"),
    cells("plain", "1"),
    cells("Zoë", "2"),
    ["ß", undefined, "{}"],
  ]);
  expect(notices).toMatchObject({ row_recoded: 3 });
});

test("windows-1252 is read as the Encoding Standard has it", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const decoder = new TextDecoder("windows-1252");
  expect(fromWindows1252(bytes).toString()).toBe(decoder.decode(bytes, { stream: true }));
});

test("rows with other faults stay rejected", async () => {
  const content = Buffer.from("\xfc,1,2\n\xfc,1\n", "latin1");
  const { rows, notices } = await read(content, { header: false });
  expect(rows).toEqual([rejectCodes.ragged_row, cells("ü", "1")]);
  expect(notices).toMatchObject({ row_recoded: 1 });
});

test("rows may be escaped by backslashes, and the file ends with one", async () => {
  const content = Buffer.from("\xfc\\\n\xe9\t1\nb\t\xe9\\", "latin1");
  const { rows } = await read(content, {
    header: false,
    delimiter: "\t",
    quote: "",
    backslashes: "lf",
  });
  expect(rows[0]).toEqual(cells("ü\né", "1"));
});

test("any mixture of rows is the texts that were written, wherever the file is cut", async () => {
  const letters = fc.string({ unit: fc.constantFrom(...'aé€ßþ, "x'), maxLength: 12 });
  const row = fc.record({ a: letters, b: letters, isLatin: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 60 }), async (written) => {
      const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
      const latin = (text: string) => Buffer.from(text.replaceAll("€", "\x80"), "latin1");
      const parts = written.map(({ a, b, isLatin }) => {
        const line = `${quoted(`k${a}`)},${quoted(`k${b}`)}\n`;
        return isLatin ? latin(line) : Buffer.from(line);
      });
      const content = Buffer.concat(parts);
      const texts = (line: Buffer, at: "a" | "b", index: number) => {
        const text = `k${written[index]![at]}`;
        // A row of windows-1252 can be UTF-8 by chance.
        const isChance = written[index]!.isLatin && isUtf8Text(line);
        return isChance ? Buffer.from(latin(text)).toString() : text;
      };
      const expected = parts.map((line, index) =>
        cells(texts(line, "a", index), texts(line, "b", index)),
      );
      expect((await read(content, { header: false })).rows).toEqual(expected);
      const dialect = testDialect(["a", "b"], { encoding: "mixed", header: false });
      const source = testSource(dialect, content.length);
      const ranges = await planCsvRanges(
        source,
        async (_, start) => bytesInMemory(content.subarray(start)),
        200,
      );
      const found: unknown[] = [];
      for (const { start, end } of ranges) {
        found.push(...(await read(content, { header: false }, start, end ?? undefined)).rows);
      }
      expect(found).toEqual(expected);
    }),
    { numRuns: propertyRuns(60) },
  );
});

function isUtf8Text(bytes: Buffer): boolean {
  return Buffer.from(bytes.toString()).equals(bytes);
}

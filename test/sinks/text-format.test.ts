import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TEXT_BYTES } from "../../src/base/limits.js";
import type { OutputFormat } from "../../src/formats/output-formats.js";
import { propertyRuns } from "../support/property-runs.js";
import { type EventRow, eventRow, readTree, variedRows, writeSplit } from "./event-rows.js";

/** The text of the single part that the rows become. */
async function writeText(
  rows: readonly EventRow[],
  format: OutputFormat,
  { csvSafe = false, withInsertID = false } = {},
): Promise<string> {
  const { directory, parts } = await writeSplit(rows, { format, csvSafe, withInsertID });
  expect(parts.length).toBe(1);
  const bytes = readTree(directory)[join(parts[0]?.path ?? "")] ?? Buffer.alloc(0);
  return (format === "jsonl.gz" ? gunzipSync(bytes) : bytes).toString("utf8");
}

/** Text with what CSV and JSON escape, null texts, nulls and all planes of Unicode. */
const text = fc.oneof(
  { arbitrary: fc.constantFrom("\\N", "NULL", "null", '"'), weight: 1 },
  {
    arbitrary: fc.string({
      unit: fc.oneof(
        fc.constantFrom('"', ",", "\n", "\r", "\t", "\\", "N", "'", "=", "\u0000", "\u001f", " "),
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
      ),
      maxLength: 60,
    }),
    weight: 9,
  },
);
const properties = fc
  .tuple(fc.dictionary(text, fc.oneof(text, fc.integer())), fc.constantFrom("", "  ", "\t"))
  .map(([object, indent]) => JSON.stringify(object, null, indent));
const event: fc.Arbitrary<EventRow> = fc.record({
  event: text,
  timestamp: fc.integer({ min: 0, max: 86_399_999 }),
  userID: fc.option(text),
  stableID: fc.option(text),
  value: fc.option(
    fc.oneof(
      text.map((value) => JSON.stringify(value)),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    ),
  ),
  user: properties,
  metadata: properties,
  insertID: fc.option(text),
});
const events = fc.array(event, { minLength: 1, maxLength: 30 });

function jsonlLine(row: EventRow, withInsertID = false): unknown {
  const { event, timestamp, user, metadata, value, insertID } = row;
  return {
    event,
    timestamp,
    user: JSON.parse(user),
    metadata: JSON.parse(metadata),
    ...(value === null ? {} : { value: JSON.parse(value) }),
    ...(withInsertID && insertID !== null && { insertID }),
  };
}

describe.each(["jsonl", "jsonl.gz"] as const)("%s", (format) => {
  test("each event is one line of JSON, whatever it contains", async () => {
    await fc.assert(
      fc.asyncProperty(events, fc.boolean(), async (rows, withInsertID) => {
        const lines = (await writeText(rows, format, { withInsertID })).split("\n");
        expect(lines.pop()).toBe("");
        const expected = rows.map((row) => jsonlLine(row, withInsertID));
        expect(lines.map((line) => JSON.parse(line))).toEqual(expected);
      }),
      { numRuns: propertyRuns(40) },
    );
  });

  test("members are in the order of the specification, with each digit of properties", async () => {
    const row = eventRow({
      event: 'a "b"\n',
      timestamp: -1,
      value: "1.50e+01",
      user: '{"userID":"u"}',
      metadata: '{\r\n  "big": 9007199254740993123,\n  "s": "\\ud800\\n" }',
    });
    expect(await writeText([row, { ...row, value: null }], format)).toBe(
      '{"event":"a \\"b\\"\\n","timestamp":-1,"user":{"userID":"u"},' +
        '"metadata":{    "big": 9007199254740993123,   "s": "\\ud800\\n" },"value":1.50e+01}\n' +
        '{"event":"a \\"b\\"\\n","timestamp":-1,"user":{"userID":"u"},' +
        '"metadata":{    "big": 9007199254740993123,   "s": "\\ud800\\n" }}\n',
    );
  });

  test("texts of every length are written whole, with an escape at any position", async () => {
    const texts = Array.from({ length: 140 }, (_, length) =>
      "abcdefghij".repeat(14).slice(0, length),
    );
    const rows = texts.flatMap((text, length) => {
      const object = JSON.stringify({ text });
      const place = (length * 7) % (length + 1);
      const escaped = `${text.slice(0, place)}"${text.slice(place)}`;
      return [
        eventRow({ event: text, user: object, metadata: "{}" }),
        eventRow({ event: escaped, user: "{}", metadata: object, value: JSON.stringify(text) }),
      ];
    });
    const lines = (await writeText(rows, format)).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual(rows.map((row) => jsonlLine(row)));
  });

  test("rows with more bytes than are encoded at once are written whole", async () => {
    const long = JSON.stringify({ text: "x".repeat(TEXT_BYTES + 1000) });
    const rows = [
      eventRow(),
      eventRow({ metadata: long }),
      eventRow({ event: "\u0001".repeat(TEXT_BYTES / 2) }),
      eventRow({ user: long }),
    ];
    const lines = (await writeText(rows, format)).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual(rows.map((row) => jsonlLine(row)));
  });
});

test.each([
  ["jsonl", /"timestamp":(-?\d+),/g],
  ["csv", /^e,(-?\d+),/gm],
] as const)("timestamps of every number of digits stand in %s", async (format, pattern) => {
  const sizes = Array.from({ length: 15 }, (_, digits) => 10 ** digits);
  const near = sizes.flatMap((size) => [size - 1, size, size + 1, Math.floor(size * 7.0305)]);
  const years = [Date.parse("0000-01-01"), Date.parse("9999-12-31")] as const;
  const timestamps = near
    .flatMap((size) => [size, 0 - size])
    .filter((ms) => ms > years[0] && ms < years[1]);
  const rows = timestamps.map((timestamp) => eventRow({ event: "e", timestamp }));
  const { directory } = await writeSplit(rows, { format });
  const text = Object.values(readTree(directory)).join("");
  const found = Array.from(text.matchAll(pattern), ([, digits]) => digits);
  expect(found.sort()).toEqual(timestamps.map(String).sort());
});

test("a part of jsonl.gz is gzip members without time and system in their headers", async () => {
  const rows = variedRows(20_000, 1).map((row) => ({
    ...row,
    metadata: `{"t":"${"y".repeat(300)}"}`,
  }));
  const { directory, parts } = await writeSplit(rows, { format: "jsonl.gz" });
  const bytes = readTree(directory)[parts[0]?.path ?? ""] ?? Buffer.alloc(0);
  expect(bytes.subarray(0, 10).toString("hex")).toBe("1f8b08000000000000ff");
  expect(gunzipSync(bytes).length).toBeGreaterThan(TEXT_BYTES);
  const memberHeader = Buffer.from("1f8b08000000000000ff", "hex");
  expect(bytes.lastIndexOf(memberHeader)).toBeGreaterThan(0);
});

describe("csv", () => {
  const columns = ["event", "timestamp", "userID", "stableID", "value", "user", "metadata"];

  function csvCells(row: EventRow, withInsertID: boolean): (string | null)[] {
    const value = row.value?.startsWith('"') ? JSON.parse(row.value) : row.value;
    const { event, timestamp, userID, stableID, user, metadata } = row;
    const cells = [event, String(timestamp), userID, stableID, value, user, metadata];
    return withInsertID ? [...cells, row.insertID] : cells;
  }

  /** As many loaders have it: `\\N` without quotes is null. */
  const isNull = (cell: string) => cell === "" || cell === "\\N";

  test("csv-parse reads each cell back, and nulls differ from empty texts and null texts", async () => {
    await fc.assert(
      fc.asyncProperty(events, fc.boolean(), async (rows, withInsertID) => {
        const records = parse(await writeText(rows, "csv", { withInsertID }), {
          record_delimiter: "\r\n",
          cast: (cell, { quoting }) => (isNull(cell) && !quoting ? null : cell),
        });
        const header = withInsertID ? [...columns, "insertID"] : columns;
        expect(records).toEqual([header, ...rows.map((row) => csvCells(row, withInsertID))]);
      }),
      { numRuns: propertyRuns(40) },
    );
  });

  test("records end with CRLF and cells are quoted only if they must be", async () => {
    const row = eventRow({ event: "", userID: "a b", value: '"1,5"', metadata: '{"a":1}' });
    expect(await writeText([row], "csv")).toBe(
      `${columns.join(",")}\r\n"",1769860800000,a b,,"1,5","{""userID"":""u1""}","{""a"":1}"\r\n`.replace(
        '"{""a"":1}"',
        '"{""a"":1}"',
      ),
    );
  });

  const formulas = ["=1+1", "+1", "-1", "@a", "\tb", "\rc", "=a,b"];

  test.each([false, true])(
    "a text that unquoted means null is quoted, in every column (csvSafe: %s)",
    async (csvSafe) => {
      const nullText = "\\N";
      const row = eventRow({
        event: nullText,
        userID: nullText,
        stableID: "\\n",
        value: '"\\\\N"',
        insertID: nullText,
      });
      const [, record] = (await writeText([row], "csv", { csvSafe, withInsertID: true })).split(
        "\r\n",
      );
      expect(record).toBe(
        String.raw`"\N",1769860800000,"\N",\n,"\N","{""userID"":""u1""}",{},"\N"`,
      );
    },
  );

  test("a text that begins with a byte order mark is quoted, because readers skip a bare one", async () => {
    const row = eventRow({ event: "\ufeffx", userID: "a\ufeff", stableID: "\ufeff" });
    const [, record] = (await writeText([row], "csv")).split("\r\n");
    expect(record).toMatch(/^"\ufeffx",\d+,a\ufeff,"\ufeff",/);
  });

  test("with csvSafe no cell begins as a formula", async () => {
    const rows = formulas.map((event) => eventRow({ event, value: JSON.stringify(event) }));
    const records: string[][] = parse(await writeText(rows, "csv", { csvSafe: true }), {
      from_line: 2,
    });
    expect(records.map(([event]) => event)).toEqual(formulas.map((formula) => `'${formula}`));
    expect(records.map((cells) => cells[4])).toEqual(formulas.map((formula) => `'${formula}`));
  });

  test("with csvSafe other cells and negative timestamps stay as they are", async () => {
    const rows = [eventRow({ event: "a=b", userID: "", timestamp: -5 })];
    const [record] = parse(await writeText(rows, "csv", { csvSafe: true }), {
      from_line: 2,
    }) as string[][];
    expect(record?.slice(0, 4)).toEqual(["a=b", "-5", "", ""]);
  });

  test("without csvSafe formulas are written as they are", async () => {
    const rows = formulas.map((event) => eventRow({ event }));
    const records: string[][] = parse(await writeText(rows, "csv"), { from_line: 2 });
    expect(records.map(([event]) => event)).toEqual(formulas);
  });

  test("a record longer than what is encoded at once is written whole", async () => {
    const metadata = JSON.stringify({ text: '"'.repeat(TEXT_BYTES) });
    const rows = [eventRow(), eventRow({ metadata }), eventRow()];
    const records: string[][] = parse(await writeText(rows, "csv"), { from_line: 2 });
    expect(records.map((cells) => cells[6])).toEqual(rows.map((row) => row.metadata));
  });
});

import { describe, expect, test } from "vitest";
import { rejectCodes } from "../../../src/base/reject-codes.js";
import { cellKinds } from "../../../src/batch/column.js";
import { readCsv, testDialect } from "./csv-rows.js";

const two = testDialect(["a", "b"]);
const { malformed_row, ragged_row, invalid_utf8, row_too_long } = rejectCodes;

async function cells(text: string, dialect = two) {
  return (await readCsv(text, dialect)).map((row) => row.cells);
}

async function faults(content: string | Uint8Array, rowBytesMax?: number) {
  const rows = await readCsv(content, two, rowBytesMax === undefined ? {} : { rowBytesMax });
  return rows.map(({ raw, fault }) => [raw, fault]);
}

describe("CsvReader on cells", () => {
  test("reads an empty cell as null, quoted or not", async () => {
    expect(await cells(',""\n"",x\nx,\n')).toEqual([
      [null, null],
      [null, "x"],
      ["x", null],
    ]);
  });

  test("keeps delimiters, line ends and doubled quotes inside quotes", async () => {
    expect(await cells('"a,""b""\r\nc",""""\n"""x","y"""\n"""""","a"""""\n')).toEqual([
      ['a,"b"\r\nc', '"'],
      ['"x', 'y"'],
      ['""', 'a""'],
    ]);
  });

  test("reads a quote in the middle of an unquoted cell as text", async () => {
    expect(await cells('5" disk, "x"\na"b"c,""""\n')).toEqual([
      ['5" disk', ' "x"'],
      ['a"b"c', '"'],
    ]);
  });

  test("ends rows at LF, CR LF and CR, and skips blank lines", async () => {
    expect(await cells("1,2\n3,4\r\n5,6\r7,8\n\n\r\n\r9,10")).toEqual([
      ["1", "2"],
      ["3", "4"],
      ["5", "6"],
      ["7", "8"],
      ["9", "10"],
    ]);
  });

  test("finds every length of text between doubled quotes and around them", async () => {
    const texts: string[] = [];
    for (let before = 0; before < 20; before++) {
      for (let quotes = 1; quotes < 6; quotes++) {
        for (let after = 0; after < 20; after++) {
          texts.push("x".repeat(before) + '"'.repeat(quotes) + "y".repeat(after));
        }
      }
    }
    const text = texts.map((cell) => `"${cell.replaceAll('"', '""')}",z\n`).join("");
    expect(await cells(text)).toEqual(texts.map((cell) => [cell, "z"]));
  });

  test("reads quotes as text if the dialect has none", async () => {
    const dialect = testDialect(["a", "b"], { quote: "", delimiter: "\t" });
    expect(await cells('"a\tb"\n""\t"\n', dialect)).toEqual([
      ['"a', 'b"'],
      ['""', '"'],
    ]);
  });

  test("removes an escape before a quote or itself, and keeps any other", async () => {
    const dialect = testDialect(["a", "b"], { escape: "\\" });
    const text = '"{\\"a\\":\\"\\\\n\\n\\"}","\\\\"\n\\"x,"a\\\\"\n';
    expect(await cells(text, dialect)).toEqual([
      ['{"a":"\\n\\n"}', "\\"],
      ['\\"x', "a\\"],
    ]);
  });

  test("skips the byte order mark and the header, and counts them in offsets", async () => {
    const rows = await readCsv("\ufeffa,b\r\n1,2\r\n", testDialect(["a", "b"], { header: true }));
    expect(rows).toMatchObject([{ cells: ["1", "2"], offset: 8, number: 1, raw: "1,2" }]);
  });

  test("skips a header whose number of cells differs from the given names", async () => {
    expect(await cells("x\n1,2\n", testDialect(["a", "b"], { header: true }))).toEqual([
      ["1", "2"],
    ]);
  });

  test("fails on a header that cannot be read instead of guessing where rows begin", async () => {
    const reading = readCsv('a,"b"x\n1,2\n', testDialect(["a", "b"], { header: true }));
    await expect(reading).rejects.toMatchObject({ code: "csv_header_malformed" });
  });
});

describe("CsvReader on bad rows", () => {
  test("rejects rows with too few or too many cells on their own", async () => {
    expect(await faults("1,2\n1\n1,2,3\n1,2\n")).toEqual([
      ["1,2", 0],
      ["1", ragged_row],
      ["1,2,3", ragged_row],
      ["1,2", 0],
    ]);
  });

  test("rejects text after a closing quote and continues with the next line", async () => {
    expect(await faults('1,"x"y\n1,2\n"a\nb"c,d\n1,2\n')).toEqual([
      ['1,"x"y', malformed_row],
      ["1,2", 0],
      ['"a', malformed_row],
      ['b"c,d', 0],
      ["1,2", 0],
    ]);
  });

  test("rejects one line for a quote that is never closed, not the rest of the source", async () => {
    expect(await faults('1,"x\n1,2\n3,4\n')).toEqual([
      ['1,"x', malformed_row],
      ["1,2", 0],
      ["3,4", 0],
    ]);
    const rest = "3,4\n".repeat(100);
    const found = await faults(`1,"x\n${rest}`, 50);
    expect(found[0]).toEqual(['1,"x', row_too_long]);
    expect(found.slice(1)).toEqual(new Array(100).fill(["3,4", 0]));
  });

  test("rejects bytes that are not UTF-8 and keeps them", async () => {
    const content = Buffer.from("1,\xff\n\xc3\xa9,2\n\xe9,x\n1,2\n", "latin1");
    expect(await faults(content)).toEqual([
      ["1,\xff", invalid_utf8],
      ["\xc3\xa9,2", 0],
      ["\xe9,x", invalid_utf8],
      ["1,2", 0],
    ]);
  });

  test("finds invalid UTF-8 in cells that are not requested, too", async () => {
    const content = Buffer.from(`1,"${"x".repeat(40)}""\xff"\n`, "latin1");
    const fields = [{ path: ["a"], form: "text" as const }];
    expect(await readCsv(content, two, { fields })).toMatchObject([
      { fault: invalid_utf8, cells: [null] },
    ]);
  });

  test("accepts a row of exactly the limit and rejects one that is a byte longer", async () => {
    const limit = 20;
    const make = (length: number) => `${"x".repeat(length - 2)},y`;
    for (const end of ["\n", "\r\n", "\r", ""]) {
      expect(await faults(`${make(limit)}${end}`, limit)).toEqual([[make(limit), 0]]);
      const [long] = await faults(`${make(limit + 1)}${end}`, limit);
      expect(long).toEqual([make(limit + 1), row_too_long]);
    }
    const quoted = `"${"x".repeat(limit - 4)}",`;
    expect(await faults(`${quoted}y\n`, limit)).toEqual([[`${quoted}y`, 0]]);
    expect((await faults(`${quoted}yz\n`, limit))[0]?.[1]).toBe(row_too_long);
  });

  test("does not depend on the window", async () => {
    const text = '1,"x\n1,2\n"a\nb"c,d\r\nx,"y\ry"\r\n1\n"q""q",\n,"zz"z\n"open\n1,2';
    for (const rowBytesMax of [5, 9, 14, 1_000]) {
      const whole = await readCsv(text, two, { rowBytesMax });
      for (let windowBytes = 1; windowBytes < text.length + 5; windowBytes++) {
        const delivery = { chunks: [1, 3] };
        const options = { rowBytesMax, windowBytes, delivery };
        expect(await readCsv(text, two, options), `${rowBytesMax}/${windowBytes}`).toEqual(whole);
      }
    }
  });

  test("says what is wrong, and in which column", async () => {
    const text = '1\n1,"x"y\n1,"open\n';
    const explained = (await readCsv(text, two)).map(({ explanation }) => explanation);
    expect(explained).toEqual([
      "1 cell where the source has 2 columns",
      "text follows the closing quote of cell 2 (b), where a delimiter or a line end was expected",
      "the quote that opens cell 2 (b) is never closed; only the first line was rejected",
    ]);
    const [long] = await readCsv("1,23456\n", two, { rowBytesMax: 3 });
    expect(long?.explanation).toBe("longer than 3 bytes (--max-row-size)");
  });
});

describe("CsvReader on fields", () => {
  const dialect = testDialect(["id", "p", "q.r", "id"]);
  const text = '7,"{""x"":{""y"":1.50},""z"":""t\\n""}",dotted,8\n,no object,,\n1\n';

  test("gives cells, JSON strings and what is inside JSON text", async () => {
    const fields = [
      { path: ["id"], form: "text" },
      { path: ["q", "r"], form: "json" },
      { path: ["p", "x", "y"], form: "json" },
      { path: ["p", "z"], form: "text" },
      { path: ["p"], form: "rest", except: ["x"] },
      { path: ["nowhere"], form: "text" },
    ] as const;
    const rows = await readCsv(text, dialect, { fields });
    expect(rows.map((row) => row.cells)).toEqual([
      ["7", '"dotted"', "1.50", "t\n", '{"z":"t\\n"}', null],
      // A value that is not an object is the rest of itself.
      [null, null, null, null, "no object", null],
      [null, null, null, null, null, null],
    ]);
    const { string, number, object, null: none } = cellKinds;
    expect(rows[0]?.kinds).toEqual([string, string, number, string, object, none]);
  });

  test("puts the remaining columns into an object, the first of each name", async () => {
    const fields = [
      { path: [], form: "rest", except: ["p"] },
      { path: [], form: "rest" },
      { path: [], form: "rest", except: ["id", "p", "q.r"] },
    ] as const;
    const rows = await readCsv(text, dialect, { fields });
    expect(rows.map((row) => row.cells)).toEqual([
      [
        '{"id":"7","q.r":"dotted"}',
        `{"id":"7","p":${JSON.stringify('{"x":{"y":1.50},"z":"t\\n"}')},"q.r":"dotted"}`,
        "{}",
      ],
      ["{}", '{"p":"no object"}', "{}"],
      [null, null, null],
    ]);
    expect(rows[0]?.kinds).toEqual(new Array(3).fill(cellKinds.object));
  });

  test("escapes as JSON.stringify does, whatever a cell or a name contains", async () => {
    const odd = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).join("");
    const values = [odd, `${odd}${odd}é😀`, '"'.repeat(40), "\x01".repeat(40), "x".repeat(600)];
    const names = ['name "quoted"\n', ...values.slice(1).map((_, index) => `${odd}${index}`)];
    const record = values.map((value) => `"${value.replaceAll('"', '""')}"`).join(",");
    const fields = [
      ...names.map((name) => ({ path: [name], form: "json" as const })),
      { path: [], form: "rest" as const },
    ];
    const text = `${record}\n`.repeat(50);
    const rows = await readCsv(text, testDialect(names), { fields, windowBytes: 100 });
    expect(rows).toHaveLength(50);
    for (const row of rows) {
      const object = Object.fromEntries(names.map((name, index) => [name, values[index]]));
      expect(row.cells).toEqual([
        ...values.map((value) => JSON.stringify(value)),
        JSON.stringify(object),
      ]);
    }
  });

  test("makes room for names and escapes that take more than the cells themselves", async () => {
    const names = Array.from({ length: 8 }, (_, index) => `${index}`.repeat(200));
    const text = `${names.map((_, index) => index).join(",")}\n`.repeat(4_000);
    const fields = [{ path: [], form: "rest" as const }];
    const rows = await readCsv(text, testDialect(names), { fields });
    const expected = JSON.stringify(Object.fromEntries(names.map((name, i) => [name, `${i}`])));
    expect(rows.every(({ cells }) => cells[0] === expected)).toBe(true);

    const controls = "\x01".repeat(500_000);
    const json = [{ path: ["a"], form: "json" as const }];
    const [row] = await readCsv(`${controls},b\n`, two, { fields: json });
    expect(row?.cells[0] === JSON.stringify(controls)).toBe(true);
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JSON_DEPTH_MAX } from "../../../src/base/limits.js";
import { rejectCodeName } from "../../../src/base/reject-codes.js";
import type { FieldRequest } from "../../../src/batch/batch.js";
import { type Column, cellKinds } from "../../../src/batch/column.js";
import { Kernel } from "../../../src/batch/kernel.js";
import type { ByteSource } from "../../../src/readers/byte-source.js";
import { JsonReader } from "../../../src/readers/json/json-reader.js";
import type { RowLayout } from "../../../src/readers/json/row-scanner.js";
import type { Source } from "../../../src/readers/source.js";

const kernel = new Kernel();
const kindNames = Object.fromEntries(Object.entries(cellKinds).map(([name, kind]) => [kind, name]));

interface Row {
  fault?: string;
  cells: Record<string, string>;
  raw: string;
  offset: number | undefined;
}

interface Reading {
  layout?: RowLayout;
  start?: number;
  end?: number | null;
  chunkBytes?: number;
  windowBytes?: number;
  rowBytesMax?: number;
  failAt?: number;
}

function bytesOf(data: Uint8Array, start: number, chunkBytes: number, failAt: number): ByteSource {
  let position = start;
  return {
    get consumed() {
      return position - start;
    },
    read(target) {
      if (position >= failAt) throw new Error("the source broke");
      const end = Math.min(position + Math.min(target.length, chunkBytes), data.length, failAt);
      target.set(data.subarray(position, end));
      const read = end - position;
      position = end;
      return read;
    },
    close: async () => {},
  };
}

async function read(
  input: string | Uint8Array,
  fields: readonly FieldRequest[],
  reading: Reading = {},
): Promise<Row[]> {
  const data = typeof input === "string" ? Buffer.from(input) : input;
  const { layout = "lines", start = 0, end = null } = reading;
  const source: Source = {
    name: "test.json",
    path: "test.json",
    codecs: [],
    size: data.length,
    fingerprint: "",
    format: { kind: layout === "lines" ? "ndjson" : "json" },
  };
  const bytes = bytesOf(
    data,
    Math.max(0, start - 1),
    reading.chunkBytes ?? Number.POSITIVE_INFINITY,
    reading.failAt ?? Number.POSITIVE_INFINITY,
  );
  const reader = new JsonReader(kernel, { source, start, end }, fields, bytes, layout, {
    rowBytesMax: reading.rowBytesMax ?? 1 << 20,
    signal: new AbortController().signal,
    windowBytes: reading.windowBytes ?? 4096,
  });
  const rows: Row[] = [];
  try {
    for (let batch = await reader.next(); batch !== null; batch = await reader.next()) {
      for (let row = 0; row < batch.rows; row++) {
        const fault = kernel.bytes[batch.faults + row]!;
        const cells = fields.flatMap((field, index) => {
          const column = batch.columns[index]!;
          return column.kind(row) === cellKinds.null
            ? []
            : [[`${field.form} ${field.path.join(".")}`, cellOf(column, row)]];
        });
        rows.push({
          ...(fault === 0 ? {} : { fault: rejectCodeName(fault) }),
          cells: Object.fromEntries(cells),
          raw: Buffer.from(batch.raw.bytes(row)).toString("latin1"),
          offset: batch.raw.offset(row),
        });
      }
    }
  } catch (error) {
    rows.push({ fault: (error as Error).message, cells: {}, raw: "", offset: undefined });
  } finally {
    await reader.close();
  }
  return rows;
}

function cellOf(column: Column, row: number): string {
  return `${kindNames[column.kind(row)]} ${column.text(row)}`;
}

const text = (...path: string[]): FieldRequest => ({ path, form: "text" });
const json = (...path: string[]): FieldRequest => ({ path, form: "json" });

describe("fields of a row", () => {
  test("are decoded as text and kept to the byte as JSON", async () => {
    const [row] = await read(
      String.raw`{"a":"x\u00e9\n\"y\"","b":12345678901234567890.10,"c":{"k" : [1, 2]},"d":null,"e":true}`,
      [text("a"), json("a"), text("b"), json("c"), text("d"), text("e"), text("missing")],
    );
    expect(row?.cells).toEqual({
      "text a": 'string xé\n"y"',
      "json a": String.raw`string "x\u00e9\n\"y\""`,
      "text b": "number 12345678901234567890.10",
      "json c": 'object {"k" : [1, 2]}',
      "text e": "boolean true",
    });
  });

  test("come from nested objects, and from texts that hold an object", async () => {
    const rows = await read(
      `{"p":{"x":{"y":1}}}\n{"p":"{\\"x\\":{\\"y\\":\\"\\\\u0041\\"}}"}\n{"p":"none"}\n{"p":[1]}\n`,
      [text("p", "x", "y"), text("p")],
    );
    expect(rows.map((row) => row.cells)).toEqual([
      { "text p.x.y": "number 1", "text p": 'object {"x":{"y":1}}' },
      { "text p.x.y": "string A", "text p": String.raw`string {"x":{"y":"\u0041"}}` },
      { "text p": "string none" },
      { "text p": "array [1]" },
    ]);
  });

  test("take the last of repeated keys, nested ones with all they held", async () => {
    const [row] = await read(`{"a":1,"p":{"x":1},"a":2,"p":{"z":1},"a":null}`, [
      text("a"),
      text("p", "x"),
      json("p"),
    ]);
    expect(row?.cells).toEqual({ "json p": 'object {"z":1}' });
  });

  test("match keys that are written with escapes, and only whole keys", async () => {
    const [row] = await read(
      String.raw`{"event\u005ftype":"a","event_typ":"b","event_types":"c"}`,
      [text("event_type")],
    );
    expect(row?.cells).toEqual({ "text event_type": "string a" });
  });

  test("keep a lone surrogate as escaped text of its own kind", async () => {
    const [row] = await read(String.raw`{"a":"\ud83d","b":"\ud83d\ude00"}`, [text("a"), text("b")]);
    expect(row?.cells).toEqual({
      "text a": String.raw`malformedString \ud83d`,
      "text b": "string 😀",
    });
  });

  test("leave a rest without the excepted members, in order and to the byte", async () => {
    const rest = (path: string[], except: string[]): FieldRequest => ({
      path,
      form: "rest",
      except,
    });
    const rows = await read(
      [
        `{"e":"x","p":{"time":1, "a" : {"time":2}, "time":3,"b":[] },"q":1}`,
        `{"p":{"time":1}}`,
        `{"p":{"a":1}}`,
        `{"p":null}`,
      ].join("\n"),
      [rest(["p"], ["time"]), text("p", "time"), rest([], ["e", "p"])],
    );
    expect(rows.map((row) => row.cells)).toEqual([
      {
        "rest p": 'object {"a" : {"time":2},"b":[]}',
        "text p.time": "number 3",
        "rest ": 'object {"q":1}',
      },
      { "rest p": "object {}", "text p.time": "number 1", "rest ": "object {}" },
      { "rest p": 'object {"a":1}', "rest ": "object {}" },
      { "rest ": "object {}" },
    ]);
  });

  test("leave the rest of a text that holds an object, also escaped twice", async () => {
    const object = '{"time":1,"a":"é\\n","b":[]}';
    const rows = await read(
      [JSON.stringify(object), JSON.stringify(` ${JSON.stringify(object)} `)]
        .map((token) => `{"p":${token}}`)
        .join("\n"),
      [{ path: ["p"], form: "rest", except: ["time"] }, text("p", "a")],
    );
    const cells = { "rest p": 'object {"a":"é\\n","b":[]}', "text p.a": "string é\n" };
    expect(rows.map((row) => row.cells)).toEqual([cells, cells]);
  });

  test("leave what is no object as the rest of itself, also after an object of the same name", async () => {
    const tokens = ['"[1]"', "[1]", "5", "true", '"{\\"a\\":}"', '"\\ud800"', '""'];
    const rows = await read(tokens.map((token) => `{"p":{"a":1},"p":${token}}`).join("\n"), [
      { path: ["p"], form: "rest" },
      text("p", "a"),
    ]);
    expect(rows.map((row) => row.cells)).toEqual([
      { "rest p": "string [1]" },
      { "rest p": "array [1]" },
      { "rest p": "number 5" },
      { "rest p": "boolean true" },
      { "rest p": 'string {"a":}' },
      { "rest p": String.raw`malformedString \ud800` },
      { "rest p": "string " },
    ]);
  });
});

describe("malformed rows", () => {
  const lines = [
    "{}",
    '{"a":NaN}',
    '{"a":1}',
    "garbage",
    '{"a":"unclosed}',
    '{"a":1} [2]',
    '{"a":01}',
    '{"a":1,}',
    '{"a":"\t"}',
    '{"a":"\\x"}',
    "[1]",
    '"text"',
    '{"a":1}\r',
    '  {"a":1}  ',
    "",
    '{"a":',
    '1}{"a":2}',
    '{"a":tru}',
  ];

  test("are faults of their own line and of no other", async () => {
    const rows = await read(lines.join("\n"), [text("a")]);
    const expected = lines
      .filter((line) => line.trim() !== "")
      .map((line) => {
        try {
          const value = JSON.parse(line) as unknown;
          return typeof value === "object" && !Array.isArray(value) ? undefined : "row_not_object";
        } catch {
          return "malformed_row";
        }
      });
    expect(rows.map((row) => row.fault)).toEqual(expected);
    expect(rows.map((row) => row.raw)).toEqual(
      lines.map((line) => line.trim()).filter((line) => line !== ""),
    );
    expect(
      rows
        .filter((row) => row.fault !== undefined)
        .every((row) => Object.keys(row.cells).length === 0),
    ).toBe(true);
  });

  test("begin where the objects before them on the same line end", async () => {
    const rows = await read('{"a":1}{"a":2} {"a":NaN}{"a":3}\n{"a":4}\n', [text("a")]);
    expect(
      rows.map(({ fault, cells, raw, offset }) => [fault ?? cells["text a"], raw, offset]),
    ).toEqual([
      ["number 1", '{"a":1}', 0],
      ["number 2", '{"a":2}', 7],
      ["malformed_row", '{"a":NaN}{"a":3}', 15],
      ["number 4", '{"a":4}', 32],
    ]);
  });

  test("with invalid UTF-8 keep their bytes", async () => {
    const bad = Buffer.concat([
      Buffer.from('{"a":"'),
      Buffer.from([0xff, 0xc0]),
      Buffer.from('"}\n'),
    ]);
    const rows = await read(Buffer.concat([bad, Buffer.from('{"a":"é"}')]), [text("a")]);
    expect(rows.map((row) => row.fault)).toEqual(["invalid_utf8", undefined]);
    expect(rows[0]?.raw).toBe('{"a":"\xff\xc0"}');
  });

  test("nest at most the documented number of levels", async () => {
    const nested = (levels: number) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
    const rows = await read(`${nested(JSON_DEPTH_MAX)}\n${nested(JSON_DEPTH_MAX + 1)}\n{}`, [
      text("b"),
    ]);
    expect(rows.map((row) => row.fault)).toEqual([undefined, "row_too_deep", undefined]);
  });

  test("among spread-out values end at their own closing bracket or where the next row begins", async () => {
    const values = ['{"a":1}', '{"a":NaN}', '{"a":{"b":[}', '{"a":2}'];
    const inArray = `[\n  ${values.join(",\n  ")}\n]`;
    for (const input of [values.join("\n"), inArray]) {
      const rows = await read(input, [text("a")], { layout: "values" });
      expect(rows.map((row) => [row.fault, row.cells["text a"]])).toEqual([
        [undefined, "number 1"],
        ["malformed_row", undefined],
        ["malformed_row", undefined],
        [undefined, "number 2"],
      ]);
    }
  });
});

describe("layouts", () => {
  const rowsOf = (input: string, reading: Reading = {}) =>
    read(input, [text("a")], { layout: "values", ...reading }).then((rows) =>
      rows.map((row) => row.fault ?? row.cells["text a"]),
    );

  test("values may be pretty-printed, concatenated, or elements of arrays", async () => {
    expect(await rowsOf('{\n "a": 1\n}\n{\n "a": 2\n}\n')).toEqual(["number 1", "number 2"]);
    expect(await rowsOf('{"a":1}{"a":2} {"a":3}')).toEqual(["number 1", "number 2", "number 3"]);
    expect(await rowsOf('[{"a":1},\n{"a":2}]')).toEqual(["number 1", "number 2"]);
    expect(await rowsOf('[{"a":1}]\n[{"a":2}]')).toEqual(["number 1", "number 2"]);
    expect(await rowsOf("[]")).toEqual([]);
    expect(await rowsOf("")).toEqual([]);
    expect(await rowsOf("[1,{}]")).toEqual(["row_not_object", undefined]);
  });

  test("an array that is not closed is a truncated source, after its rows", async () => {
    expect(await rowsOf('[{"a":1},{"a":2}')).toEqual([
      "number 1",
      "number 2",
      "test.json, byte 16: the file ends before its JSON array does",
    ]);
  });

  test("a byte order mark is passed over", async () => {
    expect(await rowsOf('\ufeff{"a":1}', { chunkBytes: 1 })).toEqual(["number 1"]);
  });
});

describe("long rows", () => {
  const long = `{"a":"${"x".repeat(300)}"}`;

  test("grow the window, up to the limit to the byte", async () => {
    for (const layout of ["lines", "values"] as const) {
      for (const [rowBytesMax, fault] of [
        [long.length, undefined],
        [long.length - 1, "row_too_long"],
        [70, "row_too_long"],
      ] as const) {
        for (const windowBytes of [64, 100, 4096]) {
          const rows = await read(`{"a":1}\n${long}\n{"a":2}\n`, [text("a")], {
            layout,
            rowBytesMax,
            windowBytes,
          });
          expect(rows.map((row) => row.fault)).toEqual([undefined, fault, undefined]);
          expect(rows.map((row) => row.offset)).toEqual([0, 8, 9 + long.length]);
        }
      }
    }
  });
});

describe("a source that breaks", () => {
  test("gives all whole rows before the break, then its error", async () => {
    const input = '{"a":1}\n{"a":2}\n{"a":3}\n';
    for (const layout of ["lines", "values"] as const) {
      for (let failAt = 0; failAt <= input.length; failAt++) {
        const rows = await read(input, [text("a")], { layout, failAt, chunkBytes: 3 });
        // A value is whole at its bracket, a line at its line feed.
        const whole = Math.floor((failAt + (layout === "values" ? 1 : 0)) / 8);
        expect(rows.map((row) => row.fault)).toEqual([
          ...Array(Math.min(whole, 3)).fill(undefined),
          "the source broke",
        ]);
      }
    }
  });
});

const jsonText = fc
  .json({ maxDepth: 4, stringUnit: "binary" })
  .map((value) => Buffer.from(value).toString())
  .chain((value) =>
    fc.constantFrom(
      value,
      JSON.stringify({ k: JSON.parse(value) as unknown }),
      `{"a":${value},"b":1}`,
    ),
  );
/** A JSON text with one byte changed, dropped or doubled: mostly malformed, sometimes not. */
const damaged = fc
  .tuple(
    jsonText,
    fc.nat(),
    fc.constantFrom("", " ", '"', "\\", "{", "]", ",", "0", "-", ".", "e", "\u0001", "n"),
  )
  .map(([value, place, byte]) => {
    // Half of a surrogate pair that was cut becomes U+FFFD, as it would in a file.
    const at = value.length === 0 ? 0 : place % value.length;
    return Buffer.from(value.slice(0, at) + byte + value.slice(at + (place % 2))).toString();
  });

describe("against JSON.parse", () => {
  test("a line is taken exactly when JSON.parse takes it, and gives the same members", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(jsonText, damaged), { maxLength: 12 }), async (values) => {
        const lines = values
          .map((value) => value.replace(/[\n\r]/g, " "))
          .filter((line) => line.trim() !== "" && !/\}\s*\{/.test(line));
        const rows = await read(lines.join("\n"), [json("a"), json("b"), json("k")], {
          windowBytes: 64,
        });
        expect(rows.map(({ fault, cells }) => ({ fault, cells }))).toEqual(lines.map(expectedOf));
      }),
      { numRuns: 2000 },
    );
  });

  test("rows whose keys resemble those of the row before are told apart", async () => {
    const names = [
      "a",
      "ab",
      "abc",
      "x".repeat(13),
      "x".repeat(14),
      "x".repeat(29),
      "x".repeat(30),
      "b",
    ];
    const name = fc.oneof(
      fc.constantFrom(...names),
      fc.constantFrom(...names).map((known) => `${known}\\u0062`),
      fc.integer({ min: 0, max: 90 }).map((number) => `key ${number}`),
    );
    const space = fc.constantFrom("", "", "", " ");
    const member = fc
      .tuple(name, space, space, fc.constantFrom("1", '"\\u0061"', "null", '{"a":2}', "[]"))
      .map(([key, before, after, value]) => `"${key}"${before}:${after}${value}`);
    const row = fc.array(member, { maxLength: 80 }).map((members) => `{${members.join(",")}}`);
    const fields = [...names, "abcb"].map((known) => json(known));
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 8 }), async (rows) => {
        const taken = await read([...rows, ...rows].join("\n"), fields);
        const expected = [...rows, ...rows].map((text) => {
          const value = JSON.parse(text) as Record<string, unknown>;
          return fields.map(({ path }) => value[path[0] ?? ""] ?? null);
        });
        const actual = taken.map(({ cells }) =>
          fields.map(({ path }) => {
            const [, token] = /^\w+ (.*)$/s.exec(cells[`json ${path[0]}`] ?? "") ?? [];
            return token === undefined ? null : (JSON.parse(token) as unknown);
          }),
        );
        expect(actual).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  test("any chunks, windows and split points give the same rows", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(jsonText, damaged), { maxLength: 8 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 32, max: 200 }),
        async (values, chunkBytes, windowBytes) => {
          const input = values.join("\n");
          const size = Buffer.byteLength(input);
          const fields = [json("a"), text("b"), { path: [], form: "rest", except: ["a"] } as const];
          const whole = await read(input, fields);
          expect(await read(input, fields, { chunkBytes, windowBytes })).toEqual(whole);
          const values1 = await read(input, fields, { layout: "values" });
          expect(await read(input, fields, { layout: "values", chunkBytes, windowBytes })).toEqual(
            values1,
          );
          for (let at = 1; at < size; at++) {
            const first = await read(input, fields, { end: at, windowBytes });
            const second = await read(input, fields, { start: at, windowBytes, chunkBytes });
            expect([...first, ...second]).toEqual(whole);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});

function expectedOf(line: string): { fault: string | undefined; cells: Record<string, string> } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { fault: "malformed_row", cells: {} };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { fault: "row_not_object", cells: {} };
  }
  const cells = Object.entries(value)
    .filter(([key, member]) => ["a", "b", "k"].includes(key) && member !== null)
    .map(
      ([key, member]) =>
        [
          `json ${key}`,
          expect.toSatisfy((cell: string) => {
            const [, token] = /^\w+ (.*)$/s.exec(cell) ?? [];
            expect(JSON.parse(token ?? "")).toEqual(member);
            return true;
          }),
        ] as const,
    );
  return { fault: undefined, cells: Object.fromEntries(cells) };
}

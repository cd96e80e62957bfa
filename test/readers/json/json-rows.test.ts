import { describe, expect, test } from "vitest";
import { JSON_DEPTH_MAX } from "../../../src/base/limits.js";
import type { FieldRequest } from "../../../src/batch/batch.js";
import { json, type Reading, readJson as read, text } from "./read-json.js";

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

  test("keep a value that is not an object as it is, also after an object of the same name", async () => {
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

  test("a byte order mark is skipped", async () => {
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

import { readFileSync, writeFileSync } from "node:fs";
import { Field, Int32, makeData, makeVector, Struct, Table } from "apache-arrow";
import { asyncBufferFromFile, parquetMetadataAsync } from "hyparquet";
import { describe, expect, it } from "vitest";
import { cellKinds } from "../../src/batch/column.js";
import { isCi } from "../support/property-runs.js";
import {
  json,
  readColumn,
  readRows,
  rest,
  temporaryFile,
  text,
  writeWithDuckDB,
} from "./parquet-files.js";
import { writeParquet } from "./parquet-writer.js";

describe("a nested column", () => {
  it("becomes JSON text, with nulls and with the same text for scalars as elsewhere", async () => {
    const path = await writeWithDuckDB(
      `select {'a': 1, 'b': null::varchar, 'c': 'x"y', 'd': date '2024-01-01', 'e': 1.50::decimal(4,2)} as s,
              [1, null, 3] as l,
              [[1], [], null, [2, 3]] as ll,
              map {'k"1': 1, 'k2': null} as m,
              map {1: 'a', 2: 'b'} as im,
              [{'key': 'p', 'value': {'string_value': 'v', 'int_value': null::bigint}}] as params,
              []::int[] as empty,
              null::int[] as missing`,
    );
    const fields = ["s", "l", "ll", "m", "im", "params", "empty", "missing"].map((n) => text(n));
    const [row] = await readRows(path, fields);
    expect(row?.cells).toEqual([
      '{"a":1,"b":null,"c":"x\\"y","d":"2024-01-01","e":1.50}',
      "[1,null,3]",
      "[[1],[],null,[2,3]]",
      '{"k\\"1":1,"k2":null}',
      '[[1,"a"],[2,"b"]]',
      '[{"key":"p","value":{"string_value":"v","int_value":null}}]',
      "[]",
      undefined,
    ]);
    const { object, array, null: none } = cellKinds;
    expect(row?.kinds).toEqual([object, array, array, object, array, array, array, none]);
  });

  it("keeps its rows over batches, row groups and pieces", async () => {
    const count = isCi ? 40_000 : 16_000;
    const path = await writeWithDuckDB(
      `select i, case when i % 5 = 0 then null else
                [{'n': i, 't': repeat('x', (i % 50)::int)}, {'n': i + 1, 't': null}] end as l,
              case when i % 11 = 0 then null else
                {'q': {'z': i % 7, 'w': repeat('y', (i % 300)::int)}, 'l': [i], 'm': {'n': {'o': 1, 'p': i}}}
              end as s
       from range(${count}) r(i)`,
      `, row_group_size ${count / 2}`,
    );
    const rows = await readRows(path, [text("i"), text("l"), text("s")]);
    expect(rows).toHaveLength(count);
    for (const [i, { cells, number }] of rows.entries()) {
      const list = [
        { n: i, t: "x".repeat(i % 50) },
        { n: i + 1, t: null },
      ];
      const inner = { z: i % 7, w: "y".repeat(i % 300) };
      const struct = { q: inner, l: [i], m: { n: { o: 1, p: i } } };
      expect([number, ...cells]).toEqual([
        i + 1,
        String(i),
        i % 5 === 0 ? undefined : JSON.stringify(list),
        i % 11 === 0 ? undefined : JSON.stringify(struct),
      ]);
    }
  });

  it("is entered by a path through structs, maps and JSON texts", async () => {
    const path = await writeWithDuckDB(
      `select {'a': {'b': 7, 'c': '{"d": {"e": "deep"}}'}} as s, map {'k': 'v'} as m
       union all select null, null
       union all select {'a': null}, map {}`,
    );
    const fields = [text("s", "a", "b"), text("s", "a", "c", "d", "e"), text("m", "k")];
    const rows = await readRows(path, [...fields, text("s", "x"), text("s", "a", "b", "x")]);
    expect(rows.map(({ cells }) => cells)).toEqual([
      ["7", "deep", "v", undefined, undefined],
      [undefined, undefined, undefined, undefined, undefined],
      [undefined, undefined, undefined, undefined, undefined],
    ]);
  });

  it("has null members if it is null, even if members cannot be null themselves", async () => {
    const member = new Field("a", new Int32(), false);
    const inner = makeData({ type: new Int32(), data: Int32Array.of(1, 2, 3) });
    const type = new Struct<{ a: Int32 }>([member]);
    const nullBitmap = Uint8Array.of(0b101);
    const data = makeData({ type, length: 3, nullCount: 1, nullBitmap, children: [inner] });
    const path = temporaryFile();
    writeFileSync(path, writeParquet(new Table({ s: makeVector(data) })));
    const rows = await readRows(path, [text("s", "a"), text("s"), rest(["s"], [])]);
    expect(rows.map(({ cells }) => cells)).toEqual([
      ["1", '{"a":1}', '{"a":1}'],
      [undefined, undefined, undefined],
      ["3", '{"a":3}', '{"a":3}'],
    ]);
  });

  it("reads only the leaves that a path leads to", async () => {
    const path = await writeWithDuckDB(
      "select {'small': i, 'large': repeat(md5(i::varchar), 20)} as s from range(20000) r(i)",
    );
    const metadata = await parquetMetadataAsync(await asyncBufferFromFile(path));
    const large = metadata.row_groups[0]?.columns[1]?.meta_data;
    // Damage what must not be looked at.
    const start = Number(large?.dictionary_page_offset ?? large?.data_page_offset);
    writeFileSync(path, readFileSync(path).fill(0xff, start, start + 64));
    const cells = await readColumn(path, text("s", "small"));
    expect(cells).toEqual(Array.from({ length: 20_000 }, (_, i) => String(i)));
    await expect(readColumn(path, text("s"))).rejects.toThrow(/"s"|"s\.large"/);
  });

  it("is not read for a path into a list, which has no members", async () => {
    const path = await writeWithDuckDB(
      "select i, [{'large': repeat(md5(i::varchar), 20)}] as l from range(20000) r(i)",
    );
    const fields = [text("i"), text("l", "large"), rest(["l", "0"], [])];
    const none = Array.from({ length: 20_000 }, (_, i) => [String(i), undefined, undefined]);
    expect((await readRows(path, fields)).map(({ cells }) => cells)).toEqual(none);
    const metadata = await parquetMetadataAsync(await asyncBufferFromFile(path));
    const large = metadata.row_groups[0]?.columns[1]?.meta_data;
    const start = Number(large?.dictionary_page_offset ?? large?.data_page_offset);
    writeFileSync(path, readFileSync(path).fill(0xff, start, start + 64));
    expect((await readRows(path, fields)).map(({ cells }) => cells)).toEqual(none);
    await expect(readColumn(path, text("l"))).rejects.toThrow(/column "l/);
  });
});

describe("a field of a row of columns", () => {
  it("is null if no column has its exact name", async () => {
    const path = await writeWithDuckDB("select 1 as Name union all select 2");
    const rows = await readRows(path, [text("name"), text("Name"), text("Name", "x")]);
    expect(rows.map(({ cells }) => cells)).toEqual([
      [undefined, "1", undefined],
      [undefined, "2", undefined],
    ]);
  });

  it("is the column with the dotted name before any member", async () => {
    const path = await writeWithDuckDB(`select 1 as "a.b", {'b': 2, 'c': 3} as a`);
    const [row] = await readRows(path, [text("a", "b"), text("a", "c")]);
    expect(row?.cells).toEqual(["1", "3"]);
  });

  it("can be the rest of the columns, null ones left out", async () => {
    const path = await writeWithDuckDB(
      `select 'e' as event, 1 as n, null::varchar as gone, '{"x":1}' as t, [1] as l, 'nan'::double as f`,
    );
    const [row] = await readRows(path, [rest([], ["event"]), json(), text("event")]);
    expect(row?.cells[0]).toBe('{"n":1,"t":"{\\"x\\":1}","l":[1]}');
    expect(JSON.parse(row?.cells[1] ?? "")).toEqual({
      event: "e",
      n: 1,
      t: '{"x":1}',
      l: [1],
    });
    expect(row?.kinds.slice(0, 2)).toEqual([cellKinds.object, cellKinds.object]);
  });

  it("can be the rest of a struct or of a JSON text, or a value that is not an object", async () => {
    const path = await writeWithDuckDB(
      `select {'a': 1, 'b': null::int, 'c': 3} as s, '{"a": 1, "b": 2}' as t
       union all select null, 'no object'`,
    );
    const rows = await readRows(path, [rest(["s"], ["a"]), rest(["t"], ["a"])]);
    expect(rows.map(({ cells }) => cells)).toEqual([
      ['{"b":null,"c":3}', '{"b": 2}'],
      [undefined, "no object"],
    ]);
  });

  it("does not need any column to be there", async () => {
    const path = await writeWithDuckDB("select 1 as a from range(20000)");
    const cells = await readColumn(path, text("nothing"));
    expect(cells).toEqual(Array.from({ length: 20_000 }, () => undefined));
  });
});

import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { expectSameAsDuckDB } from "./oracle.js";
import { readColumn, readRows, temporaryFile, text } from "./parquet-files.js";

// Lists and maps as old writers have them, written by parquetjs-lite.

interface Field {
  readonly type?: string;
  readonly optional?: boolean;
  readonly repeated?: boolean;
  readonly fields?: Readonly<Record<string, Field>>;
}
type Fields = Readonly<Record<string, Field>>;

const { ParquetSchema, ParquetWriter } = createRequire(import.meta.url)("parquetjs-lite");

const number: Field = { type: "INT32" };
const word: Field = { type: "UTF8" };
const optional = (field: Field): Field => ({ ...field, optional: true });
const repeated = (field: Field): Field => ({ ...field, repeated: true });
const group = (fields: Fields): Field => ({ fields });
const list = (fields: Fields): Field => ({ type: "LIST", optional: true, fields });
const map = (fields: Fields): Field => ({ type: "MAP", optional: true, fields });

const entries = (key: Field, value: Field) => repeated(group({ key, value }));
const pairs = { map: [{ key: "a", value: 1 }, { key: "b" }] };
const pairsText = '{"a":1,"b":null}';

/** Schema of the column, a value of it, and the value's JSON. */
const forms: Readonly<Record<string, readonly [field: Field, value: unknown, text: string]>> = {
  "a repeated number": [repeated(number), [1, 2], "[1,2]"],
  "a repeated group": [
    repeated(group({ a: optional(number), b: word })),
    [{ a: 1, b: "x" }, { b: "y" }],
    '[{"a":1,"b":"x"},{"a":null,"b":"y"}]',
  ],
  "a repeated member": [
    optional(group({ r: repeated(number), o: optional(word) })),
    { r: [1, 2], o: "q" },
    '{"r":[1,2],"o":"q"}',
  ],
  "two levels": [list({ element: repeated(number) }), { element: [1, 2] }, "[1,2]"],
  "two levels, a group of several": [
    list({ element: repeated(group({ a: number, b: optional(word) })) }),
    { element: [{ a: 1, b: "x" }, { a: 2 }] },
    '[{"a":1,"b":"x"},{"a":2,"b":null}]',
  ],
  "two levels of two levels": [
    list({ array: repeated(list({ array: repeated(number) })) }),
    { array: [{ array: [1, 2] }, { array: [] }] },
    "[[1,2],[]]",
  ],
  "three levels named bag": [
    list({ bag: repeated(group({ array_element: optional(number) })) }),
    { bag: [{ array_element: 1 }, {}] },
    "[1,null]",
  ],
  "three levels with a name of another list": [
    list({ other_tuple: repeated(group({ element: optional(word) })) }),
    { other_tuple: [{ element: "a" }, {}] },
    '["a",null]',
  ],
  "a repeated element": [
    list({ list: repeated(group({ element: repeated(number) })) }),
    { list: [{ element: [1, 2] }, {}] },
    "[[1,2],[]]",
  ],
  "lists of lists": [
    list({
      list: repeated(
        group({ element: list({ list: repeated(group({ element: optional(number) })) }) }),
      ),
    }),
    { list: [{ element: { list: [{ element: 1 }, {}] } }, {}] },
    "[[1,null],null]",
  ],
  "a map": [map({ map: entries(word, optional(number)) }), pairs, pairsText],
  "a map with keys that may be null": [
    map({ map: entries(optional(word), optional(number)) }),
    pairs,
    pairsText,
  ],
  "a map with other names": [
    map({ entries: repeated(group({ k: word, v: optional(number) })) }),
    { entries: [{ k: "a", v: 1 }, { k: "b" }] },
    pairsText,
  ],
  "a map of two-level lists": [
    map({ map: entries(word, list({ array: repeated(number) })) }),
    { map: [{ key: "a", value: { array: [1] } }, { key: "b" }] },
    '{"a":[1],"b":null}',
  ],
  "a list of maps": [
    list({ list: repeated(group({ element: map({ map: entries(word, optional(number)) }) })) }),
    { list: [{ element: pairs }, {}] },
    `[${pairsText},null]`,
  ],
};

/** Writes rows with `value`, without elements and with null in turns. */
async function write(field: Field, value: unknown): Promise<string> {
  const path = temporaryFile();
  const schema = new ParquetSchema({ n: number, c: field });
  const writer = await ParquetWriter.openFile(schema, path, {});
  const empty = Array.isArray(value) ? [] : { [Object.keys(value as object)[0] ?? ""]: [] };
  for (let row = 0; row < 300; row++) {
    const c = row % 3 === 0 ? value : row % 3 === 1 ? empty : undefined;
    await writer.appendRow(c === undefined ? { n: row } : { n: row, c });
  }
  await writer.close();
  return path;
}

test.each(Object.entries(forms))("%s is read as DuckDB reads it", async (_, given) => {
  const [field, value, expected] = given;
  const path = await write(field, value);
  await expectSameAsDuckDB(path, { n: undefined, c: undefined });
  expect((await readColumn(path, text("c")))[0]).toBe(expected);
});

// DuckDB takes the element out of the group here.
const groups: Readonly<Record<string, Fields>> = {
  "the name array": { array: repeated(group({ a: optional(number) })) },
  "the name of the list and _tuple": { c_tuple: repeated(group({ a: optional(number) })) },
};

test.each(Object.entries(groups))("a group with %s is the element itself", async (_, fields) => {
  const [name = ""] = Object.keys(fields);
  const path = await write(list(fields), { [name]: [{ a: 1 }, {}] });
  const cells = await readColumn(path, text("c"));
  expect(cells.slice(0, 3)).toEqual(['[{"a":1},{"a":null}]', "[]", undefined]);
});

test("a map without values is a list of its keys", async () => {
  const path = await write(map({ map: repeated(group({ key: word })) }), { map: [{ key: "a" }] });
  const cells = await readColumn(path, text("c"));
  expect(cells.slice(0, 3)).toEqual(['["a"]', "[]", undefined]);
});

test.each([
  ["a list with two members", list({ a: optional(number), b: optional(number) }), { a: 1 }],
  [
    "a map with three members",
    map({ map: repeated(group({ key: word, value: number, other: number })) }),
    { map: [{ key: "a", value: 1, other: 2 }] },
  ],
])("%s is damage, and other columns are read", async (_, field, value) => {
  const path = await write(field, value);
  expect(await readRows(path, [text("n")])).toHaveLength(300);
  await expect(readRows(path, [text("c")])).rejects.toMatchObject({
    code: "source_corrupt",
    message: expect.stringContaining('column "c": it is a '),
  });
});

import { expect, test } from "vitest";
import { SourceError } from "../../src/base/errors.js";
import {
  codecs,
  compress,
  encodeRows,
  header,
  long,
  MARKER,
  writeAvro,
  writeBlock,
  writeContainer,
} from "./avro-file.js";
import { readAvro } from "./read-avro.js";

const record = (...fields: readonly unknown[]) => ({
  type: "record",
  name: "Row",
  namespace: "shop",
  fields: fields.map((type, index) => ({ name: `f${index}`, type })),
});

const schema = record("string", "int");
const rows = Array.from({ length: 10 }, (_, f1) => ({ f0: `row ${f1}`, f1 }));
const texts = rows.map((row) => JSON.stringify(row));

async function refusal(content: Uint8Array): Promise<SourceError> {
  const { error } = await readAvro(content);
  if (error instanceof SourceError) return error;
  throw new Error(`not a SourceError: ${error}`);
}

/** The row of a file with one row, whose bytes are given. */
async function rowOf(type: unknown, ...bytes: readonly Uint8Array[]): Promise<string | undefined> {
  const { rows, error } = await readAvro(writeContainer(record(type), [Buffer.concat(bytes)]));
  if (error !== undefined) throw error;
  return rows[0]?.slice('{"f0":'.length, -1);
}

const sized = (bytes: Uint8Array) => Buffer.concat([long(bytes.length), bytes]);

test("values become the JSON that Parquet columns of their type become", async () => {
  const float = Buffer.alloc(4);
  float.writeFloatLE(0.1);
  expect(await rowOf("float", float)).toBe("0.1");
  float.writeFloatLE(Number.NaN);
  expect(await rowOf("float", float)).toBe("null");
  const fixed = { type: "fixed", name: "F", size: 16 };
  const bytes = Buffer.from("00112233445566778899aabbccddeeff", "hex");
  expect(await rowOf({ ...fixed, logicalType: "uuid" }, bytes)).toBe(
    '"00112233-4455-6677-8899-aabbccddeeff"',
  );
  expect(await rowOf(fixed, bytes)).toBe('"00112233445566778899aabbccddeeff"');
  const duration = Buffer.from("010000000300000080bb0000", "hex");
  expect(await rowOf({ ...fixed, size: 12, logicalType: "duration" }, duration)).toBe(
    '"P1M3DT48S"',
  );
  const decimal = { type: "bytes", logicalType: "decimal", precision: 9, scale: 2 };
  expect(await rowOf(decimal, sized(Buffer.from("ff", "hex")))).toBe("-0.01");
  expect(await rowOf({ ...decimal, scale: 12 }, sized(Buffer.from("ab")))).toBe('"ab"');
  const millis = { type: "int", logicalType: "time-millis" };
  expect(await rowOf(millis, long(3_723_004))).toBe('"01:02:03.004"');
  const micros = { type: "long", logicalType: "timestamp-micros" };
  expect(await rowOf(micros, long(-1))).toBe('"1969-12-31T23:59:59.999999Z"');
  // A logical type of a field is not one of its type.
  expect(await rowOf("long", long(2n ** 63n - 1n))).toBe("9223372036854775807");
  expect(await rowOf({ type: "string", logicalType: "uuid" }, sized(Buffer.from("u")))).toBe('"u"');
});

test("names are found in their namespace, and a record may contain itself", async () => {
  const node = {
    type: "record",
    name: "Node",
    fields: [
      { name: "kind", type: { type: "enum", name: "other.Kind", symbols: ["A", "B"] } },
      { name: "next", type: ["null", "Node"] },
      { name: "again", type: ["null", "other.Kind"] },
    ],
  };
  const bytes = [long(1), long(1), long(0), long(0), long(1), long(1), long(0)];
  expect(await rowOf(node, ...bytes)).toBe(
    '{"kind":"B","next":{"kind":"A","next":null,"again":"B"},"again":null}',
  );
});

test("types may lack a name, as those that avsc infers", async () => {
  const inner = { type: "record", fields: [{ name: "a", type: "int" }] };
  const outer = { ...inner, fields: [{ name: "b", type: inner }, ...inner.fields] };
  expect(await rowOf(outer, long(1), long(2))).toBe('{"b":{"a":1},"a":2}');
});

test("arrays and maps may say the bytes of their blocks", async () => {
  const bytes = [long(-2), long(2), long(5), long(6), long(1), long(7), long(0)];
  expect(await rowOf({ type: "array", items: "int" }, ...bytes)).toBe("[5,6,7]");
});

test.each(codecs)("a file that is cut gives the whole rows before the cut: %s", async (codec) => {
  const content = writeAvro(schema, rows, { codec, blockRows: [4] });
  const head = header(JSON.stringify(schema), codec).length;
  const ends = [0, 4, 8, 10].map((end) => {
    return writeAvro(schema, rows.slice(0, end), { codec, blockRows: [4] }).length;
  });
  // A row takes seven bytes, a block two more before its first.
  const wholeRows = (length: number) =>
    rows.filter((_, index) => {
      const block = Math.floor(index / 4);
      return (ends[block] ?? 0) + 2 + 7 * ((index % 4) + 1) <= length;
    }).length;
  for (let length = 1; length < content.length; length++) {
    const read = await readAvro(content.subarray(0, length));
    expect(read.rows).toEqual(texts.slice(0, read.rows.length));
    const block = ends.findLastIndex((end) => end <= length);
    if (length < head) expect(read.rows).toEqual([]);
    else expect(read.rows.length).toBeGreaterThanOrEqual([0, 4, 8, 10][block] ?? 0);
    if (codec === "null" && length >= head) expect(read.rows.length).toBe(wholeRows(length));
    // Nothing in a file tells that blocks are missing.
    if (ends.includes(length)) expect(read.error).toBeUndefined();
    else expect(read.error, `${length} bytes`).toMatchObject({ code: "source_truncated" });
  }
});

test("an error of the bytes comes after the whole rows before it", async () => {
  const failure = new SourceError("source_broken", {}, "broken by the test");
  const content = writeAvro(schema, rows, { blockRows: [4] });
  const read = await readAvro(content, { failAt: content.length - 20, failure, chunks: [7] });
  expect(read.error).toBe(failure);
  expect(read.rows).toEqual(texts.slice(0, 9));
});

test("a block counts only with the marker of its file", async () => {
  const good = writeAvro(schema, rows.slice(0, 4), { blockRows: [4] });
  const block = Buffer.concat(encodeRows(schema, rows.slice(4)));
  const other = writeBlock(6, block, Buffer.from("0123456789abcdeF"));
  const { rows: read, error } = await readAvro(Buffer.concat([good, other]));
  expect(read).toEqual(texts.slice(0, 4));
  expect(error).toMatchObject({ code: "source_corrupt", position: { byte: good.length } });
  expect(String(error)).toMatch(/block of 6 rows does not end with the marker/);
});

test.each([
  ["snappy", (block: Buffer) => block.writeUInt32BE(7, block.length - 4), /checksum/],
  ["snappy", (block: Buffer) => block.writeUInt8(0xff, 0), /Snappy data is damaged/],
  ["deflate", (block: Buffer) => block.fill(0xff, 0, 4), /deflate data is damaged/],
  ["zstandard", (block: Buffer) => block.fill(0, 0, 4), /Zstandard data is damaged/],
] as const)("a damaged block of %s is an error", async (codec, damage, reason) => {
  const good = writeAvro(schema, rows.slice(0, 4), { codec, blockRows: [4] });
  const block = compress(Buffer.concat(encodeRows(schema, rows.slice(4))), codec);
  damage(block);
  const { rows: read, error } = await readAvro(Buffer.concat([good, writeBlock(6, block)]));
  expect(read).toEqual(texts.slice(0, 4));
  expect(error).toMatchObject({ code: "source_corrupt" });
  expect(String(error)).toMatch(reason);
});

test("a block must have exactly its rows", async () => {
  const head = header(JSON.stringify(schema), "null");
  const content = Buffer.concat(encodeRows(schema, rows.slice(0, 2)));
  const more = await readAvro(Buffer.concat([head, writeBlock(3, content)]));
  expect(more.rows).toEqual(texts.slice(0, 2));
  expect(String(more.error)).toMatch(/row 3: it ends too early/);
  const less = await readAvro(Buffer.concat([head, writeBlock(1, content)]));
  expect(String(less.error)).toMatch(/7 bytes follow its last row/);
});

test("joined files are read, each with its own schema and codec", async () => {
  const one = writeAvro(schema, rows.slice(0, 4), { codec: "snappy" });
  const other = writeAvro(record("int"), [{ f0: 7 }], { codec: "deflate" });
  const { rows: read, error } = await readAvro(Buffer.concat([one, other]), { chunks: [11] });
  expect(error).toBeUndefined();
  expect(read).toEqual([...texts.slice(0, 4), '{"f0":7}']);
});

test.each([
  ["{", /not valid JSON/],
  ['"string"', /neither records nor maps/],
  [
    '{"type":"record","name":"R","fields":[{"name":"a","type":"number"}]}',
    /"a" has the unknown type "number"/,
  ],
  ['{"type":"record","name":"R","fields":[{"name":"a"}]}', /"a" has the type undefined/],
  ['{"type":"record","name":"R"}', /"R" has no fields/],
  ['{"type":"record","name":7,"fields":[]}', /a type with the name 7/],
  ['{"type":"map","values":{"type":"fixed","name":"F","size":-1}}', /-1 fixed bytes/],
  [`{"type":"map","values":${"[".repeat(600)}"int"${"]".repeat(600)}}`, /more than 500 levels/],
])("a schema that breaks the rules is an error: %s", async (json, reason) => {
  const error = await refusal(header(json.slice(0, 2_000), "null"));
  expect(error.code).toBe("source_corrupt");
  expect(error.toReason()).toMatch(reason);
});

test.each(["bzip2", "xz", "lzo"])("the codec %s is not supported", async (codec) => {
  const error = await refusal(header(JSON.stringify(schema), codec));
  expect(error.code).toBe("source_unsupported");
  expect(error.toReason()).toMatch(codec);
});

test("blocks and values that are too large are refused before they fill the memory", async () => {
  const head = header(JSON.stringify(schema), "null");
  const large = Buffer.concat([head, long(1), long(2 ** 40), MARKER]);
  expect((await refusal(large)).toReason()).toMatch(/1099511627776 bytes, more than 128 MiB/);
  const nulls = header(JSON.stringify(record({ type: "array", items: "null" }, "int")), "null");
  const bomb = writeBlock(1, Buffer.concat([long(2 ** 50), long(0), long(5)]));
  const { rows: read, error } = await readAvro(Buffer.concat([nulls, bomb]), {
    rowBytesMax: 5_000,
  });
  expect(error).toBeUndefined();
  expect(read[0]).toMatch(/^\{"f0":\[null,null/);
  expect(read[0]?.length).toBeGreaterThan(5_000);
  expect(read[0]?.length).toBeLessThan(10_000);
  const empty = header('{"type":"record","name":"R","fields":[]}', "null");
  const error2 = await refusal(Buffer.concat([empty, writeBlock(2 ** 40, Buffer.alloc(0))]));
  expect(error2.toReason()).toMatch(/row 1: it has no bytes/);
});

test("bytes that are not an Avro file are an error where one was given", async () => {
  expect((await refusal(Buffer.from("{}\n".repeat(9)))).toReason()).toMatch(/do not begin an Avro/);
  expect(await readAvro(Buffer.alloc(0))).toEqual({ rows: [], error: undefined });
});

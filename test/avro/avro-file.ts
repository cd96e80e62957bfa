import { createRequire } from "node:module";
import { crc32, deflateRawSync } from "node:zlib";
import { Type, types } from "avsc";
import { storedFrame } from "../sources/zstd-frames.js";

const snappy = createRequire(import.meta.url)("snappyjs") as {
  compress(bytes: Buffer): Buffer;
};

export const codecs = ["null", "deflate", "snappy", "zstandard"] as const;
export type AvroCodec = (typeof codecs)[number];

export const MARKER = Buffer.from("0123456789abcdef");

export interface AvroFileOptions {
  readonly codec?: AvroCodec | undefined;
  /** Rows of each block, in turn. */
  readonly blockRows?: readonly number[];
}

/** Longs of avsc as bigints, so that they have all their digits. */
const longs = types.LongType.__with({
  fromBuffer: (bytes: Buffer) => bytes.readBigInt64LE(),
  toBuffer: (value: bigint) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(value);
    return bytes;
  },
  fromJSON: BigInt,
  toJSON: Number,
  isValid: (value: unknown) => typeof value === "bigint",
  compare: (one: bigint, other: bigint) => (one < other ? -1 : one > other ? 1 : 0),
});

/** Encodes rows with avsc: longs are bigints, the values of unions are `{ branch: value }`. */
export function encodeRows(schema: unknown, rows: readonly unknown[]): readonly Buffer[] {
  const options = { registry: { long: longs }, wrapUnions: true };
  // A long with a logical type would be one of avsc's own.
  const plain = JSON.stringify(schema).replace(
    /\{"type":"long","logicalType":"[^"]+"\}/g,
    '"long"',
  );
  const type = Type.forSchema(JSON.parse(plain), options as never);
  return rows.map((row) => Buffer.from(type.toBuffer(row)));
}

/** Writes an object container file, by the specification, of rows that are encoded. */
export function writeContainer(
  schema: unknown,
  rows: readonly Uint8Array[],
  { codec = "null", blockRows = [3] }: AvroFileOptions = {},
): Buffer {
  const parts = [header(JSON.stringify(schema), codec)];
  for (let start = 0, block = 0; start < rows.length; block++) {
    const end = Math.min(rows.length, start + (blockRows[block % blockRows.length] ?? 1));
    parts.push(writeBlock(end - start, compress(Buffer.concat(rows.slice(start, end)), codec)));
    start = end;
  }
  return Buffer.concat(parts);
}

export function writeAvro(
  schema: unknown,
  rows: readonly unknown[],
  options?: AvroFileOptions,
): Buffer {
  return writeContainer(schema, encodeRows(schema, rows), options);
}

export function header(schema: string, codec: string): Buffer {
  const text = (value: string) =>
    Buffer.concat([long(Buffer.byteLength(value)), Buffer.from(value)]);
  const entries = [text("avro.codec"), text(codec), text("avro.schema"), text(schema)];
  return Buffer.concat([Buffer.from("Obj\x01", "latin1"), long(2), ...entries, long(0), MARKER]);
}

export function writeBlock(rows: number, content: Uint8Array, marker = MARKER): Buffer {
  return Buffer.concat([long(rows), long(content.length), content, marker]);
}

/** A number in zigzag coding. */
export function long(value: number | bigint): Buffer {
  let rest = BigInt.asUintN(64, (BigInt(value) << 1n) ^ (BigInt(value) >> 63n));
  const bytes: number[] = [];
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}

export function compress(content: Buffer, codec: AvroCodec): Buffer {
  switch (codec) {
    case "null":
      return content;
    case "deflate":
      return deflateRawSync(content);
    case "zstandard":
      return Buffer.from(storedFrame(content));
    case "snappy": {
      const checksum = Buffer.alloc(4);
      checksum.writeUInt32BE(crc32(content));
      return Buffer.concat([snappy.compress(content), checksum]);
    }
  }
}

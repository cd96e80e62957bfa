import { ThriftWriter } from "../../src/base/thrift-writer.js";
import type { SchemaElement } from "../../src/parquet/footer.js";
import { physicalTypes } from "../../src/parquet/value-type.js";
import { assemblePageFile, type ElementTree, type PageBytes } from "./page-file.js";

/** Runs of equal numbers. */
export type Runs = readonly (readonly [count: number, value: number])[];

/** Entries of a column `l`: optional lists of texts, which are never null. */
export interface ListEntries {
  /** 0 where a row begins, else 1. */
  readonly repeats: Runs;
  /** 0 for no list, 1 for one without elements, 2 for an element. */
  readonly levels: Runs;
  /** Indexes in the dictionary, for those that are elements. */
  readonly indexes: Runs;
}

export const PLAIN = 0;
export const RLE = 3;
const RLE_DICTIONARY = 8;
const CONVERTED_LIST = 3;

/**
 * Assembles a file with the column `l`; its footer says that it has `rows` rows. With `texts`, which are
 * never null, both are members, `l` and `t`, of a column `s`.
 */
export function listFile(
  dictionary: readonly Uint8Array[],
  pages: readonly ListEntries[],
  rows: number,
  texts?: readonly Uint8Array[],
): Uint8Array {
  const all = [dictionaryPage(dictionary), ...pages.map(dataPage)];
  const size = all.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const chunk = {
    type: physicalTypes.byteArray,
    codec: 0,
    path: ["l", "list", "element"],
    start: 4,
    values: pages.reduce((sum, { repeats }) => sum + total(repeats), 0),
    uncompressedSize: size,
    compressedSize: size,
  };
  const list = { chunk, pages: all };
  if (texts === undefined) return assemblePageFile(column, [list], rows);
  const data = page(0, plain(texts), 5, [texts.length, PLAIN, RLE, RLE]);
  const { length } = data.bytes;
  const sizes = { values: texts.length, uncompressedSize: length, compressedSize: length };
  const text = { chunk: { ...chunk, path: ["s", "t"], ...sizes }, pages: [data] };
  return assemblePageFile(pair, [list, text], rows);
}

const group = (name: string, repetition: number, child: ElementTree, convertedType?: number) => ({
  element: { ...unnamed, name, repetition, childCount: 1, convertedType },
  children: [child],
});
export const unnamed: Omit<SchemaElement, "name"> = {
  type: undefined,
  typeLength: 0,
  repetition: 0,
  childCount: 0,
  convertedType: undefined,
  scale: 0,
  logicalType: undefined,
};
const element: ElementTree = {
  element: { ...unnamed, name: "element", type: physicalTypes.byteArray },
  children: [],
};
const column = group("l", 1, group("list", 2, element), CONVERTED_LIST);
const pair: ElementTree = {
  element: { ...unnamed, name: "s", childCount: 2 },
  children: [column, { ...element, element: { ...element.element, name: "t" } }],
};

function dictionaryPage(texts: readonly Uint8Array[]): PageBytes {
  return page(2, plain(texts), 7, [texts.length, PLAIN]);
}

function plain(texts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(texts.flatMap((text) => [word(text.length), text]));
}

function dataPage({ repeats, levels, indexes }: ListEntries): PageBytes {
  const withLength = (bytes: Uint8Array) => [word(bytes.length), bytes];
  const lists = [...withLength(hybrid(repeats)), ...withLength(hybrid(levels))];
  const body = [...lists, Uint8Array.of(8), hybrid(indexes)];
  return page(0, Buffer.concat(body), 5, [total(repeats), RLE_DICTIONARY, RLE, RLE]);
}

/** Makes a page of a type of parquet.thrift, whose own header is in `field`. */
export function page(
  type: number,
  body: Uint8Array,
  field: number,
  header: readonly number[],
  uncompressedSize = body.length,
): PageBytes {
  const writer = new ThriftWriter();
  writer.beginStructElement();
  for (const [index, value] of [type, uncompressedSize, body.length].entries()) {
    writer.i32(index + 1, value);
  }
  writer.beginStruct(field);
  for (const [index, value] of header.entries()) writer.i32(index + 1, value);
  writer.endStruct();
  writer.endStruct();
  const bytes = Buffer.concat([writer.bytes, body]);
  const [values = 0] = header;
  return { dictionary: type === 2, values, uncompressedSize: bytes.length, bytes };
}

/** Encodes runs of values of up to eight bits. */
function hybrid(runs: Runs): Uint8Array {
  return Uint8Array.from(runs.flatMap(([count, value]) => [...varint(count * 2), value]));
}

function varint(value: number): readonly number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];
}

function word(value: number): Uint8Array {
  return new Uint8Array(Uint32Array.of(value).buffer);
}

function total(runs: Runs): number {
  return runs.reduce((sum, [count]) => sum + count, 0);
}

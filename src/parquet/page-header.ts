import {
  count,
  integer,
  optionalInteger,
  struct,
  ThriftError,
  type ThriftReader,
  type ThriftStruct,
} from "./thrift.js";

/** PageType of parquet.thrift. */
const pageTypes = { data: 0, index: 1, dictionary: 2, dataV2: 3 } as const;

/** Encoding of parquet.thrift. */
export const encodings = {
  plain: 0,
  plainDictionary: 2,
  rle: 3,
  bitPacked: 4,
  deltaBinaryPacked: 5,
  deltaLengthByteArray: 6,
  deltaByteArray: 7,
  rleDictionary: 8,
  byteStreamSplit: 9,
} as const;

interface CommonHeader {
  /** Values and nulls, or the entries of a dictionary. */
  readonly values: number;
  /** Bytes of the body, levels included. */
  readonly uncompressedSize: number;
  readonly bodySize: number;
  readonly checksum: number | undefined;
}

/** The header of a page. */
export type PageHeader = CommonHeader &
  (
    | { readonly kind: "index" }
    | { readonly kind: "dictionary"; readonly encoding: number }
    | {
        readonly kind: "data";
        readonly encoding: number;
        readonly definitionEncoding: number;
        readonly repetitionEncoding: number;
      }
    | {
        readonly kind: "dataV2";
        readonly encoding: number;
        readonly nulls: number;
        /** Bytes of the levels, which are before the values and not compressed. */
        readonly definitionBytes: number;
        readonly repetitionBytes: number;
        /** True if the values are compressed. */
        readonly compressed: boolean;
      }
  );

/** The header of a page with rows. */
export type DataHeader = Extract<PageHeader, { readonly kind: "data" | "dataV2" }>;

/** Reads a header. Throws `ThriftError`. */
export function readPageHeader(reader: ThriftReader): PageHeader {
  const fields = reader.readStruct();
  const common = {
    uncompressedSize: count(fields, 2),
    bodySize: count(fields, 3),
    checksum: optionalInteger(fields, 4),
  };
  const type = integer(fields, 1);
  switch (type) {
    case pageTypes.index:
      return { ...common, kind: "index", values: 0 };
    case pageTypes.data: {
      const header = struct(fields, 5);
      return {
        ...common,
        kind: "data",
        ...valuesOf(header, 2),
        definitionEncoding: integer(header, 3),
        repetitionEncoding: integer(header, 4),
      };
    }
    case pageTypes.dictionary:
      return { ...common, kind: "dictionary", ...valuesOf(struct(fields, 7), 2) };
    case pageTypes.dataV2: {
      const header = struct(fields, 8);
      return {
        ...common,
        kind: "dataV2",
        ...valuesOf(header, 4),
        nulls: count(header, 2),
        definitionBytes: count(header, 5),
        repetitionBytes: count(header, 6),
        compressed: header.get(7) !== false,
      };
    }
    default:
      throw new ThriftError(`unknown page type ${type}`, false);
  }
}

function valuesOf(header: ThriftStruct, encodingField: number) {
  return { values: count(header, 1), encoding: integer(header, encodingField) };
}

import { count, integer, optionalInteger, struct } from "../footer/thrift-fields.js";
import { ThriftError, type ThriftReader, type ThriftStruct } from "../footer/thrift-reader.js";

/** PageType of parquet.thrift. */
const pageTypes = { data: 0, index: 1, dictionary: 2, dataV2: 3 } as const;

/** Encoding of parquet.thrift, as far as it is looked at. */
export const encodings = {
  plain: 0,
  plainDictionary: 2,
  rle: 3,
  deltaBinaryPacked: 5,
  deltaLengthByteArray: 6,
  deltaByteArray: 7,
  rleDictionary: 8,
  byteStreamSplit: 9,
} as const;

interface CommonHeader {
  /** Values and nulls; in a dictionary: its entries. */
  readonly values: number;
  /** Bytes of the body, levels included. */
  readonly uncompressedSize: number;
  readonly bodySize: number;
  readonly checksum: number | undefined;
}

/** What stands before a page, as far as pages are read by it. */
export type PageHeader = CommonHeader &
  (
    | { readonly kind: "index" }
    | { readonly kind: "dictionary"; readonly encoding: number }
    | {
        readonly kind: "data";
        readonly encoding: number;
        /** Of the definition levels, and of the repetition levels. */
        readonly levelEncoding: number;
        readonly repeatEncoding: number;
      }
    | {
        readonly kind: "dataV2";
        readonly encoding: number;
        readonly nulls: number;
        /** Bytes of the levels, which stand uncompressed before the values. */
        readonly definitionBytes: number;
        readonly repetitionBytes: number;
        /** Whether the values are compressed. */
        readonly compressed: boolean;
      }
  );

/** Throws `ThriftError`. */
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
        levelEncoding: integer(header, 3),
        repeatEncoding: integer(header, 4),
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
      throw new ThriftError(`no page of type ${type}`, false);
  }
}

function valuesOf(header: ThriftStruct, encodingField: number) {
  return { values: count(header, 1), encoding: integer(header, encodingField) };
}

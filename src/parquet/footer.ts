import { sum } from "../base/sum.js";
import type { Source } from "../sources/source.js";
import { unsupported } from "../sources/source-errors.js";
import { damaged, encryptedParquet } from "./parquet-errors.js";
import type { RandomAccess } from "./random-access.js";
import {
  count,
  integer,
  optionalInteger,
  optionalStruct,
  struct,
  structs,
  ThriftError,
  ThriftReader,
  type ThriftStruct,
  text,
  texts,
} from "./thrift.js";

// The parts of a Parquet file's footer that reading rows needs.
// https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift

export interface Footer {
  /** The schema's tree in depth-first order, the root first. */
  readonly schema: readonly SchemaElement[];
  readonly rowGroups: readonly RowGroup[];
}

export interface SchemaElement {
  readonly name: string;
  /** Physical type of a leaf. */
  readonly type: number | undefined;
  /** Bytes of a FIXED_LEN_BYTE_ARRAY. */
  readonly typeLength: number;
  /** 0 required, 1 optional, 2 repeated. */
  readonly repetition: number;
  readonly childCount: number;
  readonly convertedType: number | undefined;
  readonly scale: number;
  readonly logicalType: ThriftStruct | undefined;
}

export interface RowGroup {
  readonly rows: number;
  /** Rows of the row groups before it. */
  readonly firstRow: number;
  /** Bytes in the file. */
  readonly compressedSize: number;
  /** One for each leaf of the schema, in its order. */
  readonly chunks: readonly ColumnChunk[];
}

export interface ColumnChunk {
  readonly type: number;
  readonly codec: number;
  readonly path: readonly string[];
  /** Values and nulls. */
  readonly values: number;
  readonly uncompressedSize: number;
  readonly compressedSize: number;
  /** The byte of the file at which the first page begins. */
  readonly start: number;
}

const MAGIC = "PAR1";
const ENCRYPTED_MAGIC = "PARE";
/** Bytes after the footer: its length and the magic. */
const TRAILER_BYTES = 8;
/** Bytes at the end of an object that are fetched at once; most footers are in them. */
const TAIL_BYTES = 256 * 1024;
/** Bytes of a footer. A longer footer is treated as damaged. */
const FOOTER_BYTES_MAX = 512 * 1024 * 1024;
/** Bytes of a dictionary page's header, as other readers bound it. */
const DICTIONARY_HEADER_BYTES_MAX = 100;

/** Reads the footer. Throws `SourceError` if the file is not Parquet, cut off, damaged or encrypted. */
export async function readFooter(file: RandomAccess): Promise<Footer> {
  const bytes = await readFooterBytes(file);
  try {
    const reader = new ThriftReader(bytes);
    const footer = parseFooter(reader.readStruct(), file.source);
    const rest = bytes.length - reader.position;
    if (rest === 0) return footer;
    throw damaged(file.source, `its footer ends ${rest} bytes before its length says`);
  } catch (error) {
    if (!(error instanceof ThriftError)) throw error;
    throw damaged(file.source, `its footer cannot be read: ${error.message}`);
  }
}

async function readFooterBytes(file: RandomAccess): Promise<Uint8Array> {
  const { size, source } = file;
  if (size < TRAILER_BYTES + MAGIC.length) throw damaged(source, `it has only ${size} bytes`);
  await file.prepare([{ start: size - TAIL_BYTES, end: size }]);
  const trailer = Buffer.alloc(TRAILER_BYTES);
  file.read(trailer, size - TRAILER_BYTES);
  const magic = trailer.toString("latin1", 4);
  if (magic === ENCRYPTED_MAGIC) throw encryptedParquet(source);
  if (magic !== MAGIC) {
    throw damaged(source, "it does not end with PAR1; it may be cut off or be no Parquet at all");
  }
  const length = trailer.readUInt32LE(0);
  if (length > size - TRAILER_BYTES - MAGIC.length || length > FOOTER_BYTES_MAX) {
    throw damaged(source, `the length of its footer is ${length} bytes, but the file has ${size}`);
  }
  const start = size - TRAILER_BYTES - length;
  await file.prepare([{ start, end: size }]);
  const bytes = new Uint8Array(length);
  file.read(bytes, start);
  return bytes;
}

function parseFooter(fields: ThriftStruct, source: Source): Footer {
  if (fields.get(8) instanceof Map) throw encryptedParquet(source);
  const schema = structs(fields, 2).map(parseElement);
  const leaves = schema.filter((element) => element.childCount === 0).length;
  const uncounted = hasUncountedHeaders(fields) ? DICTIONARY_HEADER_BYTES_MAX : 0;
  let firstRow = 0;
  const rowGroups = structs(fields, 4).map((group) => {
    const chunks = structs(group, 1).map((chunk) => parseChunk(chunk, uncounted, source));
    if (chunks.length !== leaves) {
      throw damaged(source, `a row group has ${chunks.length} columns, the schema ${leaves}`);
    }
    const rows = count(group, 3);
    const compressedSize = sum(chunks, (chunk) => chunk.compressedSize);
    const parsed: RowGroup = { rows, firstRow, compressedSize, chunks };
    firstRow += rows;
    return parsed;
  });
  const recorded = count(fields, 3);
  if (recorded !== firstRow) {
    throw damaged(source, `its footer says ${recorded} rows, but its row groups have ${firstRow}`);
  }
  return { schema, rowGroups };
}

/**
 * Returns true for files of parquet-mr before 1.2.9: the sizes of their column chunks leave out the
 * header of the dictionary page (PARQUET-816).
 */
function hasUncountedHeaders(fields: ThriftStruct): boolean {
  if (!fields.has(6)) return false;
  const [, major, minor, patch] =
    /^parquet-mr version (\d+)\.(\d+)\.(\d+)/.exec(text(fields, 6)) ?? [];
  if (major === undefined) return false;
  return Number(major) * 1e6 + Number(minor) * 1e3 + Number(patch) < 1_002_009;
}

function parseElement(fields: ThriftStruct): SchemaElement {
  return {
    type: optionalInteger(fields, 1),
    typeLength: optionalInteger(fields, 2) ?? 0,
    repetition: optionalInteger(fields, 3) ?? 0,
    name: text(fields, 4),
    childCount: optionalInteger(fields, 5) ?? 0,
    convertedType: optionalInteger(fields, 6),
    scale: optionalInteger(fields, 7) ?? 0,
    logicalType: optionalStruct(fields, 10),
  };
}

/** `uncounted`: bytes that the size of a chunk with a dictionary may lack. */
function parseChunk(chunk: ThriftStruct, uncounted: number, source: Source): ColumnChunk {
  if (chunk.get(8) instanceof Map) throw encryptedParquet(source);
  if (chunk.has(1)) {
    const what = `the Parquet file keeps a column in another file, ${JSON.stringify(text(chunk, 1))}`;
    throw unsupported(source.name, what, "Write it again as one file.");
  }
  const fields = struct(chunk, 3);
  const dataStart = count(fields, 9);
  const dictionaryStart = optionalInteger(fields, 11) ?? 0;
  const hasDictionary = dictionaryStart > 0 && dictionaryStart < dataStart;
  return {
    type: integer(fields, 1),
    path: texts(fields, 3),
    codec: integer(fields, 4),
    values: count(fields, 5),
    uncompressedSize: count(fields, 6),
    compressedSize: count(fields, 7) + uncounted,
    start: hasDictionary ? dictionaryStart : dataStart,
  };
}

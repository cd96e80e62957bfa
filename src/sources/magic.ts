import type { Codec } from "./source.js";

/** The container that the first bytes of a file or layer show. */
type Container =
  | { readonly kind: "codec"; readonly codec: Codec }
  | { readonly kind: "zip" }
  | { readonly kind: "tar" }
  /** A format that is known but not read: its name and what to do about it. */
  | { readonly kind: "unsupported"; readonly what: string; readonly advice: string };

interface Signature {
  readonly offset: number;
  readonly bytes: readonly number[];
  readonly container: Container;
  /** A further test, for formats that other bytes decide as well. */
  readonly confirm?: (head: Uint8Array) => boolean;
}

const UNPACK = "Unpack it and pass the files inside.";
const RECOMPRESS = "Decompress it, or compress it again with gzip or zstd.";
const CONVERT = "Export or convert it to Parquet, CSV or newline-delimited JSON.";

/** The first match counts. Values are from the specification of each format. */
const signatures: readonly Signature[] = [
  signature([0x1f, 0x8b], { kind: "codec", codec: "gzip" }),
  signature([0x28, 0xb5, 0x2f, 0xfd], { kind: "codec", codec: "zstd" }),
  // A zstd file may begin with one of sixteen kinds of skippable frames.
  {
    ...signature([0x2a, 0x4d, 0x18], { kind: "codec", codec: "zstd" }, 1),
    confirm: ([first = 0]) => first >= 0x50 && first <= 0x5f,
  },
  signature("PK\x03\x04", { kind: "zip" }),
  signature("PK\x05\x06", { kind: "zip" }),
  unsupported("PK\x07\x08", "part of a zip that was split over several files", "Join the parts."),
  { ...signature("ustar", { kind: "tar" }, 257), confirm: isBinary },
  unsupported("1AY&SY", "compressed with bzip2", RECOMPRESS, 4),
  unsupported([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00], "compressed with xz", RECOMPRESS),
  unsupported("7z\xbc\xaf\x27\x1c", "a 7-Zip archive", UNPACK),
  unsupported("Rar!\x1a\x07", "a RAR archive", UNPACK),
  unsupported([0x04, 0x22, 0x4d, 0x18], "compressed with LZ4", RECOMPRESS),
  unsupported([0x02, 0x21, 0x4c, 0x18], "compressed with LZ4", RECOMPRESS),
  unsupported("\x89LZO\x00\r\n\x1a\n", "compressed with LZO", RECOMPRESS),
  unsupported("\xff\x06\x00\x00sNaPpY", "compressed with Snappy", RECOMPRESS),
  unsupported("LZIP\x01", "compressed with lzip", RECOMPRESS),
  unsupported([0x1f, 0x9d], "compressed with compress (.Z)", RECOMPRESS),
  unsupported([0x78, 0x01], "a bare zlib stream", RECOMPRESS),
  unsupported([0x78, 0x5e], "a bare zlib stream", RECOMPRESS),
  unsupported([0x78, 0x9c], "a bare zlib stream", RECOMPRESS),
  unsupported([0x78, 0xda], "a bare zlib stream", RECOMPRESS),
  unsupported("ORC", "an ORC file", CONVERT),
  unsupported("ARROW1\x00\x00", "an Arrow IPC file", CONVERT),
  unsupported("SQLite format 3\x00", "an SQLite database", CONVERT),
  unsupported("DUCK", "a DuckDB database", CONVERT, 8),
  unsupported([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1], "an old Office file", CONVERT),
  unsupported("%PDF-", "a PDF", CONVERT),
];

/** The record at the end of a zip, without its comment. */
const END_RECORD_BYTES = 22;
const END_RECORD_SIGNATURE = 0x06054b50;

/** Bytes that decide whether a file is binary; more do not change the result. */
export const CONTAINER_PROBE_BYTES = 1024;

/** Identifies a container by its first bytes alone; null for text and Parquet. */
export function identifyContainer(head: Uint8Array): Container | null {
  const container = signatures.find((candidate) => matches(head, candidate))?.container;
  if (container === undefined) return null;
  // Some signatures are words that a text may begin with, too: a column named ORC.
  if (container.kind === "unsupported" && !isBinary(head.subarray(0, CONTAINER_PROBE_BYTES))) {
    return null;
  }
  return container;
}

/**
 * Returns whether a file ends like a zip without a comment, whatever its first bytes are: a
 * self-extracting archive, or a zip appended to something. `tail`: the last bytes of the file.
 */
export function endsAsZip(tail: Uint8Array): boolean {
  if (tail.length < END_RECORD_BYTES) return false;
  const end = Buffer.from(tail.subarray(-END_RECORD_BYTES));
  return end.readUInt32LE(0) === END_RECORD_SIGNATURE && end.readUInt16LE(20) === 0;
}

/** True if the bytes hold control characters that no text has. */
export function isBinary(head: Uint8Array): boolean {
  return head.some((byte) => byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d);
}

function matches(head: Uint8Array, { offset, bytes, confirm }: Signature): boolean {
  return (
    head.length >= offset + bytes.length &&
    bytes.every((byte, index) => head[offset + index] === byte) &&
    (confirm?.(head) ?? true)
  );
}

function signature(bytes: string | readonly number[], container: Container, offset = 0): Signature {
  const values = typeof bytes === "string" ? [...Buffer.from(bytes, "latin1")] : bytes;
  return { offset, bytes: values, container };
}

function unsupported(
  bytes: string | readonly number[],
  what: string,
  advice: string,
  offset = 0,
): Signature {
  return signature(bytes, { kind: "unsupported", what, advice }, offset);
}

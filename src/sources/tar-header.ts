import { corrupt, unsupported } from "./source-errors.js";

/** Headers and contents begin at multiples of this. */
const TAR_BLOCK_BYTES = 512;

/** A long name or a set of extended facts; larger ones are of no tar that somebody made on purpose. */
const FACTS_BYTES_MAX = 1 << 20;

/** A header as it lies in the archive (POSIX.1-2001 ustar, and GNU). */
interface TarHeader {
  readonly name: string;
  /** Length of the content after the header. */
  readonly bytes: number;
  /** One character: the kind of the member. */
  readonly type: string;
}

/** A file in a tar. */
export interface TarMember {
  readonly name: string;
  /** Bytes of the archive before its content. */
  readonly offset: number;
  readonly size: number;
}

/** Reads an archive from its beginning to its end. */
export interface TarBytes {
  /** Returns all these bytes. Throws `SourceError` if the archive ends before. */
  read(count: number): Promise<Buffer>;
  skipTo(position: number): Promise<void>;
  readonly position: number;
}

/**
 * Returns the files of a tar one after the other; the caller may read the content of the last one.
 * Directories and links are left out. Throws `source_corrupt`, `source_truncated` or `source_unsupported`.
 */
export async function* readTarMembers(archive: string, bytes: TarBytes): AsyncGenerator<TarMember> {
  // Headers of these kinds are about the next file.
  let facts: { readonly path?: string; readonly size?: number } = {};
  for (;;) {
    const block = await bytes.read(TAR_BLOCK_BYTES);
    if (block.every((byte) => byte === 0)) return;
    const header = parseHeader(archive, block, bytes.position - TAR_BLOCK_BYTES);
    const offset = bytes.position;
    const size = facts.size ?? header.bytes;
    switch (header.type) {
      case "L":
        facts = { ...facts, path: textOf(await readFacts(archive, bytes, header)) };
        break;
      case "x":
        facts = { ...facts, ...parseFacts(archive, await readFacts(archive, bytes, header)) };
        break;
      case "0":
      case "\0":
      case "7":
        if (!header.name.endsWith("/") || facts.path !== undefined)
          yield { name: (facts.path ?? header.name).replace(/^(\.\/)+/, ""), offset, size };
        facts = {};
        break;
      case "S":
        throw unsupported(archive, "a tar with sparse files", "Pack it without --sparse.");
      case "M":
        throw unsupported(archive, "part of a tar that was split over several files", "Join them.");
      default:
        // Facts about the whole archive or long targets of links; links, directories, devices.
        if (!"gK".includes(header.type)) facts = {};
    }
    const isFile = ["0", "\0", "7"].includes(header.type);
    await bytes.skipTo(offset + roundUp(isFile ? size : header.bytes));
  }
}

function roundUp(bytes: number): number {
  return Math.ceil(bytes / TAR_BLOCK_BYTES) * TAR_BLOCK_BYTES;
}

/** The checksum counts its own field as spaces. */
function hasChecksum(block: Buffer): boolean {
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0);
  return sum === numberIn(block.subarray(148, 156));
}

function parseHeader(archive: string, block: Buffer, byte: number): TarHeader {
  if (!hasChecksum(block)) throw corrupt(archive, "the tar has a damaged header", { byte });
  const bytes = numberIn(block.subarray(124, 136));
  if (!Number.isSafeInteger(bytes))
    throw corrupt(archive, "a size in the tar is damaged", { byte });
  const isPosix = block.toString("latin1", 257, 263) === "ustar\0";
  const prefix = isPosix ? textOf(block.subarray(345, 500)) : "";
  const own = textOf(block.subarray(0, 100));
  const name = prefix === "" ? own : `${prefix}/${own}`;
  return { name, bytes, type: block.toString("latin1", 156, 157) };
}

/** Returns a number: octal digits, or binary if the first bit is set. */
function numberIn(field: Buffer): number {
  const first = field[0] ?? 0;
  if (first < 0x80) {
    const digits = field.toString("latin1").replaceAll(/[\0 ]/g, "");
    return /^[0-7]*$/.test(digits) ? Number.parseInt(digits || "0", 8) : Number.NaN;
  }
  return field.reduce((total, byte, at) => total * 256 + (at === 0 ? byte & 0x7f : byte), 0);
}

function textOf(field: Buffer): string {
  const end = field.indexOf(0);
  return field.toString("utf8", 0, end === -1 ? field.length : end);
}

async function readFacts(archive: string, bytes: TarBytes, header: TarHeader): Promise<Buffer> {
  if (header.bytes > FACTS_BYTES_MAX)
    throw corrupt(archive, "the tar has a name of more than 1 MiB", { byte: bytes.position });
  return bytes.read(header.bytes);
}

/** Parses records of the form `<length> <key>=<value>\n`. */
function parseFacts(archive: string, records: Buffer): { path?: string; size?: number } {
  const facts: { path?: string; size?: number } = {};
  for (let start = 0; start < records.length; ) {
    const space = records.indexOf(0x20, start);
    const length = Number(records.toString("latin1", start, Math.max(start, space)));
    if (space === -1 || !(length > space - start))
      throw corrupt(archive, "the tar has damaged facts", {});
    const record = records.toString("utf8", space + 1, start + length - 1);
    const equals = record.indexOf("=");
    const [key, value] = [record.slice(0, equals), record.slice(equals + 1)];
    if (key.startsWith("GNU.sparse"))
      throw unsupported(archive, "a tar with sparse files", "Pack it without --sparse.");
    if (key === "path") facts.path = value;
    if (key === "size") facts.size = Number(value);
    start += length;
  }
  return facts;
}

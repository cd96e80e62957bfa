import { fstatSync, readSync } from "node:fs";
import * as yauzl from "yauzl";
import { DECODE_CHUNK_BYTES } from "../base/limits.js";
import type { ZipEntry } from "./source.js";
import { corrupt, truncated, unsupported } from "./source-errors.js";
import { HEADER_BYTES, type ReadAt, readHeaders, readZipEnd, type ZipEnd } from "./zip-end.js";

/** An entry as the central directory describes it, not yet checked. */
export interface DirectoryEntry extends ZipEntry {
  readonly encrypted: boolean;
}

/** Bytes of a local file header without name and extra field. */
const LOCAL_HEADER_BYTES = 30;

/** The general purpose bits that matter (APPNOTE 4.4.4). */
const flags = { encrypted: 1, strongEncryption: 0x40 } as const;

/** The extra field with 64-bit sizes and offsets (APPNOTE 4.5.3). */
const ZIP64_FIELD = 1;

/**
 * Reads the central directory of a zip, in its order, without entries for directories. Supports zip64
 * and more than 65,535 entries. Throws `source_corrupt` for an unreadable directory, for one that has
 * other entries than the zip's end says, and for overlapping entries.
 */
export function readZipDirectory(archive: string, descriptor: number): readonly DirectoryEntry[] {
  const read = createReader(archive, descriptor);
  const end = readEnd(archive, descriptor, read);
  const entries = readHeaders(archive, end, read)
    .map((header, index) => describeEntry(archive, header, index))
    .filter(({ name }) => !name.endsWith("/"));
  refuseOverlaps(archive, entries);
  return entries;
}

/** Reads the end records of a zip. Throws `SourceError` for a file without any. */
export function readEnd(
  archive: string,
  descriptor: number,
  read: ReadAt = createReader(archive, descriptor),
): ZipEnd {
  return readZipEnd(archive, fstatSync(descriptor).size, read);
}

function describeEntry(archive: string, header: Buffer, index: number): DirectoryEntry {
  const bits = header.readUInt16LE(8);
  if ((bits & flags.strongEncryption) !== 0) {
    throw unsupported(archive, "a zip with strong encryption", "Decrypt it, or unpack it.");
  }
  const nameEnd = HEADER_BYTES + header.readUInt16LE(28);
  const rawName = header.subarray(HEADER_BYTES, nameEnd);
  const fields = readExtraFields(archive, header, nameEnd);
  const long = fields.find(({ id }) => id === ZIP64_FIELD)?.data ?? Buffer.alloc(0);
  let used = 0;
  // The extra field has only the values that are too large for the header, in this order.
  const [uncompressedSize = 0, compressedSize = 0, localHeaderOffset = 0] = [24, 20, 42].map(
    (offset) => {
      const value = header.readUInt32LE(offset);
      if (value !== 0xffff_ffff) return value;
      used += 8;
      if (used > long.length) throw corrupt(archive, "the zip lacks a 64-bit size or offset", {});
      return Number(long.readBigUInt64LE(used - 8));
    },
  );
  return {
    name: yauzl.getFileNameLowLevel(bits, rawName, fields, false),
    index,
    localHeaderOffset,
    compressedSize,
    uncompressedSize,
    method: header.readUInt16LE(10),
    crc32: header.readUInt32LE(16),
    encrypted: (bits & flags.encrypted) !== 0,
  };
}

function readExtraFields(archive: string, header: Buffer, start: number) {
  const bytes = header.subarray(start, start + header.readUInt16LE(30));
  try {
    return yauzl.parseExtraFields(bytes);
  } catch (cause) {
    throw corrupt(archive, "the directory of the zip has a damaged extra field", { cause });
  }
}

/**
 * Refuses entries that share compressed bytes: together they are a bomb although each looks harmless.
 * See D. Fifield, "A better zip bomb" (2019).
 */
function refuseOverlaps(archive: string, entries: readonly DirectoryEntry[]): void {
  const placed = [...entries].sort((a, b) => a.localHeaderOffset - b.localHeaderOffset);
  let end = 0;
  for (const { name, localHeaderOffset, compressedSize } of placed) {
    if (localHeaderOffset < end) {
      const what = `the zip entry ${JSON.stringify(name)} overlaps the one before it`;
      throw corrupt(archive, what, {});
    }
    end = localHeaderOffset + LOCAL_HEADER_BYTES + compressedSize;
  }
}

/**
 * Explains what is dangerous about an entry's name, in words that follow "it"; null if nothing is. No
 * entry is unpacked by its name, but names reach reports and manifests.
 */
export function explainUnsafeName(name: string): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  if (/[\u0000-\u001f\u007f]/.test(name)) return "holds control characters";
  if (name.startsWith("/")) return "is an absolute path";
  if (/^[a-z]:/i.test(name)) return "begins with a drive letter";
  if (name.split("/").includes("..")) return "climbs out of the archive";
  return null;
}

/** Serves many small reads of the directory from large ones. */
function createReader(archive: string, descriptor: number): ReadAt {
  const buffer = Buffer.allocUnsafe(DECODE_CHUNK_BYTES);
  let start = 0;
  let length = 0;
  return (position, count) => {
    const target = Buffer.allocUnsafe(count);
    for (let done = 0; done < count; ) {
      const from = position + done - start;
      if (from < 0 || from >= length) {
        start = position + done;
        length = readSync(descriptor, buffer, 0, buffer.length, start);
        if (length === 0) throw truncated(archive, "the directory of the zip", {});
        continue;
      }
      done += buffer.copy(target, done, from, length);
    }
    return target;
  };
}

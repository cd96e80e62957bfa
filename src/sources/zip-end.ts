import type { SourceError } from "../base/errors.js";
import { sum } from "../base/sum.js";
import { corrupt, truncated, unsupported } from "./source-errors.js";

/** The central directory of a zip, as the records at the zip's end describe it (APPNOTE 4.3). */
export interface ZipEnd {
  readonly directoryStart: number;
  /** The byte at which the first end record begins. */
  readonly directoryEnd: number;
  /** Entries of the directory; without zip64 only the low 16 bits. */
  readonly entryCount: number;
  readonly isZip64: boolean;
}

/** Reads exactly `length` bytes at `position`; throws if the file ends before. */
export type ReadAt = (position: number, length: number) => Buffer;

const END_BYTES = 22;
const COMMENT_BYTES_MAX = 0xffff;
const LOCATOR_BYTES = 20;
const END64_BYTES = 56;
/** Bytes of an entry in the directory without name, extra field and comment. */
export const HEADER_BYTES = 46;

const signatures = {
  end: 0x06054b50,
  locator: 0x07064b50,
  end64: 0x06064b50,
  header: 0x02014b50,
  digitalSignature: 0x05054b50,
} as const;

/** Reads the end records. Throws `source_truncated` if the file has none. */
export function readZipEnd(archive: string, size: number, read: ReadAt): ZipEnd {
  const tail = readTail(size, read);
  const at = tail.lastIndexOf(Buffer.from("PK\x05\x06"), tail.length - END_BYTES);
  if (at < 0 || tail.length < END_BYTES) {
    throw truncated(archive, "the zip (its directory, which is at its end, is missing)", {});
  }
  const end = tail.subarray(at);
  if (end.length !== END_BYTES + end.readUInt16LE(20)) {
    const what = "the zip does not end where its last record says: bytes are missing or follow it";
    throw corrupt(archive, what, {});
  }
  const endStart = size - end.length;
  const locator = at < LOCATOR_BYTES ? undefined : tail.subarray(at - LOCATOR_BYTES, at);
  if (locator?.readUInt32LE(0) === signatures.locator) {
    return readEnd64(archive, { locator, locatorStart: endStart - LOCATOR_BYTES }, read);
  }
  refuseDisks(archive, end.readUInt16LE(4));
  return checkPlace(archive, {
    directoryStart: end.readUInt32LE(16),
    directoryEnd: endStart,
    directoryBytes: end.readUInt32LE(12),
    entryCount: end.readUInt16LE(10),
    isZip64: false,
  });
}

function readTail(size: number, read: ReadAt): Buffer {
  const length = Math.min(size, LOCATOR_BYTES + END_BYTES + COMMENT_BYTES_MAX);
  return read(size - length, length);
}

interface Located {
  readonly locator: Buffer;
  readonly locatorStart: number;
}

function readEnd64(archive: string, { locator, locatorStart }: Located, read: ReadAt): ZipEnd {
  refuseDisks(archive, Math.max(locator.readUInt32LE(4), locator.readUInt32LE(16) - 1));
  const start = Number(locator.readBigUInt64LE(8));
  const end = read(start, END64_BYTES);
  const ends = [start + END64_BYTES, start + 12 + Number(end.readBigUInt64LE(4))];
  if (end.readUInt32LE(0) !== signatures.end64 || !ends.includes(locatorStart)) {
    const what =
      "the zip64 record of the zip is not where its end says: bytes were added or removed";
    throw corrupt(archive, `${what}, or two zips were joined`, {});
  }
  refuseDisks(archive, end.readUInt32LE(16));
  return checkPlace(archive, {
    directoryStart: Number(end.readBigUInt64LE(48)),
    directoryEnd: start,
    directoryBytes: Number(end.readBigUInt64LE(40)),
    entryCount: Number(end.readBigUInt64LE(32)),
    isZip64: true,
  });
}

function refuseDisks(archive: string, disk: number): void {
  if (disk === 0) return;
  const what = "part of a zip that was split over several files";
  throw unsupported(archive, what, "Join the parts (zip -s 0), or unpack them.");
}

/** Two joined zips, or a zip with bytes put in or taken out, would otherwise lose entries. */
function checkPlace(archive: string, end: ZipEnd & { readonly directoryBytes: number }): ZipEnd {
  const { directoryBytes, ...checked } = end;
  const recordedEnd = checked.directoryStart + directoryBytes;
  if (recordedEnd === checked.directoryEnd) return checked;
  const what =
    `the directory of the zip ends at byte ${recordedEnd} by its end record, which is at byte ` +
    `${checked.directoryEnd}: bytes were added or removed, or two zips were joined`;
  throw corrupt(archive, what, {});
}

/**
 * Returns the entries of the directory, each from its signature to the end of its comment, compared
 * with the count of the end record, which writers without zip64 wrap at 65,536. Throws
 * `source_corrupt` for any other difference.
 */
export function readHeaders(archive: string, end: ZipEnd, read: ReadAt): readonly Buffer[] {
  let position = end.directoryStart;
  const headers: Buffer[] = [];
  while (position + HEADER_BYTES <= end.directoryEnd) {
    const fixed = read(position, HEADER_BYTES);
    const signature = fixed.readUInt32LE(0);
    if (signature === signatures.digitalSignature) break;
    if (signature !== signatures.header) throw unreadable(archive, position);
    const variable = sum([28, 30, 32], (offset) => fixed.readUInt16LE(offset));
    headers.push(read(position, HEADER_BYTES + variable));
    position += HEADER_BYTES + variable;
  }
  if (position < end.directoryEnd) position = passSignature(end, position, read);
  if (position !== end.directoryEnd) throw unreadable(archive, position);
  const count = headers.length;
  if ((end.isZip64 ? count : count % 0x1_0000) === end.entryCount) return headers;
  const what = `the directory of the zip has ${count} entries, but its end record says ${end.entryCount}`;
  throw corrupt(archive, what, {});
}

/** Returns where a digital signature at `position` ends; `position` if there is none. */
function passSignature(end: ZipEnd, position: number, read: ReadAt): number {
  if (end.directoryEnd - position < 6) return position;
  const start = read(position, 6);
  if (start.readUInt32LE(0) !== signatures.digitalSignature) return position;
  return position + 6 + start.readUInt16LE(4);
}

function unreadable(archive: string, position: number): SourceError {
  return corrupt(archive, `the directory of the zip is damaged at byte ${position}`, {});
}

import { crc32 } from "node:zlib";
import { SourceError } from "../base/errors.js";
import { isObjectUrl } from "../store/object-url.js";
import type { ByteSource } from "./byte-source.js";
import { FileBytes, InputFileHandle } from "./file-bytes.js";
import { fetchObject, ObjectBytes, type ObjectOptions } from "./object-bytes.js";
import type { SourceBytes, ZipEntry } from "./source.js";
import { corrupt, truncated, withAltered } from "./source-errors.js";
import { WrappedBytes } from "./wrapped-bytes.js";

const LOCAL_HEADER_SIGNATURE = 0x04034b50;
const LOCAL_HEADER_BYTES = 30;

/** Compression methods of zip entries (APPNOTE 4.4.5). */
export const zipMethods = { stored: 0, deflate: 8, zstd: 93 } as const;

/** Opens the bytes of an entry as stored in the zip, compressed. */
export async function openEntryData(
  source: SourceBytes,
  entry: ZipEntry,
  options: ObjectOptions,
): Promise<ByteSource> {
  const header = Buffer.alloc(LOCAL_HEADER_BYTES);
  const { localHeaderOffset: position } = entry;
  if (isObjectUrl(source.path)) {
    // The headers and data of all entries were in the listed object when its directory was read.
    await fetchObject(
      source,
      { start: position, end: position + header.length },
      options,
      (bytes, at) => {
        header.set(bytes, at - position);
      },
    );
    const start = dataStartOf(source.name, header, entry);
    const end = start + entry.compressedSize;
    return new ObjectBytes(source, { start, end, expectedEnd: end }, options);
  }
  const handle = new InputFileHandle(source);
  try {
    handle.readFully(header, position, "the zip");
    const start = dataStartOf(source.name, header, entry);
    const end = start + entry.compressedSize;
    if (end > handle.size) throw truncated(source.name, "the zip", {});
    return new FileBytes(source, handle, start, end, options.signal);
  } catch (error) {
    handle.close();
    throw error;
  }
}

/** Returns the first byte of an entry's data, after the local header of variable length. */
function dataStartOf(source: string, header: Buffer, { localHeaderOffset }: ZipEntry): number {
  if (header.readUInt32LE(0) !== LOCAL_HEADER_SIGNATURE) {
    throw corrupt(source, "the zip has no entry where its directory says so", {});
  }
  const variable = header.readUInt16LE(26) + header.readUInt16LE(28);
  return localHeaderOffset + LOCAL_HEADER_BYTES + variable;
}

/** An entry's decompressed bytes, checked against the size and the CRC-32 of the central directory. */
export class CheckedEntryBytes extends WrappedBytes {
  #given = 0;
  #crc = 0;
  /** True if there are more bytes than the directory says; the expected ones come out first. */
  #over = false;

  /** Owns `bytes` from now on. */
  constructor(
    private readonly source: string,
    bytes: ByteSource,
    private readonly entry: ZipEntry,
  ) {
    super(bytes);
  }

  async read(target: Uint8Array): Promise<number> {
    const { uncompressedSize } = this.entry;
    const count = this.#over ? 0 : await this.#readBelow(target);
    const allowed = Math.min(count, uncompressedSize - this.#given);
    this.#over ||= allowed < count;
    if (allowed === 0) {
      this.#checkEnd();
      return 0;
    }
    this.#crc = crc32(target.subarray(0, allowed), this.#crc);
    this.#given += allowed;
    return allowed;
  }

  /** If data breaks before its checksum could be compared, all of it may be altered. */
  async #readBelow(target: Uint8Array): Promise<number> {
    try {
      return await this.bytes.read(target);
    } catch (error) {
      if (!(error instanceof SourceError) || error.code !== "source_corrupt") throw error;
      const { uncompressedSize, crc32: expected } = this.entry;
      const isSound = this.#given === uncompressedSize && this.#crc === expected;
      throw withAltered(error, isSound ? undefined : 0);
    }
  }

  #checkEnd(): void {
    const { uncompressedSize, crc32: expected } = this.entry;
    if (this.#over || this.#given < uncompressedSize) {
      const relation = this.#over ? "more" : "fewer";
      this.#fail(`${relation} bytes than the ${uncompressedSize} of the zip's directory`);
    }
    if (this.#crc !== expected) {
      this.#fail(`checksum ${hexadecimal(this.#crc)} instead of ${hexadecimal(expected)}`);
    }
  }

  #fail(detail: string): never {
    throw corrupt(this.source, `the zip entry is damaged (${detail})`, {
      byte: this.#given,
      alteredFrom: 0,
    });
  }
}

function hexadecimal(checksum: number): string {
  return checksum.toString(16).padStart(8, "0");
}

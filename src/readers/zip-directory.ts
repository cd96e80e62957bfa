import { fstatSync, readSync } from "node:fs";
import * as yauzl from "yauzl";
import type { SourceError } from "../base/errors.js";
import { DECODE_CHUNK_BYTES } from "../base/limits.js";
import type { ZipEntry } from "./source.js";
import { corrupt, truncated } from "./source-errors.js";

/** An entry as the central directory describes it, not yet checked. */
export interface DirectoryEntry extends ZipEntry {
  readonly encrypted: boolean;
}

/** Bytes of a local file header without name and extra field. */
const LOCAL_HEADER_BYTES = 30;

/**
 * Reads the central directory of a zip, in its order, without entries for directories. Supports zip64
 * and more than 65,535 entries. Throws `source_corrupt` for an unreadable directory and for overlapping
 * entries.
 */
export async function readZipDirectory(
  archive: string,
  descriptor: number,
): Promise<readonly DirectoryEntry[]> {
  const entries: DirectoryEntry[] = [];
  let index = 0;
  try {
    const reader = new BufferedReader(descriptor);
    const zip = await yauzl.fromRandomAccessReaderPromise(reader, fstatSync(descriptor).size, {
      decodeStrings: false,
      validateEntrySizes: false,
    });
    for await (const entry of zip.eachEntry()) {
      const found = describeEntry(entry, index);
      if (!found.name.endsWith("/")) entries.push(found);
      index += 1;
    }
  } catch (error) {
    throw explainDirectory(archive, error);
  }
  refuseOverlaps(archive, entries);
  return entries;
}

/** Replaces two long messages of the library, which guess at causes. */
function explainDirectory(archive: string, cause: unknown): SourceError {
  const detail = cause instanceof Error ? cause.message : String(cause);
  if (detail.startsWith("End of central directory record signature not found")) {
    return truncated(archive, "the zip (its directory, which stands at its end, is not there)", {
      cause,
    });
  }
  if (detail.startsWith("Invalid comment length")) {
    const what = "the zip does not end where its last record says: bytes are missing or follow it";
    return corrupt(archive, what, { cause });
  }
  return corrupt(archive, `the directory of the zip cannot be read (${detail})`, { cause });
}

function describeEntry(entry: yauzl.Entry, index: number): DirectoryEntry {
  const flags = entry.generalPurposeBitFlag;
  return {
    name: yauzl.getFileNameLowLevel(flags, entry.fileNameRaw, entry.extraFields, false),
    index,
    localHeaderOffset: entry.relativeOffsetOfLocalHeader,
    compressedSize: entry.compressedSize,
    uncompressedSize: entry.uncompressedSize,
    method: entry.compressionMethod,
    crc32: entry.crc32,
    encrypted: entry.isEncrypted(),
  };
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

/** Serves yauzl's many small reads of the central directory from large ones. */
class BufferedReader extends yauzl.RandomAccessReader {
  readonly #buffer = Buffer.allocUnsafe(DECODE_CHUNK_BYTES);
  #start = 0;
  #length = 0;

  constructor(private readonly descriptor: number) {
    super();
  }

  override read(
    target: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    try {
      this.#copy(target.subarray(offset, offset + length), position);
    } catch (error) {
      callback(error as Error);
      return;
    }
    callback(null);
  }

  #copy(target: Buffer, position: number): void {
    let done = 0;
    while (done < target.length) {
      const from = position + done - this.#start;
      if (from < 0 || from >= this.#length) {
        this.#start = position + done;
        this.#length = readSync(this.descriptor, this.#buffer, 0, this.#buffer.length, this.#start);
        if (this.#length === 0) throw new Error("the file ends before its directory does");
        continue;
      }
      done += this.#buffer.copy(target, done, from, this.#length);
    }
  }
}

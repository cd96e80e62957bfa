import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach } from "vitest";
import type { ByteSource } from "../../src/sources/byte-source.js";
import { fileState, fingerprintFile } from "../../src/sources/fingerprint.js";
import type { OpenOptions } from "../../src/sources/read-options.js";
import type { Codec, SourceBytes } from "../../src/sources/source.js";
import { scratchDirectory } from "../support/scratch.js";

export const openOptions: OpenOptions = { ratioMax: 1_000, signal: new AbortController().signal };

/** A directory of its own for each test of the file that calls this. */
export function useScratchDirectory() {
  let directory = "";
  beforeEach(() => {
    directory = scratchDirectory("readers");
  });

  return {
    get directory() {
      return directory;
    },
    path: (name: string) => join(directory, name),
    write(name: string, content: Uint8Array | string): string {
      const path = join(directory, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      return path;
    },
    /** A file written and described as a plan has it. */
    source(name: string, content: Uint8Array | string, codecs: readonly Codec[] = []): SourceBytes {
      const path = this.write(name, content);
      const state = fileState(statSync(path));
      const fingerprint = fingerprintFile(state, [Buffer.from(content)]);
      return { name, path, codecs, size: state.size, fingerprint };
    },
  };
}

export interface ReadResult {
  readonly bytes: Buffer;
  /** The error that ended the reading, if there was one. */
  readonly error?: unknown;
}

/** Everything a byte source gives, with the error that it ends in; reads `size` bytes at a time. */
export async function drain(source: ByteSource, size = 65_536): Promise<ReadResult> {
  const chunks: Buffer[] = [];
  try {
    for (;;) {
      const target = new Uint8Array(size);
      const count = await source.read(target);
      if (count === 0) return { bytes: Buffer.concat(chunks) };
      chunks.push(Buffer.from(target.subarray(0, count)));
    }
  } catch (error) {
    return { bytes: Buffer.concat(chunks), error };
  } finally {
    await source.close();
  }
}

/** Bytes that compress about as well as an export does, the same for each `seed`. */
export function sampleBytes(length: number, seed = 1): Buffer {
  const lines: string[] = [];
  let state = seed;
  for (let size = 0; size < length; ) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    const line = `{"event_type":"page ${state % 97}","user_id":"u${state}","n":${state % 1000}}\n`;
    lines.push(line);
    size += line.length;
  }
  return Buffer.from(lines.join("")).subarray(0, length);
}

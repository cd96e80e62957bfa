import * as zlib from "node:zlib";
import { expect } from "vitest";
import { SourceError } from "../../src/base/errors.js";
import type { ByteSource } from "../../src/sources/byte-source.js";
import { InflateBytes } from "../../src/sources/inflate-bytes.js";
import { drain } from "../readers/scratch.js";
import { usedKernel } from "../support/used-kernel.js";

// Node's zlib is the oracle of the kernel.

export const kernel = usedKernel();
export const { signal } = new AbortController();

/** Bytes in memory, at most `step` at a time. */
export class Steps implements ByteSource {
  consumed = 0;

  constructor(
    private readonly content: Uint8Array,
    private readonly step: number,
  ) {}

  read(target: Uint8Array): number {
    const end = this.consumed + Math.min(target.length, this.step);
    const part = this.content.subarray(this.consumed, end);
    target.set(part);
    this.consumed += part.length;
    return part.length;
  }

  async close(): Promise<void> {}
}

type Codec = "gzip" | "deflate";

export function inflate(content: Uint8Array, codec: Codec, step = 65_536, size?: number) {
  const options = { name: "input", codec, signal };
  return drain(new InflateBytes(kernel, new Steps(content, step), options), size);
}

interface ZlibResult {
  readonly bytes: Buffer;
  /** The code of the error and words of its message, if there is one. */
  readonly fault?: readonly [code: string, words: string];
}

function inflateByZlib(content: Uint8Array, codec: Codec): ZlibResult {
  const decode = codec === "gzip" ? zlib.gunzipSync : zlib.inflateRawSync;
  const begin = (length: number) =>
    decode(content.subarray(0, length), { finishFlush: zlib.constants.Z_SYNC_FLUSH });
  try {
    // `info` is not in the types of Node.
    const { buffer, engine } = decode(content, { info: true } as zlib.ZlibOptions) as unknown as {
      buffer: Buffer;
      engine: { bytesWritten: number };
    };
    const isFollowed = content.subarray(engine.bytesWritten).some((byte) => byte !== 0);
    if (!isFollowed) return { bytes: buffer };
    return { bytes: buffer, fault: ["source_corrupt", "other bytes follow"] };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "Z_BUF_ERROR") {
      return { bytes: begin(content.length), fault: ["source_truncated", "stops in the middle"] };
    }
    const whole = bisect(content.length, (length) => begin(length));
    return { bytes: begin(whole), fault: ["source_corrupt", message] };
  }
}

/** The largest length that `attempt` takes without throwing; it takes 0, but not `limit`. */
function bisect(limit: number, attempt: (length: number) => void): number {
  let low = 0;
  let high = limit;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    try {
      attempt(middle);
      low = middle;
    } catch {
      high = middle;
    }
  }
  return low;
}

/** Bytes that one byte of input may stand for at most: eight symbols of one bit, each a match. */
const OF_ONE_BYTE = 8 * 258;

/**
 * Both give the same bytes and the same error if any. In front of damage the kernel gives a little more:
 * zlib keeps back what it decoded from the byte of input that the damage is in.
 */
export async function expectSame(content: Uint8Array, codec: Codec, step?: number, size?: number) {
  const ours = await inflate(content, codec, step, size);
  const theirs = inflateByZlib(content, codec);
  const more = ours.bytes.length - theirs.bytes.length;
  const isDamaged = theirs.fault?.[0] === "source_corrupt";
  expect(more).toBeGreaterThanOrEqual(0);
  expect(more).toBeLessThanOrEqual(isDamaged ? OF_ONE_BYTE : 0);
  expect(ours.bytes.subarray(0, theirs.bytes.length).equals(theirs.bytes)).toBe(true);
  const message = messageOf(ours.error);
  if (theirs.fault === undefined) return expect(message).toBe("no error");
  for (const words of theirs.fault) expect(message).toContain(words);
  expect(message).toContain(`byte ${ours.bytes.length}:`);
}

export function messageOf(error: unknown): string {
  if (error === undefined) return "no error";
  return error instanceof SourceError ? `${error.code} ${error.message}` : String(error);
}

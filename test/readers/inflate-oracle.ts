import { expect } from "vitest";
import { SourceError } from "../../src/base/errors.js";
import { Kernel } from "../../src/batch/kernel.js";
import type { ByteSource } from "../../src/readers/byte-source.js";
import { InflateBytes } from "../../src/readers/inflate-bytes.js";
import { ZlibBytes } from "../../src/readers/zlib-bytes.js";
import { drain } from "./scratch.js";

// Node's zlib as the oracle of the kernel.

export const kernel = new Kernel();
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
  return drain(new InflateBytes(kernel, "input", codec, new Steps(content, step), signal), size);
}

async function inflateByZlib(content: Uint8Array, codec: Codec) {
  const open = async () => new Steps(content, 65_536);
  return drain(await ZlibBytes.open({ name: "input", size: content.length }, codec, open, signal));
}

/** Bytes that one byte of input may stand for at most: eight symbols of one bit, each a match. */
const OF_ONE_BYTE = 8 * 258;

/**
 * Both give the same bytes and the same error if any. In front of damage the kernel gives a little more:
 * Node's zlib keeps back what it decoded from the byte of input that the damage is in.
 */
export async function expectSame(content: Uint8Array, codec: Codec, step?: number, size?: number) {
  const ours = await inflate(content, codec, step, size);
  const theirs = await inflateByZlib(content, codec);
  const more = ours.bytes.length - theirs.bytes.length;
  const isDamaged = messageOf(theirs.error).startsWith("source_corrupt");
  expect(more).toBeGreaterThanOrEqual(0);
  expect(more).toBeLessThanOrEqual(isDamaged ? OF_ONE_BYTE : 0);
  expect(ours.bytes.subarray(0, theirs.bytes.length).equals(theirs.bytes)).toBe(true);
  // Of 4,000 streams that damage ends early, Node's stream misses in one that bytes are left behind it.
  const isMissed =
    theirs.error === undefined && messageOf(ours.error).includes("other bytes follow");
  if (isMissed) return;
  const withoutPlace = (error: unknown) => messageOf(error).replace(/byte \d+/, "");
  expect(withoutPlace(ours.error)).toBe(withoutPlace(theirs.error));
  if (ours.error !== undefined) {
    expect(messageOf(ours.error)).toContain(`byte ${ours.bytes.length}:`);
  }
}

export function messageOf(error: unknown): string {
  if (error === undefined) return "no error";
  return error instanceof SourceError ? `${error.code} ${error.message}` : String(error);
}

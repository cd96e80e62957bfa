import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { hasCode } from "../base/errors.js";
import { DUPLICATES_LISTED_MAX } from "../base/limits.js";
import { toOutputError } from "../base/output-error.js";
import { bytesOf, type EventPlace, KeyDamage } from "./key-file.js";

/** The events of a split that repeat earlier ones, in order. */
export interface DropList {
  /** Ordinals among the delivered events of the split. */
  readonly ordinals: Uint32Array;
  /** A word of the digest of each. */
  readonly checks: Uint32Array;
  /** The positions of the events that stay, for the first `DUPLICATES_LISTED_MAX`. */
  readonly kept: readonly EventPlace[];
  /** SHA-256 of the list, in lower-case hexadecimal. */
  readonly digest: string;
}

export const noDrops: DropList = {
  ordinals: new Uint32Array(),
  checks: new Uint32Array(),
  kept: [],
  digest: "",
};

const DIGEST_BYTES = 32;

/** Returns the bytes of a drop file, and the digest of the list. */
export function encodeDrops({ ordinals, checks, kept }: Omit<DropList, "digest">): {
  readonly bytes: Uint8Array;
  readonly digest: string;
} {
  const head = new Uint32Array([ordinals.length]);
  const listed = Buffer.from(JSON.stringify(kept.slice(0, DUPLICATES_LISTED_MAX)));
  const body = Buffer.concat([...[head, ordinals, checks].map(bytesOf), listed]);
  const digest = createHash("sha256").update(body).digest();
  return { bytes: Buffer.concat([body, digest]), digest: digest.toString("hex") };
}

/** Returns the drop list of a file; an empty list if the file does not exist. Throws `KeyDamage`. */
export function readDrops(path: string): DropList {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return noDrops;
    throw toOutputError(path, error);
  }
  const body = bytes.subarray(0, Math.max(0, bytes.length - DIGEST_BYTES));
  const digest = createHash("sha256").update(body).digest();
  if (!digest.equals(bytes.subarray(body.length))) throw new KeyDamage(path, "is damaged");
  const count = body.readUInt32LE(0);
  const words = (from: number) =>
    new Uint32Array(new Uint8Array(body.subarray(from * 4, (from + count) * 4)).buffer);
  return {
    ordinals: words(1),
    checks: words(1 + count),
    kept: JSON.parse(body.subarray((1 + 2 * count) * 4).toString()) as readonly EventPlace[],
    digest: digest.toString("hex"),
  };
}

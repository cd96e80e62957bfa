import type { CsvDialect } from "../source.js";

/** Bytes of a head that are looked at for zeros: with so many, more do not change what is found. */
export const ENCODING_PROBE_BYTES = 4_096;

/** Of every second byte, the share of zeros that makes text UTF-16; other scripts have fewer. */
const ZEROS_SHARE_MIN = 0.4;
const OTHER_ZEROS_SHARE_MAX = 0.05;

/** By the byte order mark, else by the zero bytes that Latin letters and digits have in UTF-16. */
export function detectEncoding(head: Uint8Array): CsvDialect["encoding"] {
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le";
  if (head[0] === 0xfe && head[1] === 0xff) return "utf-16be";
  const length = Math.min(head.length, ENCODING_PROBE_BYTES) & ~1;
  let even = 0;
  let odd = 0;
  for (let p = 0; p < length; p += 2) {
    if (head[p] === 0) even++;
    if (head[p + 1] === 0) odd++;
  }
  const enough = (length / 2) * ZEROS_SHARE_MIN;
  const few = (length / 2) * OTHER_ZEROS_SHARE_MAX;
  if (odd > 0 && odd >= enough && even <= few) return "utf-16le";
  if (even > 0 && even >= enough && odd <= few) return "utf-16be";
  return "utf-8";
}

/** The head as UTF-8; a byte order mark stays. */
export function toUtf8(head: Uint8Array, encoding: CsvDialect["encoding"]): Uint8Array {
  if (encoding === "utf-8") return head;
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  return Buffer.from(decoder.decode(head.subarray(0, head.length & ~1)));
}

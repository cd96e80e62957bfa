// UUIDs of version 5 (RFC 9562): SHA-1 of a namespace and a name, which is the insert id of an event.

import { Column, KIND_NULL, KIND_STRING } from "../column";
import { writeInteger } from "../decimal";
import { delivered } from "./row-buffer";

/** af0c9671-96e5-5496-a429-797ad0122c68: version 5 of the URL namespace and `switchyard:insert-id`. */
const NAMESPACE: usize = memory.data<u8>([
  0xaf, 0x0c, 0x96, 0x71, 0x96, 0xe5, 0x54, 0x96, 0xa4, 0x29, 0x79, 0x7a, 0xd0, 0x12, 0x2c, 0x68,
]);
const NAMESPACE_BYTES: usize = 16;
const UUID_BYTES: usize = 36;
const WORDS: usize = memory.data(64, 16);
/** The digits of a sibling's number, before which a `#` is. */
const DIGITS: usize = memory.data(32, 16);

let h0: u32 = 0;
let h1: u32 = 0;
let h2: u32 = 0;
let h3: u32 = 0;
let h4: u32 = 0;
/** Bytes that were added; those of the last block that is not full are in WORDS. */
let total: usize = 0;

function begin(): void {
  h0 = 0x67452301;
  h1 = 0xefcdab89;
  h2 = 0x98badcfe;
  h3 = 0x10325476;
  h4 = 0xc3d2e1f0;
  total = 0;
}

function add(start: usize, length: usize): void {
  for (let i: usize = 0; i < length; i++) {
    store<u8>(WORDS + (total & 63), load<u8>(start + i));
    total++;
    if ((total & 63) == 0) compress();
  }
}

function end(): void {
  const bits = (<u64>total) << 3;
  let at = total & 63;
  store<u8>(WORDS + at++, 0x80);
  memory.fill(WORDS + at, 0, 64 - at);
  if (at > 56) {
    compress();
    memory.fill(WORDS, 0, 56);
  }
  store<u64>(WORDS, bswap<u64>(bits), 56);
  compress();
}

@inline
function word(i: i32): usize {
  return WORDS + ((<usize>(i & 15)) << 2);
}

/** Takes the block in WORDS, whose words are schedule words afterwards. */
function compress(): void {
  let a = h0;
  let b = h1;
  let c = h2;
  let d = h3;
  let e = h4;
  for (let i: i32 = 0; i < 80; i++) {
    let w: u32;
    if (i < 16) {
      w = bswap<u32>(load<u32>(word(i)));
    } else {
      const mixed =
        load<u32>(word(i - 3)) ^ load<u32>(word(i - 8)) ^ load<u32>(word(i - 14)) ^ load<u32>(word(i));
      w = rotl<u32>(mixed, 1);
    }
    store<u32>(word(i), w);
    let f: u32;
    if (i < 20) f = ((b & c) | (~b & d)) + 0x5a827999;
    else if (i < 40) f = (b ^ c ^ d) + 0x6ed9eba1;
    else if (i < 60) f = ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
    else f = (b ^ c ^ d) + 0xca62c1d6;
    const next = rotl<u32>(a, 5) + f + e + w;
    e = d;
    d = c;
    c = rotl<u32>(b, 30);
    b = a;
    a = next;
  }
  h0 += a;
  h1 += b;
  h2 += c;
  h3 += d;
  h4 += e;
}

/** Writes the lowest `digits` hexadecimal digits of a word. */
@inline
function writeHex(target: usize, value: u32, digits: i32): usize {
  for (let shift = (digits - 1) << 2; shift >= 0; shift -= 4) {
    const digit = (value >> shift) & 15;
    store<u8>(target++, <u8>(digit < 10 ? 0x30 + digit : 0x57 + digit));
  }
  return target;
}

@inline
function writeDash(target: usize): usize {
  store<u8>(target, 0x2d);
  return target + 1;
}

/**
 * Writes the UUIDs of the delivered rows [from, to) to `data`, 36 bytes for each row of the range,
 * and describes them in `target`; null for a row without insert id. `siblings` is 0 or the address
 * of a u32 for each row: its index among the events of one source row, which the name of the second
 * and later ones ends with, as `#1`.
 */
export function makeTimeUuids(
  outcomes: usize,
  insertIDs: usize,
  siblings: usize,
  from: i32,
  to: i32,
  target: usize,
  data: usize,
): void {
  const ids = changetype<Column>(insertIDs);
  const uuids = changetype<Column>(target);
  for (let row = from; row < to; row++) {
    if (!delivered(outcomes, row)) continue;
    if (ids.kind(row) == KIND_NULL) {
      uuids.set(row, KIND_NULL, data, 0);
      continue;
    }
    begin();
    add(NAMESPACE, NAMESPACE_BYTES);
    add(ids.start(row), ids.length(row));
    const sibling = siblings == 0 ? 0 : load<u32>(siblings + ((<usize>row) << 2));
    if (sibling > 0) {
      store<u8>(DIGITS, 0x23);
      add(DIGITS, writeInteger(DIGITS + 1, sibling) - DIGITS);
    }
    end();
    uuids.set(row, KIND_STRING, data, UUID_BYTES);
    let t = writeDash(writeHex(data, h0, 8));
    t = writeDash(writeHex(t, h1 >> 16, 4));
    t = writeDash(writeHex(t, (h1 & 0x0fff) | 0x5000, 4));
    t = writeDash(writeHex(t, ((h2 >> 16) & 0x3fff) | 0x8000, 4));
    t = writeHex(t, h2 & 0xffff, 4);
    data = writeHex(t, h3, 8);
  }
}

// Recognizes objects and arrays that look like an earlier one. The outline of a value is all of it
// except its plain values (strings, numbers, true, false, null): brackets, keys, colons and commas.
// The values of one member have few outlines. If an outline occurs again, byte for byte, with any
// plain values in between, the value is well-formed at any depth. Its keys and brackets need no
// separate check. In
//
//   {"plan":"free","items":[{"sku":7}]}
//
// there are three stretches, `{"plan":`, `,"items":[{"sku":` and `}]}`, with a plain value between
// each two. They hold no address of the data, so that they stay valid from batch to batch and from
// file to file.

import { plainNumberEnd, skipScalar, skipSpace, skipString, stopsIn } from "./json-value";
import { REMEMBERED_BYTES_MAX, difference, hasControl, remember } from "./remembered-bytes";

/** Consecutive values with another outline after which an outline is dropped. */
const MISSES_MAX: u32 = 3;

/** Values between two tries: doubled up to this by each failure. */
const PAUSE_MAX: u32 = 1_023;

/** The outline of values that begin alike: a header, then the stretches between plain values. */
@unmanaged
class Outline {
  /** Number of stretches; 0 if nothing is remembered. */
  stretches: u32;
  /** Levels that its brackets open. */
  levels: i32;
  misses: u32;
  /** Values until the next one is remembered. */
  wait: u32;
  pause: u32;

  @inline
  holds(): void {
    if (this.misses == 0) return;
    this.misses = 0;
    this.pause = 0;
  }

  differs(): void {
    if (++this.misses > MISSES_MAX) this.giveUp();
  }

  giveUp(): void {
    this.stretches = 0;
    this.pause = min(this.pause * 2 + 1, PAUSE_MAX);
    this.wait = this.pause;
  }
}

const HEADER_BYTES: usize = 32;

/** A u32, the number of significant bytes, and from here on the bytes. */
const STRETCH_HEADER_BYTES: usize = 16;
const STRETCH_BYTES: usize = STRETCH_HEADER_BYTES + REMEMBERED_BYTES_MAX;
const STRETCHES_MAX: u32 = 24;

const OUTLINE_BITS: u64 = 6;
const OUTLINE_BYTES: usize = HEADER_BYTES + <usize>STRETCHES_MAX * STRETCH_BYTES;
const outlines: usize = memory.data(124_928);

/** Returns the outline for values like the one at `p`, chosen by its first eight bytes. */
@inline
export function outlineOf(p: usize): Outline {
  const index = <usize>((load<u64>(p) * 0x9e3779b97f4a7c15) >> (64 - OUTLINE_BITS));
  return changetype<Outline>(outlines + index * OUTLINE_BYTES);
}

/** Returns the address after the plain value at `p`; 0 if it is not plain or is malformed. */
@inline
function plainValueEnd(p: usize, end: usize): usize {
  if (load<u8>(p) != 0x22) {
    const after = plainNumberEnd(p);
    return after != 0 ? after : skipScalar(p, end);
  }
  let close = p + 1;
  let stops = stopsIn(v128.load(close));
  while (stops == 0) {
    close += 16;
    if (close >= end) return 0;
    stops = stopsIn(v128.load(close));
  }
  close += <usize>ctz(stops);
  if (close >= end) return 0;
  if (load<u8>(close) == 0x22) return close + 1;
  close = skipString(p + 1, end);
  return close == 0 ? 0 : close + 1;
}

/**
 * Returns the address after the value at `p` if it has this outline and is well-formed. Otherwise
 * 0, and the value can be anything. Reads up to 64 bytes past `end`.
 */
export function passOutline(outline: Outline, p: usize, end: usize): usize {
  let stretch = changetype<usize>(outline) + HEADER_BYTES;
  const last = stretch + <usize>(outline.stretches - 1) * STRETCH_BYTES;
  while (true) {
    const length = <usize>load<u32>(stretch);
    if (p + length > end) return 0;
    if (v128.any_true(difference(stretch + STRETCH_HEADER_BYTES, p, length))) return 0;
    p += length;
    if (stretch == last) return p;
    p = plainValueEnd(p, end);
    if (p == 0) return 0;
    stretch += STRETCH_BYTES;
  }
}

/** Remembers the outline of a well-formed [start, end); only from time to time if values differ. */
export function noteOutline(outline: Outline, start: usize, end: usize): void {
  if (outline.wait != 0) {
    outline.wait--;
    return;
  }
  outline.misses = MISSES_MAX;
  if (!rememberOutline(outline, start, end)) outline.giveUp();
}

function rememberOutline(outline: Outline, start: usize, end: usize): bool {
  let open = 0;
  let from = start;
  outline.stretches = 0;
  outline.levels = 0;
  for (let p = start; p < end; ) {
    const c = <u32>load<u8>(p);
    if (c == 0x2c || c == 0x3a || c <= 0x20) {
      p++;
    } else if (c == 0x7b || c == 0x5b) {
      outline.levels = max(outline.levels, ++open);
      p++;
    } else if (c == 0x7d || c == 0x5d) {
      open--;
      p++;
    } else {
      const after = skipScalar(p, end);
      const isKey = c == 0x22 && load<u8>(skipSpace(after, end)) == 0x3a;
      if (!isKey) {
        if (!rememberStretch(outline, from, p)) return false;
        from = after;
      }
      p = after;
    }
  }
  return rememberStretch(outline, from, end);
}

function rememberStretch(outline: Outline, from: usize, to: usize): bool {
  const stretches = outline.stretches;
  const isLong = to - from > REMEMBERED_BYTES_MAX || stretches == STRETCHES_MAX;
  if (isLong || hasControl(from, to)) return false;
  const stretch = changetype<usize>(outline) + HEADER_BYTES + <usize>stretches * STRETCH_BYTES;
  store<u32>(stretch, <u32>(to - from));
  remember(stretch + STRETCH_HEADER_BYTES, from);
  outline.stretches = stretches + 1;
  return true;
}

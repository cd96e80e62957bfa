// Strict JSON (RFC 8259) over bytes. UTF-8 is not checked here: see validateUtf8. Reads may run up
// to 31 bytes past `end`, which every allocation allows; bytes there never affect the result.

/** Set by skipString: true if the string has an escape. */
export let escaped: bool = false;
/** Set when a function returns 0: true if the depth was the reason. */
export let tooDeep: bool = false;
/** Set when a function returns 0: the position of the fault. */
export let faultAt: usize = 0;
/** Set when white space with a line feed was skipped; the reader of it resets it. */
export let lineFeed: bool = false;

/** Records the position of a fault and returns 0, the sign of failure. */
export function markFault(at: usize): usize {
  faultAt = at;
  tooDeep = false;
  return 0;
}

export function markTooDeep(at: usize): usize {
  faultAt = at;
  tooDeep = true;
  return 0;
}

export function resetLineFeed(): void {
  lineFeed = false;
}

/** Returns the address of the first byte in [p, end) that is not JSON white space, or `end`. */
export function skipSpace(p: usize, end: usize): usize {
  while (p < end) {
    const c = load<u8>(p);
    if (c == 0x0a) lineFeed = true;
    else if (c != 0x20 && c != 0x0d && c != 0x09) break;
    p++;
  }
  return p;
}

@inline
function hexDigit(c: u32): i32 {
  if (c - 0x30 < 10) return <i32>(c - 0x30);
  const lower = c | 0x20;
  if (lower - 0x61 < 6) return <i32>(lower - 0x61 + 10);
  return -1;
}

/** Returns the four hexadecimal digits at `p` as a number, or -1. */
export function hex4(p: usize): i32 {
  const a = hexDigit(load<u8>(p));
  const b = hexDigit(load<u8>(p, 1));
  const c = hexDigit(load<u8>(p, 2));
  const d = hexDigit(load<u8>(p, 3));
  if ((a | b | c | d) < 0) return -1;
  return (a << 12) | (b << 8) | (c << 4) | d;
}

/** Returns a bit for each of the sixteen bytes that is a quote, a `\\` or a control character. */
@inline
export function stopsIn(v: v128): i32 {
  // Flipping bit 1 puts the quote (0x22) at 0x20, next to the controls: one comparison for both.
  const flipped = v128.xor(v, i8x16.splat(2));
  const low = i8x16.eq(i8x16.min_u(flipped, i8x16.splat(0x20)), flipped);
  return i8x16.bitmask(v128.or(low, i8x16.eq(v, i8x16.splat(0x5c))));
}

/** `skipString` with its most frequent cases inline: up to 32 bytes without escapes. */
@inline
export function skipStringFast(p: usize, end: usize): usize {
  let stops = stopsIn(v128.load(p));
  if (stops == 0) {
    stops = stopsIn(v128.load(p, 16));
    if (stops == 0) return skipString(p + 32, end);
    p += 16;
  }
  const close = p + <usize>ctz(stops);
  if (close < end && load<u8>(close) == 0x22) {
    escaped = false;
    return close;
  }
  return skipString(p, end);
}

/**
 * Returns the address of the closing quote of the string whose inside begins at `p`; 0 if it does
 * not end before `end`, or has a control character or a bad escape. Sets `escaped`.
 */
export function skipString(p: usize, end: usize): usize {
  escaped = false;
  while (true) {
    if (p >= end) return markFault(end);
    const stops = stopsIn(v128.load(p));
    if (stops == 0) {
      p += 16;
      continue;
    }
    p += <usize>ctz(stops);
    if (p >= end) return markFault(end);
    const c = load<u8>(p);
    if (c == 0x22) return p;
    if (c != 0x5c) return markFault(p);
    escaped = true;
    if (p + 1 >= end) return markFault(end);
    const e = load<u8>(p, 1);
    if (e == 0x75) {
      if (p + 6 > end || hex4(p + 2) < 0) return markFault(p);
      p += 6;
    } else {
      // " \ / b f n r t
      if (
        e != 0x22 && e != 0x5c && e != 0x2f && e != 0x62 &&
        e != 0x66 && e != 0x6e && e != 0x72 && e != 0x74
      ) return markFault(p);
      p += 2;
    }
  }
}

@inline
function isDigit(p: usize, end: usize): bool {
  return p < end && <u32>load<u8>(p) - 0x30 < 10;
}

/** Returns the first byte from `p` on that is not a digit, at most `end`; 16 bytes a step. */
@inline
function skipDigits(p: usize, end: usize): usize {
  do {
    const digits = i8x16.sub(v128.load(p), i8x16.splat(0x30));
    const others = i8x16.bitmask(i8x16.gt_u(digits, i8x16.splat(9)));
    if (others != 0) return min(p + <usize>ctz(others), end);
    p += 16;
  } while (p < end);
  return end;
}

/** Returns a bit for each of the sixteen bytes at `p` that is not a digit. */
@inline
function nonDigits(p: usize): u32 {
  const digits = i8x16.sub(v128.load(p), i8x16.splat(0x30));
  return <u32>i8x16.bitmask(i8x16.gt_u(digits, i8x16.splat(9)));
}

/**
 * Returns the address after a number of up to fifteen digits and point, or up to 31 digits, if a
 * comma or a closing bracket follows. 0 for longer ones, those with an exponent, and malformed
 * ones. Reads 33 bytes and ignores the end of the data: the result may be beyond it.
 */
@inline
export function plainNumberEnd(start: usize): usize {
  let p = load<u8>(start) == 0x2d ? start + 1 : start;
  const stops = nonDigits(p);
  if (load<u8>(p) == 0x30 && (stops & 2) == 0) return 0;
  if (stops == 0) {
    const later = nonDigits(p + 16);
    if (later == 0) return 0;
    p += 16 + <usize>ctz(later);
  } else {
    let length = <u32>ctz(stops);
    if (length == 0) return 0;
    if (load<u8>(p + <usize>length) == 0x2e) {
      const point = length;
      length = <u32>ctz(stops & (stops - 1));
      if (length > 15 || length == point + 1) return 0;
    }
    p += <usize>length;
  }
  const follower = <u32>load<u8>(p);
  return follower == 0x2c || follower == 0x7d || follower == 0x5d ? p : 0;
}

function skipNumber(start: usize, end: usize): usize {
  let p = start;
  if (load<u8>(p) == 0x2d) p++;
  if (!isDigit(p, end)) return markFault(p);
  if (load<u8>(p) == 0x30) {
    p++;
  } else {
    p = skipDigits(p + 1, end);
  }
  if (p < end && load<u8>(p) == 0x2e) {
    p++;
    if (!isDigit(p, end)) return markFault(p);
    p = skipDigits(p + 1, end);
  }
  if (p < end && (load<u8>(p) | 0x20) == 0x65) {
    p++;
    if (p < end && (load<u8>(p) == 0x2b || load<u8>(p) == 0x2d)) p++;
    if (!isDigit(p, end)) return markFault(p);
    p = skipDigits(p + 1, end);
  }
  return p;
}

/** Skips a value that is not an object or an array. */
export function skipScalar(p: usize, end: usize): usize {
  const c = load<u8>(p);
  if (c == 0x22) {
    const close = skipStringFast(p + 1, end);
    return close == 0 ? 0 : close + 1;
  }
  if (c == 0x6e) {
    if (p + 4 <= end && load<u32>(p) == 0x6c6c756e) return p + 4;
  } else if (c == 0x74) {
    if (p + 4 <= end && load<u32>(p) == 0x65757274) return p + 4;
  } else if (c == 0x66) {
    if (p + 5 <= end && load<u32>(p, 1) == 0x65736c61) return p + 5;
  } else if (c == 0x2d || <u32>c - 0x30 < 10) {
    return skipNumber(p, end);
  }
  return markFault(p);
}

/** Set by unescape: true if there was a lone surrogate, so that the text has no UTF-8. */
export let loneSurrogate: bool = false;

/**
 * Writes the text of a checked string's inside [start, end) to `target` as UTF-8 and returns its
 * length, at most `end - start`. On a lone surrogate it sets `loneSurrogate` and returns 0.
 */
export function unescape(start: usize, end: usize, target: usize): usize {
  loneSurrogate = false;
  let t = target;
  let p = start;
  while (p < end) {
    const c = load<u8>(p);
    if (c != 0x5c) {
      store<u8>(t++, c);
      p++;
      continue;
    }
    const e = load<u8>(p, 1);
    p += 2;
    if (e == 0x75) {
      let code = hex4(p);
      p += 4;
      if (code >= 0xd800 && code < 0xe000) {
        const low =
          code < 0xdc00 && p + 6 <= end && load<u16>(p) == 0x755c ? hex4(p + 2) : 0;
        if (low < 0xdc00 || low >= 0xe000) {
          loneSurrogate = true;
          return 0;
        }
        p += 6;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        store<u8>(t++, <u8>(0xf0 | (code >> 18)));
        store<u8>(t++, <u8>(0x80 | ((code >> 12) & 0x3f)));
        store<u8>(t++, <u8>(0x80 | ((code >> 6) & 0x3f)));
        store<u8>(t++, <u8>(0x80 | (code & 0x3f)));
      } else if (code < 0x80) {
        store<u8>(t++, <u8>code);
      } else if (code < 0x800) {
        store<u8>(t++, <u8>(0xc0 | (code >> 6)));
        store<u8>(t++, <u8>(0x80 | (code & 0x3f)));
      } else {
        store<u8>(t++, <u8>(0xe0 | (code >> 12)));
        store<u8>(t++, <u8>(0x80 | ((code >> 6) & 0x3f)));
        store<u8>(t++, <u8>(0x80 | (code & 0x3f)));
      }
    } else if (e == 0x6e) store<u8>(t++, 0x0a);
    else if (e == 0x74) store<u8>(t++, 0x09);
    else if (e == 0x72) store<u8>(t++, 0x0d);
    else if (e == 0x62) store<u8>(t++, 0x08);
    else if (e == 0x66) store<u8>(t++, 0x0c);
    else store<u8>(t++, e);
  }
  return t - target;
}

/** Returns true if a checked string's inside [start, end) has a lone escaped surrogate. */
export function hasLoneSurrogate(start: usize, end: usize): bool {
  for (let p = start; p < end; p++) {
    if (load<u8>(p) != 0x5c) continue;
    if (load<u8>(++p) != 0x75) continue;
    const code = hex4(p + 1);
    p += 4;
    if (code < 0xd800 || code >= 0xe000) continue;
    const low = code < 0xdc00 && p + 7 <= end && load<u16>(p, 1) == 0x755c ? hex4(p + 3) : 0;
    if (low < 0xdc00 || low >= 0xe000) return true;
    p += 6;
  }
  return false;
}

const HEX: usize = memory.data<u8>([
  0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66,
]);

/**
 * `escapeString` with its most frequent case inline: text of up to 32 bytes without escapes, where
 * no step depends on the length. May read and write 32 bytes for any length.
 */
@inline
export function escapeShort(source: usize, length: usize, target: usize): usize {
  if (length <= 32) {
    const first = v128.load(source);
    const second = v128.load(source, 16);
    v128.store(target, first);
    v128.store(target, second, 16);
    const stops = <u64>(<u32>stopsIn(first)) | ((<u64>(<u32>stopsIn(second))) << 16);
    if ((stops & (((<u64>1) << <u64>length) - 1)) == 0) return target + length;
  }
  return escapeString(source, length, target);
}

/** Returns the bytes that `escapeString` makes of a text. */
export function escapedBytes(start: usize, length: usize): u32 {
  let bytes: u32 = 0;
  for (let p = start; p < start + length; p++) {
    const c = load<u8>(p);
    if (c == 0x22 || c == 0x5c || (c >= 8 && c <= 13 && c != 11)) bytes += 2;
    else if (c < 0x20) bytes += 6;
    else bytes++;
  }
  return bytes;
}

/**
 * Writes `length` bytes of UTF-8 text to `target` as the inside of a JSON string, escaped as by
 * JSON.stringify, and returns the address after it. Writes at most 6 bytes per byte, plus 15 loose
 * ones.
 */
export function escapeString(source: usize, length: usize, target: usize): usize {
  const quote = i8x16.splat(0x22);
  const backslash = i8x16.splat(0x5c);
  const space = i8x16.splat(0x20);
  const end = source + length;
  let p = source;
  let t = target;
  while (p < end) {
    const v = v128.load(p);
    v128.store(t, v);
    const stops = i8x16.bitmask(
      v128.or(v128.or(i8x16.eq(v, quote), i8x16.eq(v, backslash)), i8x16.lt_u(v, space)),
    );
    const clean = stops == 0 ? <usize>16 : <usize>ctz(stops);
    if (p + clean >= end) return t + (end - p);
    p += clean;
    t += clean;
    if (stops == 0) continue;
    const c = load<u8>(p++);
    store<u8>(t++, 0x5c);
    if (c == 0x22 || c == 0x5c) store<u8>(t++, c);
    else if (c == 0x0a) store<u8>(t++, 0x6e);
    else if (c == 0x0d) store<u8>(t++, 0x72);
    else if (c == 0x09) store<u8>(t++, 0x74);
    else if (c == 0x08) store<u8>(t++, 0x62);
    else if (c == 0x0c) store<u8>(t++, 0x66);
    else {
      store<u32>(t, 0x30303075);
      store<u8>(t, load<u8>(HEX + <usize>(c >> 4)), 3);
      store<u8>(t, load<u8>(HEX + <usize>(c & 15)), 4);
      t += 5;
    }
  }
  return t;
}

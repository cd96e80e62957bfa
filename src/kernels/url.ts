// Finds the query of URLs inside of JSON strings, in which slashes may be escaped.

const BLANK: u8 = 0x20;
const HASH_SIGN: u8 = 0x23;
const SLASH: u8 = 0x2f;
const QUESTION_MARK: u8 = 0x3f;
const EXCLAMATION_MARK: u8 = 0x21;
const BACKSLASH: u8 = 0x5c;
const COLON: u8 = 0x3a;

/** Bytes in which the scheme of a URL ends. */
const SCHEME_BYTES_MAX: usize = 24;

/**
 * Returns the address of the query, or of the fragment if that comes first; `end` if there is none, or
 * a blank before it. A fragment that begins with `#/` or `#!` is a path.
 */
export function queryStart(start: usize, end: usize): usize {
  for (let p = start; p < end; p++) {
    const byte = load<u8>(p);
    if (byte == QUESTION_MARK) return p;
    if (byte == BLANK) return end;
    if (byte != HASH_SIGN) continue;
    const next = p + 1 < end ? load<u8>(p, 1) : 0;
    if (next != SLASH && next != EXCLAMATION_MARK && next != BACKSLASH) return p;
  }
  return end;
}

/** Returns true for a URL, or a path from the root of a site. */
export function isUrl(start: usize, end: usize): bool {
  if (start == end) return false;
  const first = load<u8>(start);
  if (first == SLASH || first == BACKSLASH) return true;
  const limit = min(end, start + SCHEME_BYTES_MAX);
  for (let p = start; p + 1 < limit; p++) {
    if (load<u8>(p) != COLON) continue;
    const next = load<u8>(p, 1);
    return next == SLASH || next == BACKSLASH;
  }
  return false;
}

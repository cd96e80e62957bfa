// Recognizes values that contain an email address, or a secret: a parameter of a URL such as `token`, a
// JSON Web Token, a bearer token, a member of an object such as `password`. Works on JSON tokens as
// they are: `%40`, `\u0040` and `@` are alike. src/profile/masked-text.ts masks the same in texts.

import { equal } from "../byte-hash";
import { skipSpace, skipStringFast } from "../json/json-value";
import { isUrl, queryStart } from "../url";

/** Bits of the contents of a value. */
export const HAS_EMAIL: u32 = 1;
export const HAS_SECRET: u32 = 2;
/** Some of it is not in the query of a URL. */
export const IS_BEYOND_QUERY: u32 = 4;

const NAME_BYTES_MAX: usize = 40;
const DOMAIN_BYTES_MAX: usize = 253;

/** The least bytes of a token, or of each of the first two parts of a JSON Web Token. */
const TOKEN_BYTES_MIN: usize = 8;

/** Bytes of the shortest text with an email address, with its quotes. */
const VALUE_BYTES_MIN: usize = 8;

const QUOTE: u8 = 0x22;
const PERCENT: u8 = 0x25;
const DOT: u8 = 0x2e;
const EQUALS: u8 = 0x3d;
const AT: u8 = 0x40;
const LETTER_B: u8 = 0x42;
const LETTER_J: u8 = 0x4a;
const BACKSLASH: u8 = 0x5c;

/** Texts as little-endian numbers: `ey`, `Bear`, `er`; `40` and `3d` of escapes, `u00`. */
const EY: u16 = 0x7965;
const BEAR: u32 = 0x72616542;
const ER: u16 = 0x7265;
const HEX_AT: u16 = 0x3034;
const HEX_EQUALS: u16 = 0x6433;
const U00: u32 = 0x303075;

/** Name of a secret, in lower case and without what separates words. Made in src/profile/secret-names.ts. */
@unmanaged
class SecretName {
  start: u32;
  length: u32;
  /** The least bytes of a value. */
  valueBytesMin: u32;
  /** Other words may come before it. */
  isSuffix: u32;
  /** Members of objects with this name are secrets too. */
  isKey: u32;
}

@unmanaged
export class SecretNames {
  /** Bits of `endingOf` for the last two letters of each name. */
  endings: u64;
  first: u32;
  end: u32;
  /** Room for a name. */
  scratch: u32;
  unused: u32;
}

@inline
function isDigit(byte: u8): bool {
  return <u32>byte - 0x30 < 10;
}

@inline
function isLetter(byte: u8): bool {
  return <u32>(byte | 0x20) - 0x61 < 26;
}

@inline
function isWord(byte: u8): bool {
  return isDigit(byte) || isLetter(byte);
}

/** Returns true for bytes of tokens in base 64 and of names: letters, digits, `-` and `_`. */
@inline
function isTokenByte(byte: u8): bool {
  return isWord(byte) || byte == 0x2d || byte == 0x5f;
}

/** Returns true if the vector at `p` has the byte. */
@inline
function hasByte(p: usize, byte: u8): bool {
  return v128.any_true(i8x16.eq(v128.load(p), i8x16.splat(byte)));
}

/** Returns true for a text that contains an email address. */
@inline
export function hasEmail(names: SecretNames, start: usize, length: usize): bool {
  let hasAt = false;
  for (let p = start; p < start + length; p += 16) hasAt = hasAt || hasByte(p, AT);
  return hasAt && (contentsOfText(names, start, start + length) & HAS_EMAIL) != 0;
}

/** Returns the contents of a value, as bits. */
export function contentsOf(names: SecretNames, start: usize, length: usize): u32 {
  if (length < VALUE_BYTES_MIN) return 0;
  const end = start + length;
  const first = load<u8>(start);
  if (first == QUOTE) return contentsOfText(names, start + 1, end - 1);
  if (first != 0x7b && first != 0x5b) return 0;
  let contents: u32 = 0;
  for (let p = start; p < end; p++) {
    if (load<u8>(p) != QUOTE) {
      if (!hasByte(p, QUOTE)) p += 15;
      continue;
    }
    const text = p + 1;
    p = skipStringFast(text, end);
    const after = skipSpace(p + 1, end);
    if (after >= end || load<u8>(after) != 0x3a) contents |= contentsOfText(names, text, p);
    else if (isSecretMember(names, text, p, skipSpace(after + 1, end), end)) {
      contents |= HAS_SECRET | IS_BEYOND_QUERY;
    }
  }
  return contents;
}

function isSecretMember(
  names: SecretNames, key: usize, keyEnd: usize, value: usize, end: usize,
): bool {
  const first = load<u8>(value);
  if (first != QUOTE && !isDigit(first)) return false;
  const name = findName(names, key, keyEnd);
  if (name == 0 || changetype<SecretName>(name).isKey == 0) return false;
  return first != QUOTE || isSecretValue(names, changetype<SecretName>(name), value + 1, end);
}

/** Returns bits for the bytes of the vector that may be part of something. */
@inline
function marksIn(bytes: v128): u32 {
  const signs = v128.or(
    v128.or(i8x16.eq(bytes, i8x16.splat(AT)), i8x16.eq(bytes, i8x16.splat(EQUALS))),
    v128.or(i8x16.eq(bytes, i8x16.splat(PERCENT)), i8x16.eq(bytes, i8x16.splat(BACKSLASH))),
  );
  const letters = v128.or(
    i8x16.eq(bytes, i8x16.splat(LETTER_B)), i8x16.eq(bytes, i8x16.splat(LETTER_J)),
  );
  return i8x16.bitmask(v128.or(signs, letters));
}

function contentsOfText(names: SecretNames, start: usize, end: usize): u32 {
  let contents: u32 = 0;
  for (let at = start; at < end; at += 16) {
    let marks = marksIn(v128.load(at));
    if (at + 16 > end) marks &= (1 << <u32>(end - at)) - 1;
    for (; marks != 0; marks &= marks - 1) {
      const mark = at + <usize>ctz(marks);
      const found = contentAt(names, mark, start, end);
      if (found == 0) continue;
      contents |= found;
      if (!isUrl(start, end) || mark < queryStart(start, end)) contents |= IS_BEYOND_QUERY;
    }
  }
  return contents;
}

/** Returns the content that the byte at `mark` is part of; 0 for none. */
function contentAt(names: SecretNames, mark: usize, start: usize, end: usize): u32 {
  const byte = load<u8>(mark);
  if (byte == LETTER_B) return load<u32>(mark) == BEAR && isBearer(mark, end) ? HAS_SECRET : 0;
  if (byte == LETTER_J) return isWebToken(mark, start, end) ? HAS_SECRET : 0;
  let after = mark + 1;
  let isAt = byte == AT;
  let isEquals = byte == EQUALS;
  if (byte == PERCENT || byte == BACKSLASH) {
    if (byte == BACKSLASH) {
      if (mark + 6 > end || load<u32>(mark) >> 8 != U00) return 0;
      after += 3;
    }
    if (after + 2 > end) return 0;
    const digits = load<u16>(after);
    isAt = digits == HEX_AT;
    isEquals = (digits | 0x2000) == HEX_EQUALS;
    after += 2;
  }
  if (isAt) return isEmailAt(mark, after, start, end) ? HAS_EMAIL : 0;
  return isEquals && isSecretParameter(names, mark, after, start, end) ? HAS_SECRET : 0;
}

/** Returns true if an email address has its `@` at [mark, after). */
function isEmailAt(mark: usize, after: usize, start: usize, end: usize): bool {
  if (mark == start) return false;
  const last = load<u8>(mark - 1);
  if (!isTokenByte(last) && last != DOT && last != 0x2b && last < 0x80) return false;
  const limit = min(end, after + DOMAIN_BYTES_MAX);
  let label = after;
  let top: usize = 0;
  let topEnd: usize = 0;
  let p = after;
  for (; p < limit; p++) {
    const byte = load<u8>(p);
    if (isTokenByte(byte) || byte >= 0x80) continue;
    if (byte != DOT || p == label) break;
    if (label > after) { top = label; topEnd = p; }
    label = p + 1;
  }
  // A full stop after the address ends a sentence.
  if (p > label && label > after) { top = label; topEnd = p; }
  return top != 0 && isTopDomain(top, topEnd);
}

/** Returns true for letters, if they are not the end of a file's name, as in `logo@2x.png`. */
function isTopDomain(start: usize, end: usize): bool {
  if (end - start < 2) return false;
  for (let p = start; p < end; p++) if (!isLetter(load<u8>(p))) return false;
  if (end - start > 4) return true;
  const word = (load<u32>(start) & (0xffffffff >> ((4 - <u32>(end - start)) << 3))) | 0x20202020;
  // png, jpg, gif, svg, jpeg, webp
  return (
    word != 0x20676e70 && word != 0x2067706a && word != 0x20666967 && word != 0x20677673 &&
    word != 0x6765706a && word != 0x70626577
  );
}

/** Returns true if the parameter whose `=` is at [mark, after) is a secret. */
function isSecretParameter(
  names: SecretNames, mark: usize, after: usize, start: usize, end: usize,
): bool {
  if (mark < start + 2 || !mayEndName(names, load<u8>(mark - 2), load<u8>(mark - 1))) return false;
  let first = mark;
  const limit = mark - min(mark - start, NAME_BYTES_MAX);
  while (first > limit && (isTokenByte(load<u8>(first - 1)) || load<u8>(first - 1) == DOT)) first--;
  if (first > start) {
    const before = load<u8>(first - 1);
    if (before == PERCENT) {
      // `%3F`, `%26` and `%23`
      const digits = load<u16>(first) | 0x2000;
      if (digits != 0x6633 && digits != 0x3632 && digits != 0x3332) return false;
      first += 2;
    } else if (before == BACKSLASH) {
      if (load<u8>(first) != 0x75) return false;
      first += 5;
    } else if (before != 0x3f && before != 0x26 && before != 0x23 && before != 0x3b) return false;
  }
  if (first >= mark) return false;
  const name = findName(names, first, mark);
  return name != 0 && isSecretValue(names, changetype<SecretName>(name), after, end);
}

/** Returns true if a name may end with two bytes: most names of parameters are told by them. */
@inline
function mayEndName(names: SecretNames, last: u8, byte: u8): bool {
  return !isWord(last) || !isWord(byte) || hasEnding(names, last | 0x20, byte | 0x20);
}

@inline
function hasEnding(names: SecretNames, last: u8, byte: u8): bool {
  const ending = <u32>last * 7 + <u32>byte;
  return ((names.endings >> <u64>(ending & 63)) & 1) != 0;
}

/** Returns the address of the `SecretName` that the name in [start, end) is; 0 if it is none. */
function findName(names: SecretNames, start: usize, end: usize): usize {
  if (end - start > NAME_BYTES_MAX) return 0;
  const word = <usize>names.scratch;
  let length: usize = 0;
  for (let p = start; p < end; p++) {
    const byte = load<u8>(p);
    if (isWord(byte)) store<u8>(word + length++, byte | 0x20);
  }
  if (length < 2) return 0;
  if (!hasEnding(names, load<u8>(word + length - 2), load<u8>(word + length - 1))) return 0;
  for (let at = <usize>names.first; at < <usize>names.end; at += offsetof<SecretName>()) {
    const name = changetype<SecretName>(at);
    const bytes = <usize>name.length;
    if (length < bytes || (name.isSuffix == 0 && length != bytes)) continue;
    if (equal(word + length - bytes, name.start, bytes)) return at;
  }
  return 0;
}

/** Returns true if a value that begins at `start` is long enough and was not removed already. */
function isSecretValue(names: SecretNames, name: SecretName, start: usize, end: usize): bool {
  let p = start;
  for (; p < end; p++) {
    const byte = load<u8>(p);
    // A quote, a blank, `&`, `#`, `;`, `<`, a backslash
    if (byte <= 0x23 || byte == 0x26 || byte == 0x3b || byte == 0x3c || byte == BACKSLASH) break;
    if (byte == PERCENT && p + 2 < end && load<u16>(p, 1) == 0x3632) break;
  }
  if (p - start < <usize>name.valueBytesMin) return false;
  const first = load<u8>(start);
  if (first == PERCENT) {
    // `%5B`, `%7B` and `%2A`: brackets and stars of removed values
    const digits = load<u16>(start, 1) | 0x2000;
    return digits != 0x6235 && digits != 0x6237 && digits != 0x6132;
  }
  if (!isTokenByte(first) && first < 0x80 && first != DOT && first != 0x2f && first != 0x2b) return false;
  return !isPlaceholder(start, p - start);
}

/** `redacted`, `filtered`, `undefined`, `xxxx…` and the like as their first four letters. */
function isPlaceholder(start: usize, length: usize): bool {
  const word = load<u32>(start) | 0x20202020;
  if (length <= 5) return word == 0x6c6c756e || word == 0x65757274 || word == 0x736c6166;
  if (word == 0x78787878) return true;
  if (length < 6 || length > 9) return false;
  return (
    word == 0x61646572 || word == 0x746c6966 || word == 0x65646e75 || word == 0x6f6d6572 ||
    word == 0x64646968 || word == 0x6b73616d
  );
}

/** Returns true for the `J` of `eyJ`, with which the JSON of a JSON Web Token begins in base 64. */
function isWebToken(mark: usize, start: usize, end: usize): bool {
  if (mark < start + 2 || load<u16>(mark - 2) != EY) return false;
  if (mark > start + 2 && isWord(load<u8>(mark - 3)) && load<u8>(mark - 3) != 0x44) return false;
  const head = tokenEnd(mark, end);
  if (head - mark < TOKEN_BYTES_MIN || head >= end || load<u8>(head) != DOT) return false;
  return tokenEnd(head + 1, end) - head > TOKEN_BYTES_MIN;
}

/** Returns true if `Bear` at `mark` begins a bearer token. */
function isBearer(mark: usize, end: usize): bool {
  if (mark + 7 + TOKEN_BYTES_MIN > end) return false;
  if (load<u16>(mark, 4) != ER || load<u8>(mark, 6) != 0x20) return false;
  return tokenEnd(mark + 7, end) - mark - 7 >= TOKEN_BYTES_MIN;
}

function tokenEnd(start: usize, end: usize): usize {
  let p = start;
  while (p < end && isTokenByte(load<u8>(p))) p++;
  return p;
}

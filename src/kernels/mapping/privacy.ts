// Drops members of JSON objects by path, replaces their value by a salted SHA-256, or cuts the queries
// of URLs in it. The objects have been checked, so values need no validation. Each object is walked
// twice: the first walk only counts the bytes, so that the host can make room; the second writes them.
// Stretches between matched members are copied whole, so that everything else keeps its bytes.

import { Column, KIND_NULL, KIND_OBJECT, KIND_STRING } from "../column";
import { skipValueAt } from "../json/json-nested";
import { escaped, loneSurrogate, skipSpace, skipString, unescape } from "../json/json-value";
import { queryStart } from "../url";

/** Node's SHA-256 of [start, start + length): writes 64 lower-case hex digits to `target`. */
// @ts-ignore: decorator
@external("env", "sha256")
declare function sha256(start: usize, length: usize, target: usize): void;

/** A path and its action; laid out by src/mapper/privacy.ts. */
@unmanaged
class Rule {
  /** Pairs of address and length: the names of members, outermost first, within the path's text. */
  steps: usize;
  /** The end of the path's text, in which dots separate the names. */
  textEnd: usize;
  /** `DROP`, `HASH` or `CUT_QUERY`. */
  action: u32;
  salt: usize;
  saltLength: usize;
  /** Room for the longest key of a row. */
  scratch: usize;
  /** Room for the salt and the longest value of a row. */
  message: usize;
}

// The order of `privacyActions` in src/mapper/privacy.ts.
const DROP: u32 = 0;
const HASH: u32 = 1;

/** End of the bytes in `message` that will be hashed. */
let messageEnd: usize = 0;

function beginHash(rule: Rule): void {
  messageEnd = rule.message;
  addToHash(rule.salt, rule.saltLength);
}

function addToHash(start: usize, length: usize): void {
  memory.copy(messageEnd, start, length);
  messageEnd += length;
}

function endHash(rule: Rule, target: usize): void {
  sha256(rule.message, messageEnd - rule.message, target);
}

const HASH_BYTES: usize = 64;
const QUOTED_HASH_BYTES: usize = 66;

/** The target of the next byte if `writing`; otherwise only a count. */
let top: usize = 0;
let writing: bool = false;

/** Appends the bytes [from, to). */
function append(from: usize, to: usize): void {
  if (writing) memory.copy(top, from, to - from);
  top += to - from;
}

function appendByte(value: u8): void {
  if (writing) store<u8>(top, value);
  top++;
}

const character: usize = memory.data(16);

/** Adds the text of a JSON string's inside; a lone surrogate, which has no text, as its escape. */
function addText(p: usize, end: usize): void {
  while (p < end) {
    const plain = p;
    while (p < end && load<u8>(p) != 0x5c) p++;
    addToHash(plain, p - plain);
    if (p == end) return;
    let after = p + 2;
    if (load<u8>(p, 1) == 0x75) {
      after = p + 6;
      // The two halves of a surrogate pair are one character.
      if (after + 6 <= end && load<u16>(after) == 0x755c) {
        const both = unescape(p, after + 6, character);
        if (!loneSurrogate && both == 4) {
          addToHash(character, 4);
          p = after + 6;
          continue;
        }
      }
    }
    const length = unescape(p, after, character);
    if (loneSurrogate) addToHash(p, after - p);
    else addToHash(character, length);
    p = after;
  }
}

/** Appends the quoted hash of the value in [p, end): of its text, or of its JSON without one. */
function appendHash(rule: Rule, p: usize, end: usize): void {
  if (writing) {
    beginHash(rule);
    if (load<u8>(p) == 0x22) addText(p + 1, end - 1);
    else addToHash(p, end - p);
    store<u8>(top, 0x22);
    endHash(rule, top + 1);
    store<u8>(top, 0x22, QUOTED_HASH_BYTES - 1);
  }
  top += QUOTED_HASH_BYTES;
}

/** Appends the value in [p, end), and each text in it only up to the query of its URL. */
function appendWithoutQueries(p: usize, end: usize): void {
  let kept = p;
  while (p < end) {
    if (load<u8>(p) != 0x22) {
      p++;
      continue;
    }
    const close = skipString(p + 1, end);
    const after = skipSpace(close + 1, end);
    const isKey = after < end && load<u8>(after) == 0x3a;
    if (!isKey) {
      append(kept, queryStart(p + 1, close));
      kept = close;
    }
    p = close + 1;
  }
  append(kept, end);
}

const NO_MATCH: u32 = 0;
/** The key is the next name of the path, which continues in the value. */
const STEP: u32 = 1;
/** The key is the whole rest of the path, possibly with dots in it. */
const WHOLE: u32 = 2;

/** Compares the key in [key, end) with the path from `step` on. */
function matchKey(rule: Rule, step: usize, key: usize, end: usize, hasEscape: bool): u32 {
  let length = end - key;
  if (hasEscape) {
    length = unescape(key, end, rule.scratch);
    key = rule.scratch;
  }
  const wanted = <usize>load<u32>(step);
  if (length == rule.textEnd - wanted) {
    return memory.compare(key, wanted, length) == 0 ? WHOLE : NO_MATCH;
  }
  const isStep =
    length == <usize>load<u32>(step, 4) && memory.compare(key, wanted, length) == 0;
  return isStep ? STEP : NO_MATCH;
}

/** Appends the value at `p` after the rule from `step` on; returns the address after it. */
function redactValue(rule: Rule, step: usize, p: usize, end: usize): usize {
  const first = load<u8>(p);
  if (first == 0x7b) return redactObject(rule, step, p, end);
  if (first == 0x5b) return redactArray(rule, step, p, end);
  const after = skipValueAt(p, end, 0);
  append(p, after);
  return after;
}

/** Applies the path to each element of the array. */
function redactArray(rule: Rule, step: usize, p: usize, end: usize): usize {
  let q = skipSpace(p + 1, end);
  append(p, q);
  while (load<u8>(q) != 0x5d) {
    const after = redactValue(rule, step, q, end);
    q = skipSpace(after, end);
    if (load<u8>(q) == 0x2c) q = skipSpace(q + 1, end);
    append(after, q);
  }
  appendByte(0x5d);
  return q + 1;
}

/** `redactValue` for the object at `p`. Writes its own commas, because members may be dropped. */
function redactObject(rule: Rule, step: usize, p: usize, end: usize): usize {
  appendByte(0x7b);
  let member = p + 1;
  const inside = skipSpace(member, end);
  if (load<u8>(inside) == 0x7d) {
    append(member, inside + 1);
    return inside + 1;
  }
  let hasMembers = false;
  while (true) {
    const key = skipSpace(member, end) + 1;
    const keyEnd = skipString(key, end);
    const match = matchKey(rule, step, key, keyEnd, escaped);
    const value = skipSpace(skipSpace(keyEnd + 1, end) + 1, end);
    let after: usize;
    if (match == WHOLE && rule.action == DROP) {
      after = skipValueAt(value, end, 0);
    } else {
      if (hasMembers) appendByte(0x2c);
      hasMembers = true;
      append(member, value);
      if (match == STEP) {
        after = redactValue(rule, step + 8, value, end);
      } else {
        after = skipValueAt(value, end, 0);
        // A null holds nothing to hide.
        if (match != WHOLE || load<u8>(value) == 0x6e) append(value, after);
        else if (rule.action == HASH) appendHash(rule, value, after);
        else appendWithoutQueries(value, after);
      }
      append(after, skipSpace(after, end));
    }
    member = skipSpace(after, end) + 1;
    if (load<u8>(member - 1) == 0x7d) {
      appendByte(0x7d);
      return member;
    }
  }
}

/** Returns an upper bound of the bytes that `redactObjects` needs. */
export function redactedBytes(rule: Rule, outcomes: usize, objects: Column, rows: i32): f64 {
  let sum: f64 = 0;
  writing = false;
  for (let row = 0; row < rows; row++) {
    if (load<u8>(outcomes + row) != 0) continue;
    top = 0;
    redactObject(rule, rule.steps, objects.start(row), objects.start(row) + objects.length(row));
    sum += <f64>top;
  }
  return sum;
}

/** Applies the rule to each row's object: writes it to `output` and points the column there. */
export function redactObjects(
  rule: Rule, outcomes: usize, objects: Column, rows: i32, output: usize,
): void {
  top = output;
  writing = true;
  for (let row = 0; row < rows; row++) {
    if (load<u8>(outcomes + row) != 0) continue;
    const start = top;
    redactObject(rule, rule.steps, objects.start(row), objects.start(row) + objects.length(row));
    objects.set(row, KIND_OBJECT, start, top - start);
  }
}

/** Hashes a column of texts; `output` has 64 bytes for each row. */
export function hashTexts(
  rule: Rule, outcomes: usize, texts: Column, rows: i32, output: usize,
): void {
  for (let row = 0; row < rows; row++) {
    if (texts.kind(row) == KIND_NULL || load<u8>(outcomes + row) != 0) continue;
    beginHash(rule);
    addToHash(texts.start(row), texts.length(row));
    const target = output + <usize>row * HASH_BYTES;
    endHash(rule, target);
    texts.set(row, KIND_STRING, target, HASH_BYTES);
  }
}

/** Hashes a column of JSON tokens; `output` has 66 bytes for each row. */
export function hashTokens(
  rule: Rule, outcomes: usize, tokens: Column, rows: i32, output: usize,
): void {
  top = output;
  writing = true;
  for (let row = 0; row < rows; row++) {
    if (tokens.kind(row) == KIND_NULL || load<u8>(outcomes + row) != 0) continue;
    const start = tokens.start(row);
    const target = top;
    appendHash(rule, start, start + tokens.length(row));
    tokens.set(row, KIND_STRING, target, QUOTED_HASH_BYTES);
  }
}

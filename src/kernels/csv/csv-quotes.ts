// Finds the closing quote of a quoted cell, and makes its text without the characters that escape
// quotes. Reads may run past `stop` as in csv.ts.

import { copyLoose } from "../utf8";

/** Positions of the zero bits of each byte value, in order, as indexes for a swizzle. */
const keptLanes: usize = memory.data(2048, 16);
let lanesReady: bool = false;

function fillLanes(): void {
  for (let mask: usize = 0; mask < 256; mask++) {
    let target = keptLanes + (mask << 3);
    for (let lane: usize = 0; lane < 8; lane++) {
      if (((mask >> lane) & 1) == 0) store<u8>(target++, <u8>lane);
    }
  }
  lanesReady = true;
}

// Results of a pass over one quoted cell, besides the address of its closing quote.
export let cellStart: usize = 0;
export let cellLength: usize = 0;
/** The target of the next text that differs from the input. */
export let scratch: usize = 0;
/** All bytes of the row, or-ed: a set high bit means that its UTF-8 must be validated. */
export let seen: v128 = i8x16.splat(0);

/** Sets the target of texts; to be called before the first cell is closed. */
export function writeTextsTo(target: usize): void {
  if (!lanesReady) fillLanes();
  scratch = target;
}

@inline
export function see(bytes: v128): void {
  seen = bytes;
}

/** Returns the bits of `hits` for bytes before `stop`, for a load at `p`. */
@inline
export function before(stop: usize, p: usize, hits: u32): u32 {
  return p + 16 > stop ? hits & ((<u32>1 << <u32>(stop - p)) - 1) : hits;
}

/**
 * Returns the closing quote of the quoted cell whose inside begins at `p`; 0 if there is none
 * before `stop`. A quote right before `stop` counts as closing. The cell's text is copied only if
 * it has doubled quotes.
 */
export function closeDoubled(p: usize, stop: usize, quote: u32, wanted: bool): usize {
  const quotes = i8x16.splat(<i8>quote);
  cellStart = p;
  let any = seen;
  for (; p < stop; p += 16) {
    const v = v128.load(p);
    any = v128.or(any, v);
    const hits = before(stop, p, i8x16.bitmask(i8x16.eq(v, quotes)));
    if (hits == 0) continue;
    p += <usize>ctz(hits);
    seen = any;
    if (p + 1 < stop && load<u8>(p, 1) == quote) {
      return wanted ? unescapeDoubled(p, stop, quote) : skipDoubled(p, stop, quote);
    }
    cellLength = p - cellStart;
    return p;
  }
  seen = any;
  return 0;
}

// Quotes are handled sixteen bytes at a time. They come in runs, and in a run they pair from its
// start. The addition carries through a run, which finds the end of all runs at once. Runs are
// grouped by whether they start at an even or an odd position. A run of odd length ends with the
// closing quote.

@inline
function evenRuns(hits: u32): u32 {
  return hits & ~(hits + (hits & ~(hits << 1) & 0x5555));
}

/** Returns the position after each run of odd length. */
@inline
function oddEnds(hits: u32, even: u32): u32 {
  const odd = hits & ~even;
  const evenEnds = (even << 1) & ~even;
  const oddEnds = (odd << 1) & ~odd;
  return (evenEnds & 0xaaaa) | (oddEnds & 0x15555);
}

/** `closeDoubled` from the first doubled quote on, without the text. */
function skipDoubled(p: usize, stop: usize, quote: u32): usize {
  const quotes = i8x16.splat(<i8>quote);
  let any = seen;
  while (p < stop) {
    const v = v128.load(p);
    any = v128.or(any, v);
    const hits = before(stop, p, i8x16.bitmask(i8x16.eq(v, quotes)));
    const ends = oddEnds(hits, evenRuns(hits));
    if ((ends & 0xffff) != 0) {
      seen = any;
      return p + <usize>ctz(ends) - 1;
    }
    // A run that reaches the load's end and is odd so far carries its last quote into the next
    // load.
    if (ends == 0) p += 16;
    else p += 15;
  }
  seen = any;
  return 0;
}

/** `closeDoubled` from the first doubled quote on; writes the cell's text to the scratch. */
function unescapeDoubled(p: usize, stop: usize, quote: u32): usize {
  const quotes = i8x16.splat(<i8>quote);
  const text = scratch;
  let t = copyLoose(text, cellStart, p - cellStart);
  let any = seen;
  while (p < stop) {
    const v = v128.load(p);
    any = v128.or(any, v);
    const hits = before(stop, p, i8x16.bitmask(i8x16.eq(v, quotes)));
    const even = evenRuns(hits);
    const dropped = (even & 0xaaaa) | (hits & ~even & 0x5555);
    const ends = oddEnds(hits, even);
    const low = dropped & 0xff;
    const high = dropped >> 8;
    const lowLanes = v128.load64_zero(keptLanes + (<usize>low << 3));
    const highLanes = v128.load64_zero(keptLanes + (<usize>high << 3));
    v128.store(t, i8x16.swizzle(v, lowLanes));
    v128.store(
      t + 8 - <usize>popcnt(low),
      i8x16.swizzle(v, i8x16.add(highLanes, i8x16.splat(8))),
    );
    if ((ends & 0xffff) != 0) {
      const position = <u32>ctz(ends) - 1;
      t += <usize>(position - popcnt(dropped & ((1 << position) - 1)));
      seen = any;
      cellStart = text;
      cellLength = t - text;
      scratch = t;
      return p + <usize>position;
    }
    // As in `skipDoubled`. A branch, because the next load would wait for a sum: 45 ns a row.
    t -= <usize>popcnt(dropped);
    if (ends == 0) {
      p += 16;
      t += 16;
    } else {
      p += 15;
      t += 15;
    }
  }
  seen = any;
  return 0;
}

/**
 * `closeDoubled` where `escape` makes a quote or another `escape` literal. Before any other byte
 * the escape is ordinary text.
 */
export function closeEscaped(p: usize, stop: usize, quote: u32, escape: u32): usize {
  const quotes = i8x16.splat(<i8>quote);
  const escapes = i8x16.splat(<i8>escape);
  const text = scratch;
  let t = text;
  cellStart = p;
  while (p < stop) {
    const v = v128.load(p);
    seen = v128.or(seen, v);
    v128.store(t, v);
    const hits = before(
      stop,
      p,
      i8x16.bitmask(v128.or(i8x16.eq(v, quotes), i8x16.eq(v, escapes))),
    );
    if (hits == 0) {
      p += 16;
      t += 16;
      continue;
    }
    const clean = <usize>ctz(hits);
    p += clean;
    t += clean;
    if (load<u8>(p) == quote) {
      cellLength = t - text;
      cellStart = text;
      scratch = t;
      return p;
    }
    if (p + 1 >= stop) return 0;
    const next = <u32>load<u8>(p, 1);
    const escapes2 = next == quote || next == escape;
    store<u8>(t++, <u8>(escapes2 ? next : escape));
    p += escapes2 ? 2 : 1;
  }
  return 0;
}

import { createHash } from "node:crypto";
import type { Source } from "../../sources/source.js";

/** A part of the inputs that a sample can read; its size is in the unit of its class. */
export interface Unit {
  readonly source: Source;
  /** Piece or row group of the source; 0 for a whole source. */
  readonly index: number;
  readonly size: number;
}

/** A drawn unit. */
interface Drawn {
  readonly unit: Unit;
  /** Among the drawn units. */
  readonly index: number;
  /** Draws that it is in: units that are larger than a stratum are drawn several times. */
  readonly draws: number;
}

/**
 * Draws units in proportion to their sizes: one at random from each of `draws` strata of equal size, in
 * the order of the units. So a sample is spread over all sources, and over each of them.
 */
export function drawUnits(
  units: Iterable<Unit>,
  { total, draws }: { readonly total: number; readonly draws: number },
  random: () => number,
): readonly Drawn[] {
  const drawn: Drawn[] = [];
  let passed = 0;
  let position = 0;
  let next = (random() * total) / draws;
  for (const unit of units) {
    passed += unit.size;
    const first = position;
    while (position < draws && next < passed) {
      position++;
      next = ((position + random()) * total) / draws;
    }
    if (position > first) drawn.push({ unit, index: drawn.length, draws: position - first });
  }
  return drawn;
}

/** Returns random numbers from 0 to 1 that are the same for inputs of the same names. */
export function randomOf(sources: readonly Pick<Source, "name">[]): () => number {
  const hash = createHash("sha256");
  for (const { name } of sources) hash.update(`${name}\0`);
  let state = hash.digest().readUInt32LE();
  // Mulberry32, in the public domain.
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

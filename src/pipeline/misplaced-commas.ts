import type { MisplacedCommas } from "./manifest.js";

/** Adds up misplaced commas in the order of the inputs; undefined if there are none. Pure. */
export function foldCommas(found: readonly MisplacedCommas[]): MisplacedCommas | undefined {
  const [first] = found;
  if (first === undefined) return undefined;
  return {
    ...first,
    places: found.reduce((total, { places }) => total + places, 0),
    sources: found.reduce((total, { sources }) => total + sources, 0),
  };
}

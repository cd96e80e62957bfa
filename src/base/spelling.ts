/** Returns the known word that is most similar to `word`; undefined if none is close. */
export function closestTo(word: string, known: readonly string[]): string | undefined {
  const near = known
    .map((candidate) => ({ candidate, edits: edits(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= Math.max(1, Math.floor(candidate.length / 3)))
    .sort((one, other) => one.edits - other.edits);
  return near[0]?.candidate;
}

/** Counts insertions, deletions, replacements and swaps (optimal string alignment). */
function edits(one: string, other: string): number {
  const width = other.length + 1;
  const table = new Uint16Array((one.length + 1) * width);
  const at = (row: number, column: number) => table[row * width + column] ?? 0;
  for (let row = 0; row <= one.length; row++) {
    for (let column = 0; column <= other.length; column++) {
      let least = row === 0 || column === 0 ? row + column : Number.POSITIVE_INFINITY;
      if (row > 0 && column > 0) {
        const differs = one[row - 1] === other[column - 1] ? 0 : 1;
        least = Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + differs,
        );
        const swapped =
          row > 1 &&
          column > 1 &&
          one[row - 1] === other[column - 2] &&
          one[row - 2] === other[column - 1];
        if (swapped) least = Math.min(least, at(row - 2, column - 2) + 1);
      }
      table[row * width + column] = least;
    }
  }
  return at(one.length, other.length);
}

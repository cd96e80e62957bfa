/** Returns at most `countMax` of the items, evenly spread, including the first. */
export function evenly<T>(items: readonly T[], countMax: number): readonly T[] {
  const step = Math.max(1, items.length / countMax);
  return items.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
}

/** Classes of each power of two, as src/kernels/profile/profile-rows.ts has them. */
const CLASSES = 64;

/** The middle of a class of sizes, in bytes: no size in it is further from it than 0.8 percent. */
export function sizeOfClass(sizeClass: number): number {
  const base = 2 ** Math.floor(sizeClass / CLASSES);
  const width = base / CLASSES;
  const first = base + (sizeClass % CLASSES) * width;
  // Narrow classes hold one whole number.
  return width <= 1 ? Math.ceil(first) : Math.round(first + (width - 1) / 2);
}

/** The size that a share of all events does not exceed; 0 where there are none. */
export function sizeAt(share: number, counts: ReadonlyMap<number, number>): number {
  const ordered = [...counts].sort(([one], [other]) => one - other);
  const total = ordered.reduce((sum, [, rows]) => sum + rows, 0);
  let rest = Math.ceil(share * total);
  for (const [sizeClass, rows] of ordered) {
    rest -= rows;
    if (rest <= 0) return sizeOfClass(sizeClass);
  }
  return 0;
}

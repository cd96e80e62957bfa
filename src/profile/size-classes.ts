/** Classes for each power of two, as in src/kernels/profile/profile-rows.ts. */
const CLASSES = 64;

/** The middle of a class of sizes in bytes, at most 0.8 % from every size of the class. */
export function sizeOfClass(sizeClass: number): number {
  const base = 2 ** Math.floor(sizeClass / CLASSES);
  const width = base / CLASSES;
  const first = base + (sizeClass % CLASSES) * width;
  // Narrow classes contain one whole number.
  return width <= 1 ? Math.ceil(first) : Math.round(first + (width - 1) / 2);
}

/** The size that a share of all events does not exceed; 0 if there are no events. */
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

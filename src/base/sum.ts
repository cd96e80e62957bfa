/** Adds up one number of each item. */
export function sum<T>(items: Iterable<T>, amountOf: (item: T) => number): number {
  let total = 0;
  for (const item of items) total += amountOf(item);
  return total;
}

/** Adds up numbers by name. Returns the sums sorted by name. */
export function foldNumbers(
  items: readonly Readonly<Record<string, number>>[],
): Readonly<Record<string, number>> {
  const totals = new Map<string, number>();
  for (const [name, count] of items.flatMap((item) => Object.entries(item))) {
    totals.set(name, (totals.get(name) ?? 0) + count);
  }
  return Object.fromEntries([...totals].sort(([a], [b]) => (a < b ? -1 : 1)));
}

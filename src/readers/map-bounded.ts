/**
 * `run` over all items, at most `concurrency` at the same time, results in the items' order. After
 * an error no further item is begun; it is thrown when those under way are done. `lane`: below
 * `concurrency`, and of one item at a time, so that items can share what belongs to a lane.
 */
export async function mapBounded<Item, Result>(
  items: readonly Item[],
  concurrency: number,
  run: (item: Item, lane: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const remaining = items.entries();
  let failed = false;
  const worker = async (_: unknown, lane: number) => {
    for (const [index, item] of remaining) {
      if (failed) return;
      try {
        results[index] = await run(item, lane);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const workers = Array.from({ length: Math.min(concurrency, items.length) }, worker);
  const settled = await Promise.allSettled(workers);
  for (const outcome of settled) if (outcome.status === "rejected") throw outcome.reason;
  return results;
}

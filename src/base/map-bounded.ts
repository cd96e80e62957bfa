/**
 * Calls `run` for all items, at most `concurrency` at a time; results are in the order of the items.
 * After an error no further item starts; the error is thrown when the running ones are done. `lane` is
 * below `concurrency` and belongs to one item at a time, so items can share the buffers of a lane.
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

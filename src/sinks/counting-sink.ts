import { type EventBatch, outcomes } from "../batch/event-batch.js";
import type { Sink, SplitSink, WrittenEvents } from "./sink.js";

/** Counts events and keeps none: for runs that only want to know what there is. */
export function createCountingSink(): Sink {
  return { openSplit: () => new CountingSplit() };
}

class CountingSplit implements SplitSink {
  #rows = 0;

  async write({ kernel, rows, outcomes: address }: EventBatch): Promise<void> {
    this.#rows += countDelivered(kernel.bytes, address, address + rows);
  }

  async finish(): Promise<WrittenEvents> {
    return {
      rows: this.#rows,
      commit: async () => ({ parts: [], counts: {} }),
      abort: async () => {},
    };
  }

  async abort(): Promise<void> {}
}

function countDelivered(bytes: Uint8Array, start: number, end: number): number {
  let count = 0;
  for (let index = start; index < end; index++) if (bytes[index] === outcomes.deliver) count++;
  return count;
}

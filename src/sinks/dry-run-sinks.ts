import { type EventBatch, outcomes } from "../batch/event-batch.js";
import type { EventProfile } from "../profile/event-profile.js";
import type { SplitProfile } from "../profile/split-profile.js";
import type { Origin, Sink, SplitSink, WrittenEvents } from "./sink.js";

/** Makes the profile of a split durable. */
type WriteProfile = (splitId: string, profile: SplitProfile) => Promise<void>;

/** Creates a sink that profiles events and writes none: a dry run. */
export function createProfileSink(profile: EventProfile, write: WriteProfile): Sink {
  return { openSplit: (splitId) => new ProfileSplit(profile, splitId, write) };
}

class ProfileSplit implements SplitSink {
  #rows = 0;

  constructor(
    private readonly profile: EventProfile,
    private readonly splitId: string,
    private readonly writeProfile: WriteProfile,
  ) {
    profile.clear(Number(splitId));
  }

  async write(events: EventBatch, origin: Origin): Promise<void> {
    const { kernel, rows, outcomes: address } = events;
    this.profile.take(events, origin.place);
    this.#rows += countDelivered(kernel.bytes, address, address + rows);
  }

  async finish(): Promise<WrittenEvents> {
    // Read the profile now: the next split clears it.
    const profile = this.profile.result();
    return {
      rows: this.#rows,
      commit: async () => {
        await this.writeProfile(this.splitId, profile);
        return { parts: [], counts: {} };
      },
      abort: async () => {},
    };
  }

  async abort(): Promise<void> {}
}

/** Creates a sink that only counts events. */
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

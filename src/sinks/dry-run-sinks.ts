import { type EventBatch, outcomes } from "../batch/event-batch.js";
import type { EventProfile } from "../profile/event-profile.js";
import type { SplitProfile } from "../profile/split-profile.js";
import type { PartSizes } from "./part-sizes.js";
import type { Origin, Sink, SplitSink, WrittenEvents } from "./sink.js";

/** Makes the profile of a split durable. */
type WriteProfile = (splitId: string, profile: SplitProfile) => Promise<void>;

/** Creates a sink that profiles events and writes none: a dry run. */
export function createProfileSink(
  profile: EventProfile,
  sizes: PartSizes,
  write: WriteProfile,
): Sink {
  return {
    openSplit(splitId) {
      profile.clear(Number(splitId));
      sizes.begin(Number(splitId));
      return new CountedSplit(
        (events, origin) => {
          profile.take(events, origin.place);
          sizes.take(events);
        },
        () => {
          // Read the profile now: the next split clears it.
          const result = { ...profile.result(), partSizes: sizes.measure() };
          return () => write(splitId, result);
        },
      );
    },
  };
}

/** Creates a sink that only counts events. */
export function createCountingSink(): Sink {
  return {
    openSplit: () =>
      new CountedSplit(
        () => undefined,
        () => async () => {},
      ),
  };
}

/** Counts the events of a split and keeps none of them. */
class CountedSplit implements SplitSink {
  #rows = 0;

  /** `finished` returns what the commit makes durable. */
  constructor(
    private readonly take: (events: EventBatch, origin: Origin) => void,
    private readonly finished: () => () => Promise<void>,
  ) {}

  async write(events: EventBatch, origin: Origin): Promise<void> {
    const { kernel, rows, outcomes: address } = events;
    this.take(events, origin);
    this.#rows += kernel.run.countOutcomes(address, rows, outcomes.deliver);
  }

  async finish(): Promise<WrittenEvents> {
    const keep = this.finished();
    return {
      rows: this.#rows,
      commit: async () => {
        await keep();
        return { parts: [], counts: {} };
      },
      abort: async () => {},
    };
  }

  async abort(): Promise<void> {}
}

/** Creates a sink that gives all events to two; what the first one commits counts. */
export function bothSinks(first: Sink, second: Sink): Sink {
  return {
    openSplit(splitId): SplitSink {
      const splits = [first.openSplit(splitId), second.openSplit(splitId)] as const;
      const abort = async () => {
        for (const split of splits) await split.abort();
      };
      return {
        async write(events, origin) {
          for (const split of splits) await split.write(events, origin);
        },
        async finish() {
          const [one, other] = [await splits[0].finish(), await splits[1].finish()];
          return {
            rows: one.rows,
            async commit() {
              await other.commit();
              return one.commit();
            },
            async abort() {
              await one.abort();
              await other.abort();
            },
          };
        },
        abort,
      };
    },
  };
}

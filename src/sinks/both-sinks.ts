import type { Sink, SplitSink } from "./sink.js";

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

import { type EventBatch, outcomes } from "../batch/event-batch.js";
import type { Kernel } from "../batch/kernel.js";
import type { Origin, Sink, SplitSink, WrittenEvents } from "../sinks/sink.js";
import { type EventGroups, GroupWriter, groupsFileOf } from "./event-groups.js";
import type { KeyDigests } from "./key-digests.js";
import { POSITION_UNKNOWN, type RangeKeys } from "./key-file.js";
import { KeyBuffer, KeyWriter } from "./key-writer.js";

interface KeySinkOptions {
  readonly kernel: Kernel;
  readonly digests: KeyDigests;
  /** Groups whose repeated events are counted; absent if nothing is counted. */
  readonly groups?: EventGroups;
  readonly temporaryDirectory: string;
  pathOf(splitId: string): string;
  /** Returns the index of the range that is read. */
  rangeNow(): number;
}

/** Creates a sink that keeps the keys of events, in one file for each split. */
export function createKeySink(options: KeySinkOptions): Sink {
  const buffer = new KeyBuffer(options.kernel);
  return { openSplit: (splitId) => new KeySplit(options, buffer, splitId) };
}

const nothingRead: RangeKeys = { source: "", events: 0, base: 0, unit: "row" };

class KeySplit implements SplitSink {
  readonly #writer: KeyWriter;
  readonly #groups: GroupWriter | undefined;
  readonly #ranges: RangeKeys[] = [];
  #events = 0;

  constructor(
    private readonly options: KeySinkOptions,
    buffer: KeyBuffer,
    splitId: string,
  ) {
    const path = options.pathOf(splitId);
    options.groups?.clear();
    this.#groups = options.groups && new GroupWriter(groupsFileOf(path));
    this.#writer = new KeyWriter(buffer, path, options.temporaryDirectory);
  }

  async write(events: EventBatch, origin: Origin): Promise<void> {
    if (events.rows === 0) return;
    const { raw } = events.batch;
    const index = this.options.rangeNow();
    while (this.#ranges.length <= index) this.#ranges.push(nothingRead);
    const known = this.#ranges[index] ?? nothingRead;
    const range = known === nothingRead ? beginRange(events, origin) : known;
    const delivered = events.kernel.run.countOutcomes(
      events.outcomes,
      events.rows,
      outcomes.deliver,
    );
    // Before the keys: kernel memory that grows would leave them behind.
    const groups = this.options.groups?.take(events);
    if (groups !== undefined) this.#groups?.add(groups);
    const { entries, buckets } = this.options.digests.take(events, this.#events);
    const { unit, base } = range;
    this.#writer.add(entries, buckets, (row) => {
      const source = events.sourceRow(row);
      const position = unit === "row" ? raw.number(source) : raw.offset(source);
      return position === undefined
        ? POSITION_UNKNOWN
        : Math.min(position - base, POSITION_UNKNOWN);
    });
    this.#ranges[index] = { ...range, events: range.events + delivered };
    this.#events += delivered;
  }

  async finish(): Promise<WrittenEvents> {
    this.#writer.finish(this.#ranges, this.#events, this.options.groups?.groups);
    this.#groups?.close();
    return {
      rows: this.#events,
      commit: async () => {
        await this.#writer.commit();
        return { parts: [], counts: {} };
      },
      abort: async () => this.#writer.abort(),
    };
  }

  async abort(): Promise<void> {
    this.#groups?.close();
    this.#writer.abort();
  }
}

/** Positions count from the first row: they stay small in files of any size. */
function beginRange(events: EventBatch, origin: Origin): RangeKeys {
  const { source } = origin.place(events, 0);
  const { raw } = events.batch;
  const row = events.sourceRow(0);
  const unit = raw.number(row) === undefined ? "byte" : "row";
  const first = unit === "row" ? raw.number(row) : raw.offset(row);
  return { source, events: 0, base: first ?? 0, unit };
}

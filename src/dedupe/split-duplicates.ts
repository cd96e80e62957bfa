import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { writeDurably } from "../base/durable-file.js";
import { SourceError, SwitchyardError } from "../base/errors.js";
import { createZone } from "../base/luxon-zone.js";
import { option } from "../base/option-text.js";
import { toOutputError } from "../base/output-error.js";
import { type EventBatch, outcomes } from "../batch/event-batch.js";
import { type Kernel, Region } from "../batch/kernel.js";
import type { LedgerWriter } from "../ledger/ledger-writer.js";
import type { SourceFailure } from "../ledger/manifest.js";
import type { DedupeOptions } from "../options/dedupe-options.js";
import { type Layout, rejectsNameOf } from "../output/layout.js";
import type { Split } from "../plan/plan.js";
import { EventCounts } from "../profile/event-counts.js";
import type { Origin } from "../sinks/sink.js";
import { type DropList, readDrops } from "./drop-list.js";
import { KEY_CHECK, KEY_ORDINAL, KEY_ROW, KEY_WORDS, KeyDigests } from "./key-digests.js";
import { KeyFile } from "./key-file.js";
import { dropFileOf, keyFileOf, keyLayoutOf, keySplitOf, readKeyRecord } from "./key-layout.js";

/** Characters of a target that the list of duplicates shows. */
const KEY_TEXT_MAX = 1_000;

interface DuplicateTools {
  readonly kernel: Kernel;
  readonly layout: Layout;
  readonly ledger: LedgerWriter;
  /** Read rows beyond the keys of a range that failed: altered ones are left out later. */
  readonly leavesOutAltered: boolean;
}

/** Opens the duplicates of splits in a worker; uses kernel memory that is allocated once. */
export class Duplicates {
  readonly digests: KeyDigests;
  readonly marks: Region;
  #counts: EventCounts | undefined;

  constructor(
    readonly tools: DuplicateTools,
    readonly options: DedupeOptions,
  ) {
    this.digests = new KeyDigests(tools.kernel, options);
    this.marks = new Region(tools.kernel, 0);
  }

  /** Counts removed events; made for the first one, because it takes much memory. */
  get counts(): EventCounts {
    this.#counts ??= new EventCounts(this.tools.kernel, createZone(this.options.dayZone));
    return this.#counts;
  }

  /** Throws `KeyDamage` if the files of the split are damaged. */
  async open(split: Split): Promise<SplitDuplicates> {
    const paths = keyLayoutOf(this.tools.layout);
    const { id } = keySplitOf(split);
    const record = await readKeyRecord(paths, id);
    return new SplitDuplicates(this, split, {
      keys: new KeyFile(keyFileOf(paths, id)),
      drops: readDrops(dropFileOf(paths, id)),
      failures: record?.failures ?? [],
    });
  }
}

interface SplitKeys {
  readonly keys: KeyFile;
  readonly drops: DropList;
  /** Failures of the sources whose keys were not read completely. */
  readonly failures: readonly SourceFailure[];
}

/** Marks the events of a split that repeat earlier ones, counts them, and lists some of them. */
export class SplitDuplicates {
  /** Ordinal of the next delivered event. */
  #ordinal = 0;
  /** Ordinal after the last key of the range. */
  #end = 0;
  /** Index of the next drop. */
  #next = 0;
  #failure: SourceFailure | undefined;
  readonly #sources = new Map<string, number>();
  readonly #lines: string[] = [];

  constructor(
    private readonly shared: Duplicates,
    private readonly split: Split,
    private readonly known: SplitKeys,
  ) {
    if (known.drops.ordinals.length > 0) shared.counts.clear();
  }

  /** Digest of the drop list; empty without drops. */
  get digest(): string {
    return this.known.drops.digest;
  }

  begin(range: number): void {
    const { keys, drops, failures } = this.known;
    const starts = keys.rangeStarts;
    this.#ordinal = starts[range] ?? keys.trailer.events;
    this.#end = starts[range + 1] ?? keys.trailer.events;
    const name = this.split.ranges[range]?.source.name;
    this.#failure = failures.find(({ source }) => source === name);
    const next = drops.ordinals.findIndex((ordinal) => ordinal >= this.#ordinal);
    this.#next = next < 0 ? drops.ordinals.length : next;
  }

  /**
   * Gives repeated events the outcome `duplicate`. Throws `keys_differ` if the events differ from
   * those whose keys were read.
   */
  mark(events: EventBatch, origin: Origin): void {
    const { kernel, rows, outcomes: address } = events;
    const count = kernel.run.countOutcomes(address, rows, outcomes.deliver);
    const first = this.#ordinal;
    this.#ordinal += count;
    if (this.#ordinal > this.#end) this.#exceed();
    const next = this.known.drops.ordinals[this.#next] ?? Number.POSITIVE_INFINITY;
    if (next >= Math.min(this.#ordinal, this.#end)) return;
    this.#drop(events, origin, first);
  }

  /**
   * Call it at the end of a range. If rows were beyond its keys, returns why the keys were not read
   * completely.
   */
  endRange(): SourceFailure | undefined {
    if (this.#ordinal === this.#end) return undefined;
    if (this.#failure === undefined) throw this.#differs();
    return this.#failure;
  }

  /** Makes the counts and the list durable; they count once the split is in the ledger. */
  async commit(): Promise<void> {
    if (this.#sources.size === 0) return;
    const { layout, ledger } = this.shared.tools;
    const { temporaryDirectory, duplicatesDirectory } = layout;
    await ledger.writeDuplicates(this.split.id, {
      sources: [...this.#sources],
      events: this.#events,
    });
    try {
      await mkdir(duplicatesDirectory, { recursive: true });
      const path = join(duplicatesDirectory, rejectsNameOf(this.split.id));
      await writeDurably(path, this.#lines.join(""), { temporaryDirectory });
    } catch (error) {
      throw toOutputError(duplicatesDirectory, error);
    }
  }

  #events: ReturnType<EventCounts["events"]> = { names: [], days: [] };

  /** Call it before the next split is opened: splits share the memory. */
  finish(): void {
    if (this.#sources.size > 0) this.#events = this.shared.counts.events();
  }

  #exceed(): void {
    if (this.#failure === undefined) throw this.#differs();
    if (this.shared.tools.leavesOutAltered) return;
    throw new SourceError(this.#failure.code, {}, this.#failure.message);
  }

  #drop(events: EventBatch, origin: Origin, first: number): void {
    const { kernel, rows, outcomes: address } = events;
    const { ordinals, checks } = this.known.drops;
    const { marks, digests, counts } = this.shared;
    marks.ensure(rows);
    const { entries } = digests.take(events, first);
    const { bytes } = kernel;
    bytes.fill(1, marks.address, marks.address + rows);
    const end = Math.min(this.#ordinal, this.#end);
    const before = this.#next;
    let entry = 0;
    for (let ordinal = ordinals[before]!; ordinal < end; ordinal = ordinals[this.#next]!) {
      while (entry < entries.length && entries[entry + KEY_ORDINAL]! < ordinal) entry += KEY_WORDS;
      const isKnown =
        entries[entry + KEY_ORDINAL] === ordinal &&
        entries[entry + KEY_CHECK] === checks[this.#next];
      if (!isKnown) throw this.#differs();
      const row = entries[entry + KEY_ROW]!;
      bytes[marks.address + row] = outcomes.deliver;
      bytes[address + row] = outcomes.duplicate;
      this.#list(events, origin, row);
      this.#next++;
    }
    const { event, timestamps } = events;
    counts.take({ rows, outcomes: marks.address, event, timestamps });
    const { source } = origin.place(events, 0);
    this.#sources.set(source, (this.#sources.get(source) ?? 0) + this.#next - before);
  }

  #list(events: EventBatch, origin: Origin, row: number): void {
    const first = this.known.drops.kept[this.#next];
    if (first === undefined) return;
    const { by } = this.shared.options;
    const time = events.kernel.doubles[events.timestamps / 8 + row]!;
    // No option drops or hashes the distinct id, so it is not shown.
    const shown = by.filter((target) => target !== "distinctID");
    const texts = shown.map((target) => {
      const text =
        target === "timestamp" ? time : events[target]?.text(row)?.slice(0, KEY_TEXT_MAX);
      return [target, text ?? null];
    });
    const line = {
      ...origin.place(events, row),
      event: events.event.text(row),
      timestamp: time,
      key: Object.fromEntries(texts),
      first,
    };
    this.#lines.push(`${JSON.stringify(line)}\n`);
  }

  #differs(): SwitchyardError {
    return new SwitchyardError(
      "keys_differ",
      `split ${this.split.id}: its events are not those whose keys were read before. An input changed while it was read, or the transform gives other results for the same event: run again with ${option("fresh")}, without changes`,
    );
  }
}

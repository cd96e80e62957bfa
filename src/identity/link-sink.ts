import { rmSync } from "node:fs";
import { join } from "node:path";
import { moveDurably } from "../base/durable-file.js";
import { asOutput } from "../base/output-error.js";
import type { Column } from "../batch/column.js";
import { type EventBatch, outcomes } from "../batch/event-batch.js";
import { ID_ENTRY_ROW, ID_ENTRY_WORDS } from "../batch/id-digests.js";
import type { Sink, SplitSink, WrittenEvents } from "../sinks/sink.js";
import { LinkFileWriter, type LinkRun } from "./link-file.js";
import type { RuleLinks } from "./link-mapper.js";
import { type FoundLink, LinkRecords } from "./link-records.js";

/** Distinct links that a thread holds until it writes them; more of their texts are written earlier. */
const LINKS_MAX = 2 ** 16;
const SLOTS = 2 ** 18;
const TEXT_BYTES_MAX = 2 ** 24;

/** Facts of a split beside its file. */
export interface SplitLinks {
  readonly runs: readonly LinkRun[];
  /** Placeholder ids, each once. */
  readonly placeholders: readonly string[];
  /** As in `LinkFileWriter`. */
  readonly hasStatements: boolean;
}

interface LinkSinkOptions {
  readonly links: readonly RuleLinks[];
  readonly prefix: string | undefined;
  readonly temporaryDirectory: string;
  pathOf(splitId: string): string;
  /** Saves what is needed to read the file of a split. */
  save(splitId: string, found: SplitLinks): Promise<void>;
}

/** Creates a sink that keeps the distinct links of rows, in one file for each split. */
export function createLinkSink(options: LinkSinkOptions): Sink {
  const table = new LinkTable(options.links.length);
  return { openSplit: (splitId) => new LinkSplit(options, table, splitId) };
}

class LinkSplit implements SplitSink {
  readonly #writer: LinkFileWriter;
  readonly #records: readonly LinkRecords[];
  readonly #placeholders = new Set<string>();
  #rows = 0;

  constructor(
    private readonly options: LinkSinkOptions,
    private readonly table: LinkTable,
    private readonly splitId: string,
  ) {
    const { links, prefix, temporaryDirectory } = options;
    table.clear();
    const writer = new LinkFileWriter(join(temporaryDirectory, `links-${splitId}`));
    this.#writer = writer;
    this.#records = links.map(
      ({ rule }) =>
        new LinkRecords(
          rule,
          prefix,
          (record) => writer.add(record),
          (id) => this.#placeholders.add(id),
        ),
    );
  }

  async write({ kernel, rows, outcomes: address, timestamps }: EventBatch): Promise<void> {
    for (const [number, links] of this.options.links.entries()) {
      const entries = links.entries(rows);
      for (let entry = 0; entry < entries.length; entry += ID_ENTRY_WORDS) {
        const row = entries[entry + ID_ENTRY_ROW]!;
        const timeMs = kernel.doubles[timestamps / 8 + row]!;
        if (this.table.has(entries, entry, number, timeMs)) continue;
        this.table.add(links.from, links.to, row);
        if (this.table.isFull) this.#flush();
      }
    }
    this.#rows += kernel.run.countOutcomes(address, rows, outcomes.deliver);
  }

  async finish(): Promise<WrittenEvents> {
    this.#flush();
    const runs = this.#writer.close();
    const { path, hasStatements } = this.#writer;
    const found = { runs, placeholders: [...this.#placeholders].sort(), hasStatements };
    return {
      rows: this.#rows,
      commit: async () => {
        const target = this.options.pathOf(this.splitId);
        if (runs.length > 0) await asOutput(target, () => moveDurably(path, target));
        await this.options.save(this.splitId, found);
        return { parts: [], counts: {} };
      },
      abort: async () => rmSync(path, { force: true }),
    };
  }

  async abort(): Promise<void> {
    this.#writer.close();
    rmSync(this.#writer.path, { force: true });
  }

  #flush(): void {
    for (const [rule, link] of this.table.links()) this.#records[rule]?.add(link);
    this.#writer.endRun();
    this.table.clear();
  }
}

/** Distinct links with their earliest times, by the digest of both ids and the rule. */
class LinkTable {
  readonly #slots = new Uint32Array(SLOTS);
  readonly #keys = new Uint32Array(4 * LINKS_MAX);
  readonly #rules = new Uint8Array(LINKS_MAX);
  readonly #times = new Float64Array(LINKS_MAX);
  /** Ends of the texts of `from` and `to` of each link. */
  readonly #ends = new Uint32Array(2 * LINKS_MAX);
  #texts = new Uint8Array(2 ** 16);
  #count = 0;

  constructor(private readonly rules: number) {}

  /** True if another link may not have room. */
  get isFull(): boolean {
    return this.#count === LINKS_MAX || this.#textEnd >= TEXT_BYTES_MAX;
  }

  clear(): void {
    this.#slots.fill(0);
    this.#count = 0;
  }

  /**
   * Returns true if the table has the link of an entry, whose time it lowers. Otherwise begins the link, which
   * `add` must follow.
   */
  has(entries: Uint32Array, entry: number, rule: number, timeMs: number): boolean {
    const keys = this.#keys;
    const first = entries[entry]! ^ (rule * 0x9e37_79b1);
    const mask = SLOTS - 1;
    for (let slot = (first ^ entries[entry + 2]!) & mask; ; slot = (slot + 1) & mask) {
      const link = this.#slots[slot]! - 1;
      if (link < 0) {
        const added = this.#count;
        this.#slots[slot] = added + 1;
        for (let word = 0; word < 4; word++) keys[4 * added + word] = entries[entry + word]!;
        this.#rules[added] = rule;
        this.#times[added] = timeMs;
        return false;
      }
      const isSame =
        keys[4 * link] === entries[entry] &&
        keys[4 * link + 1] === entries[entry + 1] &&
        keys[4 * link + 2] === entries[entry + 2] &&
        keys[4 * link + 3] === entries[entry + 3] &&
        this.#rules[link] === rule;
      if (!isSame) continue;
      if (timeMs < this.#times[link]!) this.#times[link] = timeMs;
      return true;
    }
  }

  add(from: Column, to: Column, row: number): void {
    const link = this.#count;
    let end = this.#textEnd;
    this.#ends[2 * link] = end = this.#append(from.bytes(row), end);
    this.#ends[2 * link + 1] = this.#append(to.bytes(row), end);
    this.#count++;
  }

  *links(): Generator<readonly [rule: number, link: FoundLink]> {
    for (let rule = 0; rule < this.rules; rule++) {
      let start = 0;
      for (let link = 0; link < this.#count; link++) {
        const [middle, end] = [this.#ends[2 * link]!, this.#ends[2 * link + 1]!];
        if (this.#rules[link] === rule) {
          const from = decoder.decode(this.#texts.subarray(start, middle));
          const to = decoder.decode(this.#texts.subarray(middle, end));
          yield [rule, { from, to, timeMs: this.#times[link]! }];
        }
        start = end;
      }
    }
  }

  get #textEnd(): number {
    return this.#count === 0 ? 0 : this.#ends[2 * this.#count - 1]!;
  }

  #append(text: Uint8Array, start: number): number {
    const end = start + text.length;
    if (end > this.#texts.length) {
      const texts = new Uint8Array(Math.max(end, 2 * this.#texts.length));
      texts.set(this.#texts);
      this.#texts = texts;
    }
    this.#texts.set(text, start);
    return end;
  }
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

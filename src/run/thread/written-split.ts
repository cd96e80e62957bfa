import { omitUndefined } from "../../base/omit-undefined.js";
import { toOutputError } from "../../base/output-error.js";
import type { SplitDuplicates } from "../../dedupe/split-duplicates.js";
import type { SplitRecord } from "../../ledger/ledger-records.js";
import type { LedgerWriter } from "../../ledger/ledger-writer.js";
import type { Layout } from "../../output/layout.js";
import type { SplitEvents } from "../../profile/event-counts.js";
import type { WrittenEvents } from "../../sinks/sink.js";
import type { SplitRenames } from "../../target/split-renames.js";
import type { SplitRejects } from "./split-rejects.js";

/** The tools that commit a split. */
export interface CommitTools {
  readonly layout: Layout;
  readonly ledger: LedgerWriter;
}

/** The parts of a written split. */
interface SplitResults {
  readonly events: WrittenEvents;
  readonly rejects: SplitRejects;
  /** Absent without `dedupe`. */
  readonly duplicates: SplitDuplicates | undefined;
  /** Counts by event name; absent if the run does not need them. */
  readonly counted: SplitEvents | undefined;
  /** Names that the target does not take; absent if it takes all. */
  readonly renames: SplitRenames | undefined;
  /** The fields of the record that are known before the commit. */
  readonly record: Omit<SplitRecord, "rejects" | "parts" | "staged" | "spill" | "counts">;
}

/**
 * A split that is written but not yet durable and visible. It shares no state with the next split
 * of its worker, which can be read while this one waits for the disk.
 */
export class WrittenSplit {
  constructor(
    private readonly results: SplitResults,
    private readonly tools: CommitTools,
  ) {}

  get id(): string {
    return this.results.record.id;
  }

  /** Commits the split to the ledger. On an error it discards what was written. */
  async commit(): Promise<SplitRecord> {
    try {
      return await this.#commit();
    } catch (error) {
      await this.abort();
      throw toOutputError(this.tools.layout.outputDirectory, error);
    }
  }

  async abort(): Promise<void> {
    const { events, rejects } = this.results;
    await events.abort();
    rejects.abort();
  }

  async #commit(): Promise<SplitRecord> {
    const { events, rejects, duplicates, counted, renames, record } = this.results;
    const { ledger } = this.tools;
    // In parallel, because each waits for the disk. Without the record of the split neither counts.
    const [committed, ...listed] = await Promise.allSettled([
      events.commit(),
      counted && ledger.writeEvents(record.id, counted),
      renames && ledger.writeRenames(record.id, renames),
    ]);
    if (committed.status === "rejected") throw committed.reason;
    for (const one of listed) if (one.status === "rejected") throw one.reason;
    await rejects.commit();
    await duplicates?.commit();
    const { parts, counts, spill, staged } = committed.value;
    const { notices, ...facts } = record;
    const whole: SplitRecord = {
      ...facts,
      rejects: rejects.summary(),
      notices,
      parts,
      ...omitUndefined({ staged, spill }),
      ...(Object.keys(counts).length === 0 ? {} : { counts }),
    };
    await ledger.writeSplit(whole);
    return whole;
  }
}

import { toOutputError } from "../../base/output-error.js";
import type { SplitEvents } from "../../profile/split-events.js";
import type { WrittenEvents } from "../../sinks/sink.js";
import type { Layout } from "../ledger/layout.js";
import type { SplitRecord } from "../ledger/ledger-records.js";
import type { LedgerWriter } from "../ledger/ledger-writer.js";
import type { SplitRejects } from "./split-rejects.js";

/** Where a split is committed to. */
export interface CommitTools {
  readonly layout: Layout;
  readonly ledger: LedgerWriter;
}

/** What there is of a split once it is written. */
export interface SplitResults {
  readonly events: WrittenEvents;
  readonly rejects: SplitRejects;
  /** Absent where nobody asks how many events there are of which name. */
  readonly counted: SplitEvents | undefined;
  /** What the ledger will hold, as far as it is known before the commit. */
  readonly record: Omit<SplitRecord, "rejects" | "parts" | "spill" | "counts">;
}

/**
 * A split that is written, to be made durable and visible. It shares nothing that the next split of
 * its worker changes, so that one can be read while this one waits for the disk.
 */
export class WrittenSplit {
  constructor(
    private readonly results: SplitResults,
    private readonly tools: CommitTools,
  ) {}

  get id(): string {
    return this.results.record.id;
  }

  /** Ends in the ledger. After an error, what was written has been thrown away. */
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
    const { events, rejects, counted, record } = this.results;
    const { ledger } = this.tools;
    // Together, as each waits for the disk; without the split's record neither counts.
    const [committed, listed] = await Promise.allSettled([
      events.commit(),
      counted && ledger.writeEvents(record.id, counted),
    ]);
    if (committed.status === "rejected") throw committed.reason;
    if (listed.status === "rejected") throw listed.reason;
    await rejects.commit();
    const { parts, counts, spill } = committed.value;
    const { notices, ...facts } = record;
    const whole: SplitRecord = {
      ...facts,
      rejects: rejects.summary(),
      notices,
      parts,
      ...(spill === undefined ? {} : { spill }),
      ...(Object.keys(counts).length === 0 ? {} : { counts }),
    };
    await ledger.writeSplit(whole);
    return whole;
  }
}

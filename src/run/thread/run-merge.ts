import { SwitchyardError } from "../../base/errors.js";
import { toOutputError } from "../../base/output-error.js";
import type { MergeRecord } from "../../ledger/ledger-records.js";
import type { LedgerWriter } from "../../ledger/ledger-writer.js";
import type { Layout } from "../../output/layout.js";
import type { MergeTask, MergeWatch } from "../../sinks/day-merge.js";
import type { WrittenEvents } from "../../sinks/sink.js";
import type { ThreadCounters } from "./thread-counters.js";

export interface MergeWork extends MergeTask {
  /** Rows of all packs and staged parts of its days. */
  readonly rows: number;
}

/** The tools of a worker that merges days. */
export interface MergeTools {
  readonly layout: Layout;
  readonly ledger: LedgerWriter;
  readonly counters: ThreadCounters;
  /** Absent if no row of the sink waits. */
  readonly mergeDays?: (task: MergeTask, watch: MergeWatch) => Promise<WrittenEvents>;
}

/**
 * Runs one merge from the spill files to its record in the ledger. On an error it discards what was
 * written and throws. `checkpoint` throws when the run is stopped.
 */
export async function runMerge(
  work: MergeWork,
  { layout, ledger, counters, mergeDays }: MergeTools,
  checkpoint: () => void,
): Promise<MergeRecord> {
  if (mergeDays === undefined) throw new Error("this worker merges nothing");
  let written: WrittenEvents | undefined;
  try {
    written = await mergeDays(work, watchWith(counters, checkpoint));
    checkAccounts(work, written.rows);
    const { parts } = await written.commit();
    const record: MergeRecord = { id: work.id, rows: written.rows, parts };
    await ledger.writeMerge(record);
    return record;
  } catch (error) {
    await written?.abort();
    throw toOutputError(layout.outputDirectory, error);
  }
}

function watchWith(counters: ThreadCounters, checkpoint: () => void): MergeWatch {
  let [rows, bytes] = [0, 0];
  return {
    checkpoint,
    taken(moreRows, moreBytes) {
      rows += moreRows;
      bytes += moreBytes;
      counters.set(rows, 0, bytes);
    },
  };
}

function checkAccounts({ id, rows }: MergeWork, written: number): void {
  if (written === rows) return;
  throw new SwitchyardError(
    "accounts_differ",
    `merge ${id}: ${rows} rows were waiting, but ${written} written; this is a defect of Switchyard, and nothing of this merge was committed`,
  );
}

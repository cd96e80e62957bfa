import { SwitchyardError } from "../../base/errors.js";
import { toOutputError } from "../../base/output-error.js";
import type { MergeTask, MergeWatch } from "../../sinks/day-merge.js";
import type { WrittenEvents } from "../../sinks/sink.js";
import type { Layout } from "../ledger/layout.js";
import type { MergeRecord } from "../ledger/ledger-records.js";
import type { LedgerWriter } from "../ledger/ledger-writer.js";
import type { ThreadCounters } from "../worker/thread-counters.js";

export interface MergeWork extends MergeTask {
  /** That all packs of its days have together. */
  readonly rows: number;
}

/** What a worker has to merge days with. */
export interface MergeTools {
  readonly layout: Layout;
  readonly ledger: LedgerWriter;
  readonly counters: ThreadCounters;
  /** Absent where nothing is ever spilled. */
  readonly mergeDays?: (task: MergeTask, watch: MergeWatch) => Promise<WrittenEvents>;
}

/**
 * Runs one merge from the spill files to its place in the ledger. Whatever goes wrong is thrown, after
 * what was written has been thrown away. `checkpoint` throws when the run is to stop.
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
    `merge ${id}: ${rows} rows spilled, but ${written} written: this is a defect of Switchyard, nothing of this merge was committed`,
  );
}

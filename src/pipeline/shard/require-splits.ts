import { SwitchyardError } from "../../base/errors.js";
import type { Layout } from "../ledger/layout.js";
import { readEpochs } from "../ledger/ledger.js";
import type { RunFacts } from "../ledger/resume.js";
import { assignSources } from "../ledger/source-epochs.js";

/** Throws `splits_missing` unless an earlier run has planned all inputs and each split has a record. */
export async function requireSplits(layout: Layout, facts: RunFacts): Promise<void> {
  const saved = await readEpochs(layout, facts.sources);
  const { fresh } = assignSources(
    saved.map(({ record }) => record),
    facts,
  );
  if (saved.length === 0 || fresh.sources.length > 0) {
    const what = saved.length === 0 ? "all inputs" : `${fresh.sources.length} inputs`;
    throw missing(layout, `${what} are not planned yet`);
  }
  let splits = 0;
  let done = 0;
  for (const { ledger, record } of saved) {
    const recorded = new Set((await ledger.readSplits()).map(({ id }) => id));
    splits += record.plan.splits.length;
    done += record.plan.splits.filter(({ id }) => recorded.has(id)).length;
  }
  if (done < splits) throw missing(layout, `${splits - done} of ${splits} splits are not read yet`);
}

function missing({ outputDirectory }: Layout, what: string): SwitchyardError {
  return new SwitchyardError(
    "splits_missing",
    `${outputDirectory}: ${what}; run each shard to its end, or leave out --finish to read them here`,
  );
}

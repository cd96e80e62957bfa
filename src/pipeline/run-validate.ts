import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asOutput } from "../base/output-error.js";
import { ProfileFold } from "../profile/profile-fold.js";
import { EventFold } from "./event-fold.js";
import { layoutOf } from "./ledger/layout.js";
import { Ledger } from "./ledger/ledger.js";
import type { SplitRecord } from "./ledger/ledger-records.js";
import { recordRunOptions } from "./ledger/recorded-options.js";
import { checkEvents } from "./manifest-fold.js";
import type { ValidateOptions, ValidateRequest } from "./options.js";
import type { RunContext } from "./progress.js";
import { type CountedReport, foldReport, type ReportFacts } from "./report/fold-report.js";
import type { ValidateResult } from "./report/validate-result.js";
import { type AccountFacts, foldAccounts, inOrder } from "./run-accounts.js";
import { exceeds, outcomeOf, type RunOutside, runSplits } from "./run-splits.js";
import { pieceBytesOf, RangeSampler } from "./worker/sample-ranges.js";
import { budgetThreads } from "./worker/thread-count.js";

/** What a report says in words that are not this room's. */
export type ReportWords = Pick<ReportFacts, "adviceOn">;

/**
 * Reads and maps inputs like an export of the same options, and finds out what there is to know about
 * them. Nothing is kept: the ledger is in a directory of its own below `scratchDirectory`, which is
 * removed at the end, however it ends. Throws like `runSplits`.
 */
export async function runValidate(
  request: ValidateRequest,
  context: RunContext,
  outside: RunOutside,
  words: ReportWords,
  scratchDirectory = tmpdir(),
): Promise<ValidateResult> {
  const { sampleShare, reportDirectory: _, ...runOptions } = request;
  const recorded = { ...(await recordRunOptions(request)), dayZone: request.dayZone };
  const outputDirectory = await asOutput(scratchDirectory, () =>
    mkdtemp(join(scratchDirectory, "switchyard-validate-")),
  );
  const options: ValidateOptions = { ...runOptions, outputDirectory, nowMs: outside.now() };
  const layout = layoutOf(outputDirectory, "events");
  const ledger = new Ledger(layout);
  const sampler = new RangeSampler(sampleShare);
  let counted: CountedReport | undefined;
  try {
    const ended = await runSplits(
      {
        ...{ options, recorded, layout },
        async fold(accountFacts, records) {
          const folded = await foldProfiles(accountFacts, records, ledger);
          const facts = {
            ...{ accounts: folded.accounts, dayZone: request.dayZone, ...words },
            ...{ threads: budgetThreads(options).threads, sampleShare: sampler.chosenShare },
          };
          counted = foldReport(facts, folded.profile, folded.events);
          return { manifest: folded.accounts };
        },
      },
      context,
      sampleShare < 1 ? sampled(outside, sampler) : outside,
    );
    if (counted === undefined) throw new Error("a dry run ended without its report");
    const { manifest, work } = ended;
    return {
      ...{ outcome: outcomeOf(ended), counted, failures: manifest.failures },
      tooManyRejects: exceeds(manifest.rows, request.maxRejects),
      rowsRead: work?.rows ?? 0,
      bytesRead: work?.bytes ?? 0,
      durationMs: manifest.run.durationMs,
    };
  } finally {
    await rm(outputDirectory, { recursive: true, force: true });
  }
}

/** Cuts sources into small pieces, and leaves most of them out of the plan. */
function sampled(outside: RunOutside, sampler: RangeSampler): RunOutside {
  return {
    ...outside,
    async planRanges(source, _, options) {
      const pieces = await outside.planRanges(source, pieceBytesOf(source), options);
      return sampler.choose(source, pieces);
    },
  };
}

async function foldProfiles(
  facts: AccountFacts,
  records: readonly SplitRecord[],
  ledger: Pick<Ledger, "readProfile">,
) {
  const accounts = foldAccounts(facts, records);
  const events = new EventFold();
  const profile = new ProfileFold();
  // One at a time, and in the order of the splits: what finds no place depends on it.
  for (const { id } of inOrder(records)) {
    const split = await ledger.readProfile(id);
    profile.add(split, events.add(split.events));
  }
  checkEvents(accounts.rows, events.result([]));
  return { accounts, events, profile };
}

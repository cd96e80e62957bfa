import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { version } from "../base/version.js";
import { countAcknowledged } from "../sinks/webhook/acknowledgements.js";
import { journalNameOf } from "../sinks/webhook/webhook-sink.js";
import type { RunOutcome } from "./export-result.js";
import { type Layout, layoutOf } from "./layout.js";
import { listOrNone, type SplitRecord } from "./ledger.js";
import type { SendOptions, SendRequest } from "./options.js";
import type { RunContext } from "./progress.js";
import { recordRunOptions } from "./recorded-options.js";
import { type AccountFacts, foldAccounts, foldNumbers } from "./run-accounts.js";
import { checkAccounts } from "./run-split.js";
import { type EndedRun, exceeds, type RunOutside, runSplits } from "./run-splits.js";
import type { DeliveryCounts, SendManifest, SendResult } from "./send-result.js";
import { writeSentRun } from "./sent-run.js";

/**
 * Sends events from their inputs to a service, or goes on with what an earlier run of the same
 * request has left. Throws `UsageError` where it cannot begin, and `SwitchyardError` where it cannot
 * go on (the service refuses, disk full).
 */
export async function runSend(
  request: SendRequest,
  context: RunContext,
  outside: RunOutside,
): Promise<SendResult> {
  const { runsDirectory, command, ...options } = request;
  const mapped = await recordRunOptions(request);
  const { destination, body, batchRows, inputs, cwd } = request;
  const recorded = { ...mapped, destination, body, batchRows };
  const { splitBytes: _, ...deciding } = mapped;
  const runId = digestOf([destination, cwd, inputs, deciding]).slice(0, 12);
  const layout = layoutOf(join(runsDirectory, runId), "events");
  const sendOptions: SendOptions = {
    ...options,
    outputDirectory: layout.outputDirectory,
    keySeed: digestOf([version, recorded]),
  };
  const ended = await runSplits<SendManifest>(
    {
      ...{ options: sendOptions, recorded, layout },
      fold: (facts, records) => ({ manifest: foldSend(facts, records, destination) }),
      begun: ({ startedAt }) =>
        writeSentRun(layout, { runId, destination, inputs, directory: cwd, startedAt, command }),
      committed({ id, status }) {
        // What is read again after its source was repaired has to know what was sent of it.
        if (status === "complete") rmSync(journalOf(layout, id), { force: true });
      },
    },
    context,
    outside,
  );
  return describe(ended, request, runId, layout);
}

function journalOf({ acknowledgedDirectory }: Layout, splitId: string): string {
  return join(acknowledgedDirectory, journalNameOf(splitId));
}

function digestOf(facts: unknown): string {
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex");
}

function foldSend(
  facts: AccountFacts,
  records: readonly SplitRecord[],
  destination: string,
): SendManifest {
  const accounts = foldAccounts(facts, records);
  const counts = foldNumbers(records.map(({ counts = {} }) => counts));
  const delivery: DeliveryCounts = {
    delivered: counts["delivered"] ?? 0,
    retried: counts["retried"] ?? 0,
    possiblyTwice: counts["possiblyTwice"] ?? 0,
    waitedMs: counts["waitedMs"] ?? 0,
  };
  checkAccounts("total", accounts.rows, delivery.delivered);
  return { ...accounts, destination, delivery };
}

async function describe(
  { end, manifest, work }: EndedRun<SendManifest>,
  { maxRejects }: SendRequest,
  runId: string,
  layout: Layout,
): Promise<SendResult> {
  const { failures, rows, run } = manifest;
  const outcome: RunOutcome = end === "done" && failures.length > 0 ? "failed" : end;
  return {
    ...{ outcome, runId, manifest, manifestPath: layout.manifestFile, failures },
    deliveredBeyond: end === "interrupted" ? await deliveredInJournals(layout) : 0,
    tooManyRejects: exceeds(rows, maxRejects),
    alreadyDone: work === undefined,
    rowsRead: work?.rows ?? 0,
    durationMs: work === undefined ? 0 : run.durationMs,
  };
}

/** Events that were delivered of splits that are not finished. */
export async function deliveredInJournals({ acknowledgedDirectory }: Layout): Promise<number> {
  const names = await listOrNone(acknowledgedDirectory);
  return names.reduce(
    (sum, name) => sum + countAcknowledged(join(acknowledgedDirectory, name)).delivered,
    0,
  );
}

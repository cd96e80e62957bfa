import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { SwitchyardError } from "../base/errors.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { version } from "../base/package-files.js";
import { layoutOf } from "./ledger/layout.js";
import type { SplitRecord } from "./ledger/ledger-records.js";
import { recordRunOptions } from "./ledger/recorded-options.js";
import type { SendOptions, SendRequest } from "./options.js";
import { type AccountFacts, foldAccounts, foldNumbers } from "./run-accounts.js";
import type { RunJob, RunOutside } from "./run-job.js";
import type { RunContext } from "./run-observer.js";
import { runSplits } from "./run-splits.js";
import { type SendManifest, type SendResult, SendStopped } from "./send-result.js";
import { countSent, deliveryOf, findSentRun, journalOf, writeSentRun } from "./sent-runs.js";
import { checkAccounts } from "./worker/run-split.js";

/**
 * Sends the events of inputs to a service, or resumes an earlier run of the same request. Throws
 * `UsageError` if it cannot begin, and `SendStopped` if it cannot continue (the service refuses,
 * disk full).
 */
export async function runSend(
  request: SendRequest,
  context: RunContext,
  outside: RunOutside,
): Promise<SendResult> {
  const { destination, command, cwd: directory } = request;
  let isBegun = false;
  const { runId, job } = await prepare(request, () => {
    isBegun = true;
  });
  const standing = async () => {
    const sent = await countSent(job.layout);
    return { runId, destination, command, directory, sent };
  };
  const result = await runSplits(job, context, outside).catch(async (error: unknown) => {
    if (!isBegun || !(error instanceof SwitchyardError)) throw error;
    const known = await standing().catch(() => undefined);
    // A failure to count must not hide what went wrong.
    throw known === undefined ? error : new SendStopped(error, known);
  });
  return { ...(await standing()), ...result };
}

/** `begun` is called once there is a run that can be resumed. */
async function prepare(
  request: SendRequest,
  begun: () => void,
): Promise<{ readonly runId: string; readonly job: RunJob<SendManifest> }> {
  const { runsDirectory, command, ...options } = request;
  const mapped = await recordRunOptions(request);
  const { destination, body, batchRows, idempotency, inputs, cwd } = request;
  const recorded = {
    ...mapped,
    destination,
    body,
    batchRows,
    ...omitUndefined({ idempotency }),
  };
  const { splitBytes: _, ...deciding } = mapped;
  const identity = { destination, cwd, inputs, deciding };
  const known = request.fresh ? undefined : await findSentRun(runsDirectory, identity);
  const runId = known?.runId ?? digestOf([destination, cwd, inputs, deciding]).slice(0, 12);
  const layout = layoutOf(join(runsDirectory, runId), "events");
  const sendOptions: SendOptions = {
    ...options,
    outputDirectory: layout.outputDirectory,
    // Sent events cannot be undone.
    damaged: "keep",
    keySeed: digestOf([version, recorded]),
    isReached: known !== undefined && (await countSent(layout)).delivered > 0,
  };
  const job: RunJob<SendManifest> = {
    options: sendOptions,
    recorded,
    layout,
    isFinal: true,
    fold: (facts, records) => ({ manifest: foldSend(facts, records, destination) }),
    async begun({ startedAt }) {
      const all = [...new Set([...(known?.inputs ?? []), ...inputs])];
      const run = { runId, destination, inputs: all, directory: cwd, startedAt, command };
      await writeSentRun(layout, run);
      begun();
    },
    committed({ id, status }) {
      // The journal of an incomplete split is needed when its repaired source is read again.
      if (status === "complete") rmSync(journalOf(layout, id), { force: true });
    },
  };
  return { runId, job };
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
  const delivery = deliveryOf(foldNumbers(records.map(({ counts = {} }) => counts)));
  checkAccounts("total", accounts.rows, delivery.delivered);
  return { ...accounts, destination, delivery };
}

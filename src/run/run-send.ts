import { createHash } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { epochOf } from "../base/epoch.js";
import { SwitchyardError } from "../base/errors.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { version } from "../base/package-files.js";
import { foldNumbers } from "../base/sum.js";
import type { SplitRecord } from "../ledger/ledger-records.js";
import { recordRunOptions } from "../ledger/recorded-options.js";
import { type AccountFacts, foldAccounts } from "../ledger/run-accounts.js";
import { checkAccounts } from "../ledger/split-accounts.js";
import type { SendOptions, SendRequest } from "../options/options.js";
import { type Layout, layoutOf, layoutOfEpoch } from "../output/layout.js";
import { pathInOutput } from "../output/output-files.js";
import type { SignalledPlace } from "../output/output-place.js";
import { journalsOf } from "../webhook/webhook-sink.js";
import type { RunJob, RunPublisher } from "./run-job.js";
import type { RunResult } from "./run-splits.js";
import { type SendManifest, type SendResult, SendStopped } from "./send-result.js";
import { countSent, deliveryOf, findSentRun, withRun, writeSentRun } from "./sent-runs.js";

/** A run of sending that is ready to begin. */
export interface PreparedSend {
  /** The output directory is that of the run, or its address. */
  readonly options: SendOptions;
  /** Returns the job for the run's directory, or for a copy of it. */
  jobIn(directory: string, publisher?: RunPublisher): RunJob<SendManifest>;
}

/**
 * Sends the events of inputs to a service, or resumes an earlier run of the same request. `run` does the
 * work. Throws `UsageError` if it cannot begin, and `SendStopped` if it cannot continue (the service refuses,
 * disk full).
 */
export async function runSend(
  request: SendRequest,
  signal: AbortSignal,
  run: (prepared: PreparedSend) => Promise<RunResult<SendManifest>>,
): Promise<SendResult> {
  const { destination, command, cwd: directory, s3, runsDirectory } = request;
  const place: SignalledPlace = { directory: runsDirectory, s3, signal };
  let isBegun = false;
  const { runId, prepared } = await prepare(request, place, () => {
    isBegun = true;
  });
  const standing = async () => {
    const sent = await withRun(place, runId, countSent);
    return { runId, destination, command, directory, sent };
  };
  const result = await run(prepared).catch(async (error: unknown) => {
    if (!isBegun || !(error instanceof SwitchyardError)) throw error;
    const known = await standing().catch(() => undefined);
    // A failure to count must not hide the error of the run.
    throw known === undefined ? error : new SendStopped(error, known);
  });
  return { ...(await standing()), ...result };
}

/** `begun` is called once the run can be resumed. */
async function prepare(
  request: SendRequest,
  place: SignalledPlace,
  begun: () => void,
): Promise<{ readonly runId: string; readonly prepared: PreparedSend }> {
  const { runsDirectory, command, queue: _queue, ...others } = request;
  const { destination, inputs, cwd } = request;
  const mapped = await recordRunOptions(request);
  const { splitBytes: _, ...deciding } = mapped;
  const recorded = recordSendOptions(request, mapped);
  const identity = { destination, cwd, inputs, deciding };
  const known = request.fresh ? undefined : await findSentRun(place, identity);
  const runId = known?.runId ?? digestOf([destination, cwd, inputs, deciding]).slice(0, 12);
  const options: SendOptions = {
    ...others,
    outputDirectory: pathInOutput(runsDirectory, runId),
    // Events that were sent cannot be taken back.
    damaged: "keep",
    keySeed: digestOf([version, recorded]),
    isReached: known !== undefined && (await withRun(place, runId, countSent)).delivered > 0,
  };
  const jobIn: PreparedSend["jobIn"] = (outputDirectory, publisher) => {
    const layout = layoutOf(outputDirectory, "events");
    return {
      ...sendJob({ ...options, outputDirectory }, recorded, layout),
      publisher,
      async begun({ startedAt }) {
        const all = [...new Set([...(known?.inputs ?? []), ...inputs])];
        const run = { runId, destination, inputs: all, directory: cwd, startedAt, command };
        await writeSentRun(layout, run);
        begun();
      },
    };
  };
  return { runId, prepared: { options, jobIn } };
}

/** Returns the job of a process that sends all splits, or some of them. */
export function sendJob(
  options: SendOptions,
  recorded: Readonly<Record<string, unknown>>,
  layout: Layout,
): RunJob<SendManifest> {
  const { destination } = options;
  return {
    options,
    recorded,
    layout,
    isFinal: true,
    fold: (facts, records) => ({ manifest: foldSend(facts, records, destination) }),
    committed({ id, status }) {
      // The journal of an incomplete split is needed when its repaired source is read again.
      if (status === "complete") removeJournals(layoutOfEpoch(layout, epochOf(id)), id);
    },
  };
}

/** Adds the options that decide about requests to those that decide what is sent. */
export function recordSendOptions(
  { destination, body, batchRows, idempotency }: SendOptions | SendRequest,
  mapped: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return { ...mapped, destination, body, batchRows, ...omitUndefined({ idempotency }) };
}

function digestOf(facts: unknown): string {
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex");
}

function removeJournals({ acknowledgedDirectory }: Layout, splitId: string): void {
  for (const name of journalsOf(splitId, readdirSync(acknowledgedDirectory)))
    rmSync(join(acknowledgedDirectory, name), { force: true });
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

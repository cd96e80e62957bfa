import { createHash } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { epochOf } from "../base/epoch.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { journalsOf } from "../sinks/webhook/webhook-sink.js";
import { type Layout, layoutOfEpoch } from "./ledger/layout.js";
import type { SplitRecord } from "./ledger/ledger-records.js";
import type { SendOptions, SendRequest } from "./options.js";
import { type AccountFacts, foldAccounts, foldNumbers } from "./run-accounts.js";
import type { RunJob } from "./run-job.js";
import type { SendManifest } from "./send-result.js";
import { deliveryOf } from "./sent-runs.js";
import { checkAccounts } from "./worker/run-split.js";

/** Returns the job of a process that sends: alone, or some of the splits. */
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

export function digestOf(facts: unknown): string {
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

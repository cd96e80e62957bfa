import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { epochOf } from "../base/epoch.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { builtFile } from "../base/package-files.js";
import { foldNumbers } from "../base/sum.js";
import type { SplitRecord } from "../ledger/ledger-records.js";
import { foldRepairs } from "../ledger/renames-fold.js";
import { type AccountFacts, foldAccounts } from "../ledger/run-accounts.js";
import { checkAccounts } from "../ledger/split-accounts.js";
import type { SendOptions, SendRequest } from "../options/options.js";
import { directoryFiles } from "../output/directory-files.js";
import { type Layout, layoutOf, layoutOfEpoch } from "../output/layout.js";
import type { OutputFiles } from "../output/output-files.js";
import { journalsOf } from "../webhook/webhook-sink.js";
import { inputReading } from "./run-inputs.js";
import type { RunSpec } from "./run-spec.js";
import type { SendManifest } from "./send-result.js";
import { deliveryOf } from "./sent-runs.js";

/** Returns the spec of a process that sends all splits, or some of them. */
export function sendSpec(
  options: SendOptions,
  recorded: Readonly<Record<string, unknown>>,
  outputFiles: OutputFiles = directoryFiles(options.outputDirectory),
): RunSpec<SendManifest> {
  const { destination, outputDirectory } = options;
  const layout = layoutOf(outputDirectory, "events");
  return {
    options,
    recorded,
    read: inputReading,
    sink: {
      entry: builtFile("send-worker.js"),
      isFinal: true,
      async committed({ id, status }) {
        // The journal of an incomplete split is needed when its repaired source is read again.
        if (status === "complete") removeJournals(layoutOfEpoch(layout, epochOf(id)), id);
      },
    },
    output: { layout, files: outputFiles },
    async fold(facts, records) {
      const { renames, files } = await foldRepairs(layout, records, options.target);
      const manifest = foldSend(facts, records, destination);
      return { manifest: { ...manifest, ...omitUndefined({ renames }) }, files };
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

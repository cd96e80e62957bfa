import { randomUUID } from "node:crypto";
import { ClaimTime } from "../base/claim-time.js";
import { UsageError } from "../base/errors.js";
import { option } from "../base/option-text.js";
import { recordRunOptions } from "../ledger/recorded-options.js";
import type { OwnOptions, SendOptions } from "../options/options.js";
import { exportSpec } from "../run/export-spec.js";
import { SplitClaims } from "../run/pool/split-claims.js";
import type { RunSpec } from "../run/run-spec.js";
import { recordSendOptions, sendSpec } from "../run/send-spec.js";
import type { JoinedOutput } from "./join-in-store.js";
import { readWorkerOptions } from "./worker-options.js";

/** A run as one of its workers sees it. */
export interface QueuedRun {
  readonly spec: RunSpec;
  /** Set if splits are sent: each then needs a claim in the output, which the queue cannot lose. */
  readonly claims?: SplitClaims;
}

/** Opens the run of an output; returns undefined if it has none. Throws `secret_missing`. */
export async function openQueuedRun(
  output: string,
  joined: JoinedOutput,
  own: OwnOptions & { readonly queue: string },
): Promise<QueuedRun | undefined> {
  const { files, forgetJournals } = joined;
  const { directory } = files;
  const read = await readWorkerOptions(directory, own);
  if (read === undefined) return undefined;
  const options = { ...read, temporaryName: randomUUID() };
  if (!("eventUrl" in options)) return { spec: await exportSpec(options, files) };
  if (own.serverSecret === undefined) {
    throw new UsageError(
      "secret_missing",
      `No server secret: set SWITCHYARD_SERVER_SECRET for this worker, or pass ${option("serverSecretFile")} with a file that holds it.`,
    );
  }
  const claimTime = new ClaimTime();
  const sending: SendOptions = {
    ...options,
    // As in a single process.
    threads: 1,
    shared: {
      owner: randomUUID(),
      claimTime: claimTime.buffer,
      queue: own.queue,
      ...(files.isCopy && { address: output }),
    },
  };
  const recorded = recordSendOptions(sending, await recordRunOptions(sending));
  const spec = sendSpec(sending, recorded, files);
  const committed: typeof spec.sink.committed = async (record) => {
    await spec.sink.committed?.(record);
    if (record.status === "complete") await forgetJournals?.(record.id);
  };
  const claims = new SplitClaims((id) => joined.claim(id), claimTime);
  return { spec: { ...spec, sink: { ...spec.sink, committed } }, claims };
}

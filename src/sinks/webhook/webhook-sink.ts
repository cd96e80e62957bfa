import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Kernel } from "../../batch/kernel.js";
import type { Sink } from "../sink.js";
import type { Post } from "./answer.js";
import { EventLines } from "./event-lines.js";
import type { BodyForm } from "./parcel.js";
import { type SendClock, systemSendClock } from "./send-clock.js";
import { Sender } from "./sender.js";
import { WebhookSplit } from "./webhook-split.js";

export interface WebhookOptions {
  readonly post: Post;
  readonly body: BodyForm;
  /** Events of one request; 1 where the body is an object. */
  readonly batchRows: number;
  /** Requests under way at the same time. */
  readonly concurrency: number;
  /** Events per second; no limit where absent. */
  readonly rate?: number;
  /** Events that may go out at once after a rest. */
  readonly burst?: number;
  /** Milliseconds without one success after which sending is given up. */
  readonly giveUpAfterMs: number;
  /** Directory of the journals of what was acknowledged, made where it is missing. */
  readonly journalDirectory: string;
  /** Whatever decides, beside its content, which events are the n-th of a range. */
  readonly keySeed: string;
  /** Ends what is under way. */
  readonly signal: AbortSignal;
  readonly clock?: SendClock;
  random?(): number;
  onWaiting?(isWaiting: boolean): void;
  /**
   * Called as soon as it is known what became of events, so that progress need not wait for a batch.
   * Those that an earlier run has settled count when they come by.
   */
  onSettled?(delivered: number, refused: number): void;
}

/**
 * POSTs events to a service. A split is committed once the service has decided about every event of
 * it. Splits that were not committed go on from their journal; the journal of a committed split is
 * for the caller to remove, as only the caller knows when the commit itself is remembered.
 */
export function createWebhookSink(kernel: Kernel, options: WebhookOptions): Sink {
  const { clock = systemSendClock, random = Math.random, signal } = options;
  const { onSettled = () => undefined } = options;
  const { journalDirectory, keySeed, concurrency, batchRows } = options;
  const sender = new Sender({ ...options, clock, random });
  const stop = () => sender.stop(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const lines = new EventLines(kernel);
  mkdirSync(journalDirectory, { recursive: true });
  return {
    openSplit: (splitId) =>
      new WebhookSplit({
        ...{ sender, lines, concurrency, keySeed, clock, onSettled },
        parcelRows: batchRows,
        journalPath: join(journalDirectory, journalNameOf(splitId)),
      }),
  };
}

export function journalNameOf(splitId: string): string {
  return `${splitId}.journal`;
}

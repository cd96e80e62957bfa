import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { omitUndefined } from "../base/omit-undefined.js";
import type { EventBatch } from "../batch/event-batch.js";
import type { Kernel } from "../batch/kernel.js";
import type { Sink } from "../sinks/sink.js";
import type { BodyForm } from "./body-form.js";
import { EventLines } from "./event-lines.js";
import type { Success } from "./judge-answer.js";
import type { Post } from "./post.js";
import { type SendClock, systemSendClock } from "./send-clock.js";
import { Sender, type SendWait } from "./sender.js";
import { WebhookSplit } from "./webhook-split.js";

export interface WebhookOptions {
  readonly post: Post;
  readonly body: BodyForm;
  /** Members that an answer must have; default: none. */
  readonly success?: Success;
  /**
   * Returns the keys of the events of a batch by row; used with one event in a request. Without it, or
   * for an event without a key, the position of the event makes the key.
   */
  keysOf?(events: EventBatch): ReadonlyMap<number, string>;
  /** Events of one request; 1 for the body form `object`. */
  readonly batchRows: number;
  /** Requests in progress at the same time. */
  readonly concurrency: number;
  /** Milliseconds without a success after which sending stops. */
  readonly giveUpAfterMs: number;
  /** Directory of the journals; created if it does not exist. */
  readonly journalDirectory: string;
  /** Unique name of this process among those that send the splits; absent if it is alone. */
  readonly journalOwner?: string;
  /** Writes a piece of a journal to where other processes find it; absent if they see the directory. */
  storePiece?(name: string, text: string): Promise<void>;
  /** Called before each request; throws if another process may send the split by now. */
  checkClaim?(): void;
  /** Resolves when this number of events may be sent; absent if the rate has no limit. */
  awaitRate?(events: number): Promise<void>;
  /** Everything except the content of a range that decides which events are the n-th of it. */
  readonly keySeed: string;
  /** Ends all requests. */
  readonly signal: AbortSignal;
  readonly clock?: SendClock;
  random?(): number;
  /** The service has answered an earlier process. Default: false. */
  readonly isReached?: boolean;
  onWaiting?(waiting?: SendWait): void;
  /**
   * Called when the service has decided about events, so that progress need not wait for a batch.
   * Events that an earlier run has confirmed count when they are read.
   */
  onConfirmed?(delivered: number, refused: number): void;
}

/** A piece a second, for more than a month. */
const PIECE_DIGITS = 7;

/**
 * Creates a sink that POSTs events to a service. A split is committed when the service has decided
 * about every event of it. Splits that were not committed resume from their journal. The caller
 * removes the journal of a committed split: only the caller knows when the commit is recorded.
 */
export function createWebhookSink(kernel: Kernel, options: WebhookOptions): Sink {
  const { clock = systemSendClock, random = Math.random, isReached = false, signal } = options;
  const { onConfirmed = () => undefined } = options;
  const { journalDirectory, journalOwner, keySeed, concurrency, batchRows } = options;
  const sender = new Sender({ ...options, clock, random, isReached });
  const stop = () => sender.stop(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const lines = new EventLines(kernel, options.body);
  mkdirSync(journalDirectory, { recursive: true });
  return {
    openSplit: (splitId) => {
      const journal = journalNameOf(splitId, journalOwner);
      const others = journalsOf(splitId, readdirSync(journalDirectory));
      return new WebhookSplit({
        sender,
        lines,
        concurrency,
        keySeed,
        clock,
        onConfirmed,
        batchRows,
        ...omitUndefined({ keysOf: options.keysOf }),
        journalPath: join(journalDirectory, journal),
        otherJournals: others
          .filter((name) => name !== journal)
          .map((name) => join(journalDirectory, name)),
        ...piecesOf(journal, options.storePiece),
      });
    },
  };
}

function journalNameOf(splitId: string, owner?: string): string {
  return owner === undefined ? `${splitId}.journal` : `${splitId}.${owner}.journal`;
}

/** Numbers the pieces of a journal, in an order that their names have too. */
function piecesOf(journal: string, storePiece: WebhookOptions["storePiece"]) {
  if (storePiece === undefined) return {};
  let count = 0;
  return {
    storePiece(text: string) {
      const number = String(count++).padStart(PIECE_DIGITS, "0");
      return storePiece(journal.replace(/journal$/, `${number}.journal`), text);
    },
  };
}

/** Returns those of some names that are journals of a split: each process that sends it has its own. */
export function journalsOf(splitId: string, names: readonly string[]): readonly string[] {
  return names.filter((name) => name.startsWith(`${splitId}.`) && name.endsWith(".journal")).sort();
}

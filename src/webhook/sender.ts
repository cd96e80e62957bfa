import { backOffMs, serviceBackOff } from "../base/back-off.js";
import {
  CAREFUL_PIECE_BYTES,
  CUTS_MAX,
  FIRST_ANSWER_MS,
  FIRST_CONTACT_MS,
  SEND_STOP_GRACE_MS,
} from "../base/limits.js";
import { option } from "../base/option-text.js";
import type { BodyForm } from "./body-form.js";
import {
  judgeAnswer,
  judgeFailure,
  type RowFault,
  SendError,
  type Success,
  type Verdict,
} from "./judge-answer.js";
import { NoAnswer, type Post } from "./post.js";
import { bodyOf, keyOf, type RequestBatch } from "./request-batch.js";
import type { SendClock } from "./send-clock.js";

interface SenderOptions {
  readonly body: BodyForm;
  readonly success?: Success;
  /** Milliseconds without a success after which sending stops. */
  readonly giveUpAfterMs: number;
  /** The service has answered an earlier process. */
  readonly isReached: boolean;
  readonly post: Post;
  readonly clock: SendClock;
  /** From 0 to 1. */
  random(): number;
  /**
   * Called when no request is in progress because the service accepts nothing, and without a
   * `Waiting` when it accepts something again.
   */
  onWaiting?(waiting?: SendWait): void;
  /** As in `WebhookOptions`. */
  checkClaim?(): void;
  awaitRate?(events: number): Promise<void>;
}

/** The last failure of a service that accepts nothing. */
export interface SendWait {
  readonly reason: string;
  /** Number of attempts of the request that failed last. */
  readonly attempts: number;
  /** Time at which sending stops unless something is accepted, in milliseconds since 1970 UTC. */
  readonly untilMs: number;
}

/** Receives what a later process needs to know about a request batch in progress. */
export interface DeliveryNotes {
  /** Called before events are sent again that may have been stored. */
  pending(): void;
  /** Called before events are sent in parts, because a body of `bodyBytes` is too large. */
  tooLarge(bodyBytes: number): void;
}

export interface SendCounts {
  /** Requests that were sent again. */
  readonly retried: number;
  /** Milliseconds in which no request was in progress because the service accepted nothing. */
  readonly waitedMs: number;
}

/**
 * The outcome of a request batch: all events are delivered except the refused ones, which are named
 * by their indexes.
 */
interface Delivery {
  readonly refused: readonly RowFault[];
}

const NOTHING_REFUSED: Delivery = { refused: [] };

type Decision = Extract<Verdict, { kind: "delivered" | "too_large" | "refused" }>;
type Retry = Extract<Verdict, { kind: "retry" }>;

/**
 * Delivers request batches to one service, as many at a time as the caller passes. All of them
 * share the rate and the pauses that the service asks for. After the first error that a retry
 * cannot fix, every delivery rejects with it.
 */
export class Sender {
  /** No request begins before this time. */
  #pausedUntilMs = 0;
  #running = 0;
  #drained: () => void = () => undefined;
  readonly #sleepers = new Set<() => void>();
  #failure: unknown;
  #failingSinceMs: number | undefined;
  #isReached: boolean;
  #waiting: SendWait | undefined;
  /** Bodies of several events of at least this size are too large. */
  #tooLargeBytes = Number.POSITIVE_INFINITY;
  #inProgress = 0;
  #delayed = 0;
  #waitingSinceMs: number | undefined;
  #retried = 0;
  #waitedMs = 0;

  constructor(private readonly options: SenderOptions) {
    this.#isReached = options.isReached;
  }

  get counts(): SendCounts {
    return { retried: this.#retried, waitedMs: this.#waitedMs };
  }

  /**
   * Remembers that a body of this size is too large. Larger ones are sent in the parts that their
   * refusal would lead to.
   */
  limitBody(tooLargeBytes: number): void {
    this.#tooLargeBytes = Math.min(this.#tooLargeBytes, tooLargeBytes);
  }

  /**
   * Delivers a request batch until the service has decided about every event. Rejects with
   * `SendError`, or with the reason of `stop`.
   */
  async deliver(batch: RequestBatch, notes: DeliveryNotes): Promise<Delivery> {
    this.#running++;
    try {
      const whole = wholeOf(batch);
      const verdict = await this.#sendUntilDecided(batch, whole, notes);
      if (verdict.kind === "delivered") return NOTHING_REFUSED;
      return await this.#divide(batch, whole, verdict, notes);
    } catch (error) {
      this.stop(error);
      throw error;
    } finally {
      this.#running--;
      if (this.#running === 0) this.#drained();
    }
  }

  /** Ends all deliveries with an error; requests in progress may still be answered. */
  stop(reason: unknown): void {
    this.#failure ??= reason;
    for (const wake of [...this.#sleepers]) wake();
  }

  /**
   * Waits for a moment until no request is in progress. Returns whether all requests were answered.
   */
  async drain(): Promise<boolean> {
    if (this.#running > 0) {
      await new Promise<void>((resolve) => {
        const cancel = this.options.clock.after(SEND_STOP_GRACE_MS, resolve);
        this.#drained = () => {
          cancel();
          // The caller of the last delivery continues first.
          setImmediate(resolve);
        };
      });
    }
    return this.#running === 0;
  }

  /**
   * Finds the refused rows of a request batch that was not accepted as a whole, and delivers the
   * others.
   */
  async #divide(
    batch: RequestBatch,
    whole: readonly number[],
    first: Exclude<Decision, { kind: "delivered" }>,
    notes: DeliveryNotes,
  ): Promise<Delivery> {
    const refused: RowFault[] = [];
    const open: (readonly number[])[] = [];
    let [rows, verdict]: [readonly number[] | undefined, Decision] = [whole, first];
    while (rows !== undefined) {
      if (verdict.kind !== "delivered") {
        const faults = verdict.kind === "refused" ? namedFaults(verdict, rows) : [];
        refused.push(...faults);
        open.push(...remainders(rows, faults));
        if (rows.length === 1 && faults.length === 0) {
          refused.push({ row: rows[0] ?? 0, message: verdict.reason });
        }
      }
      rows = open.pop();
      if (rows !== undefined) verdict = await this.#sendUntilDecided(batch, rows, notes);
    }
    return { refused };
  }

  /** Sends rows of a request batch until the service has decided about them. */
  async #sendUntilDecided(
    batch: RequestBatch,
    rows: readonly number[],
    notes: DeliveryNotes,
  ): Promise<Decision> {
    const body = bodyOf(batch, rows, this.options.body);
    const key = keyOf(batch, rows);
    const isDivisible = rows.length > 1;
    let isCareful = false;
    // Parts have other keys. Events that may be stored go in parts only if their own body is refused.
    let isPending = false;
    for (let failures = 0, cuts = 0; ; ) {
      if (isDivisible && !isPending && body.length >= this.#tooLargeBytes) {
        notes.tooLarge(this.#tooLargeBytes);
        return { kind: "too_large", reason: "too large" };
      }
      if (this.#pauseMs > 0) await this.#awaitPause();
      if (this.options.awaitRate !== undefined) await this.#awaitRate(rows.length);
      if (this.#failure !== undefined) throw this.#failure;
      this.options.checkClaim?.();
      const verdict = await this.#attempt(body, key, isCareful);
      if (verdict.kind === "stop") throw verdict.error;
      isPending ||= verdict.kind === "retry" && verdict.isPending;
      if (verdict.kind === "retry" && verdict.failure === "cut_short") cuts++;
      // A service may refuse a large request without a word.
      const isTooLarge = isDivisible && (verdict.kind === "too_large" || cuts === CUTS_MAX);
      if (isTooLarge) {
        this.limitBody(body.length);
        isPending = false;
      }
      if (verdict.kind === "retry") {
        isCareful ||=
          verdict.failure === "lost" && (isDivisible || body.length >= CAREFUL_PIECE_BYTES);
        failures++;
        await this.#waitToRetry(verdict, failures, notes);
      } else if (!isTooLarge) return verdict;
    }
  }

  async #waitToRetry(verdict: Retry, failures: number, notes: DeliveryNotes): Promise<void> {
    const { clock, random } = this.options;
    const untilMs = this.#untilMs(verdict);
    this.#waiting = { reason: verdict.reason, attempts: failures, untilMs };
    if (verdict.waitMs !== undefined)
      this.#pausedUntilMs = Math.max(this.#pausedUntilMs, clock.now() + verdict.waitMs);
    if (verdict.isPending) notes.pending();
    await this.#delay(Math.min(backOffMs(failures, serviceBackOff, random), untilMs - clock.now()));
    this.#retried++;
  }

  get #pauseMs(): number {
    return this.#pausedUntilMs - this.options.clock.now();
  }

  /** Waits for the end of the pause, which others may prolong. */
  async #awaitPause(): Promise<void> {
    while (this.#pauseMs > 0) await this.#delay(this.#pauseMs);
  }

  /** Waits until the rate allows these events, or for `stop`. A pause may have begun meanwhile. */
  async #awaitRate(events: number): Promise<void> {
    if (this.#failure !== undefined) return;
    let wake: () => void = () => undefined;
    const stopped = new Promise<void>((resolve) => {
      wake = resolve;
    });
    this.#sleepers.add(wake);
    try {
      await Promise.race([this.options.awaitRate?.(events), stopped]);
    } finally {
      this.#sleepers.delete(wake);
    }
    await this.#awaitPause();
  }

  async #attempt(body: Uint8Array, key: string, isCareful: boolean): Promise<Verdict> {
    const { post, clock, success, onWaiting } = this.options;
    this.#inProgress++;
    this.#watchWaiting();
    try {
      const verdict = judgeAnswer(await post(body, key, isCareful), clock.now(), success);
      this.#isReached = true;
      if (verdict.kind !== "retry") {
        this.#failingSinceMs = undefined;
        if (this.#waiting !== undefined) onWaiting?.();
        this.#waiting = undefined;
      }
      return verdict;
    } catch (error) {
      if (error instanceof NoAnswer) return judgeFailure(error, this.#isReached);
      throw error;
    } finally {
      this.#inProgress--;
      this.#watchWaiting();
    }
  }

  /**
   * Returns when sending stops unless the service accepts something. Throws if it has not for too
   * long, or asks for a longer pause than that.
   */
  #untilMs({ reason, waitMs = 0, failure }: Retry): number {
    const { clock, giveUpAfterMs } = this.options;
    const nowMs = clock.now();
    this.#failingSinceMs ??= nowMs;
    // A service that is slow to answer is there.
    const isThere = this.#isReached || failure === "timed_out";
    const isConnected = failure === "lost" || failure === "cut_short";
    const contactMs = isConnected ? FIRST_ANSWER_MS : FIRST_CONTACT_MS;
    const patienceMs = isThere ? giveUpAfterMs : Math.min(giveUpAfterMs, contactMs);
    const untilMs = this.#failingSinceMs + patienceMs;
    if (nowMs + waitMs < untilMs) return untilMs;
    const seconds = Math.round((nowMs - this.#failingSinceMs) / 1000);
    if (!isThere) {
      throw new SendError(
        "send_unreachable",
        `no answer in ${seconds} s, and none before: ${reason}; start the service, or check the address that ${option("to")} names`,
      );
    }
    const asked = waitMs > 0 ? `, and asks to wait ${Math.ceil(waitMs / 1000)} s` : "";
    throw new SendError(
      "send_gave_up",
      `gave up after ${seconds} s without a success; the last attempt: ${reason}${asked}`,
    );
  }

  async #delay(delayMs: number): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    if (delayMs <= 0) return;
    this.#changeDelayed(1);
    await this.#sleep(delayMs);
    this.#changeDelayed(-1);
    if (this.#failure !== undefined) throw this.#failure;
  }

  #sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.options.clock.after(delayMs, () => wake());
      const wake = () => {
        cancel();
        this.#sleepers.delete(wake);
        resolve();
      };
      this.#sleepers.add(wake);
    });
  }

  #changeDelayed(change: number): void {
    this.#delayed += change;
    this.#watchWaiting();
  }

  /** Counts the time in which everything waits for the service. */
  #watchWaiting(): void {
    const isWaiting = this.#inProgress === 0 && this.#delayed > 0;
    if (isWaiting === (this.#waitingSinceMs !== undefined)) return;
    const nowMs = this.options.clock.now();
    if (this.#waitingSinceMs !== undefined) this.#waitedMs += nowMs - this.#waitingSinceMs;
    this.#waitingSinceMs = isWaiting ? nowMs : undefined;
    if (isWaiting && this.#waiting !== undefined) this.options.onWaiting?.(this.#waiting);
  }
}

const ONE_ROW: readonly number[] = [0];

function wholeOf({ texts }: RequestBatch): readonly number[] {
  return texts.length === 1 ? ONE_ROW : texts.map((_, row) => row);
}

/**
 * Returns faults by their indexes in the request batch. Faults that name no event of the request
 * are ignored.
 */
function namedFaults(
  { faults }: Extract<Verdict, { kind: "refused" }>,
  rows: readonly number[],
): readonly RowFault[] {
  return faults.flatMap(({ row, message }) => {
    const place = rows[row];
    return place === undefined ? [] : [{ row: place, message }];
  });
}

/** Returns what to try next, last one first: the rows without the faulty ones, else both halves. */
function remainders(
  rows: readonly number[],
  faults: readonly RowFault[],
): readonly (readonly number[])[] {
  if (faults.length > 0) {
    const faulty = new Set(faults.map(({ row }) => row));
    const rest = rows.filter((row) => !faulty.has(row));
    return rest.length === 0 ? [] : [rest];
  }
  if (rows.length === 1) return [];
  const middle = Math.ceil(rows.length / 2);
  return [rows.slice(middle), rows.slice(0, middle)];
}

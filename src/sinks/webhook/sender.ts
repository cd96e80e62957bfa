import { RETRY_DELAY_MS, RETRY_DELAY_MS_MAX, SEND_STOP_GRACE_MS } from "../../base/limits.js";
import {
  judgeAnswer,
  judgeFailure,
  type RowFault,
  SendError,
  type Verdict,
} from "./judge-answer.js";
import { NoAnswer, type Post } from "./post.js";
import { RateLimiter, type RateLimits } from "./rate-limiter.js";
import { type BodyForm, bodyOf, keyOf, type RequestBatch } from "./request-batch.js";
import type { SendClock } from "./send-clock.js";

interface SenderOptions extends RateLimits {
  readonly body: BodyForm;
  /** Milliseconds without a success after which sending stops. */
  readonly giveUpAfterMs: number;
  readonly post: Post;
  readonly clock: SendClock;
  /** From 0 to 1. */
  random(): number;
  /**
   * Called when no request is in progress because the service accepts nothing, and when that is
   * over.
   */
  onWaiting?(isWaiting: boolean): void;
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
export interface Delivery {
  readonly refused: readonly RowFault[];
}

const NOTHING_REFUSED: Delivery = { refused: [] };

type Decision = Extract<Verdict, { kind: "delivered" | "too_large" | "refused" }>;

/**
 * Delivers request batches to one service, as many at a time as the caller passes. All of them
 * share the rate and the pauses that the service asks for. After the first error that a retry
 * cannot fix, every delivery rejects with it.
 */
export class Sender {
  readonly #limiter: RateLimiter;
  #running = 0;
  #drained: () => void = () => undefined;
  readonly #sleepers = new Set<() => void>();
  #failure: unknown;
  #failingSinceMs: number | undefined;
  #isProven = false;
  #inProgress = 0;
  #delayed = 0;
  #waitingSinceMs: number | undefined;
  #retried = 0;
  #waitedMs = 0;

  constructor(private readonly options: SenderOptions) {
    this.#limiter = new RateLimiter(options.clock, options);
  }

  get counts(): SendCounts {
    return { retried: this.#retried, waitedMs: this.#waitedMs };
  }

  /**
   * Delivers a request batch until the service has decided about every event. `onPending` is called
   * before events are sent again that may have been stored. Rejects with `SendError`, or with the
   * reason of `stop`.
   */
  async deliver(batch: RequestBatch, onPending: () => void): Promise<Delivery> {
    this.#running++;
    try {
      const whole = wholeOf(batch);
      const verdict = await this.#sendUntilDecided(batch, whole, onPending);
      if (verdict.kind === "delivered") return NOTHING_REFUSED;
      return await this.#divide(batch, whole, verdict, onPending);
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
    this.#limiter.release();
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
    onPending: () => void,
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
      if (rows !== undefined) verdict = await this.#sendUntilDecided(batch, rows, onPending);
    }
    return { refused };
  }

  /** Sends rows of a request batch until the service has decided about them. */
  async #sendUntilDecided(
    batch: RequestBatch,
    rows: readonly number[],
    onPending: () => void,
  ): Promise<Decision> {
    const body = bodyOf(batch, rows, this.options.body);
    const key = keyOf(batch, rows);
    for (let failures = 0; ; ) {
      const admission = this.#limiter.admit(rows.length);
      if (admission !== undefined) await this.#await(admission, failures > 0);
      if (this.#failure !== undefined) throw this.#failure;
      const verdict = await this.#attempt(body, key);
      if (verdict.kind === "stop") throw verdict.error;
      if (verdict.kind !== "retry") return verdict;
      failures++;
      const delayMs = retryDelayMs(failures, this.options.random);
      this.#checkPatience(verdict.reason, verdict.waitMs ?? 0);
      if (verdict.waitMs !== undefined) this.#limiter.pause(verdict.waitMs);
      if (verdict.isPending) onPending();
      await this.#delay(delayMs);
      this.#retried++;
    }
  }

  async #await(admission: Promise<void>, isRetry: boolean): Promise<void> {
    const isPaused = isRetry || this.#limiter.pauseMs > 0;
    if (isPaused) this.#changeDelayed(1);
    await admission;
    if (isPaused) this.#changeDelayed(-1);
  }

  async #attempt(body: Uint8Array, key: string): Promise<Verdict> {
    const { post, clock } = this.options;
    this.#inProgress++;
    this.#watchWaiting();
    try {
      const verdict = judgeAnswer(await post(body, key), clock.now());
      if (verdict.kind !== "retry") {
        this.#isProven = true;
        this.#failingSinceMs = undefined;
      }
      return verdict;
    } catch (error) {
      if (error instanceof NoAnswer) return judgeFailure(error, this.#isProven);
      throw error;
    } finally {
      this.#inProgress--;
      this.#watchWaiting();
    }
  }

  /**
   * Throws if the service has given no success for too long, or asks for a longer pause than that.
   */
  #checkPatience(reason: string, waitMs: number): void {
    const { clock, giveUpAfterMs } = this.options;
    const nowMs = clock.now();
    this.#failingSinceMs ??= nowMs;
    if (nowMs + waitMs - this.#failingSinceMs < giveUpAfterMs) return;
    const asked = waitMs > 0 ? `, and asks to wait ${Math.ceil(waitMs / 1000)} s` : "";
    throw new SendError(
      "send_gave_up",
      `gave up after ${Math.round((nowMs - this.#failingSinceMs) / 1000)} s without a success; the last attempt: ${reason}${asked}`,
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
    this.options.onWaiting?.(isWaiting);
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

/**
 * Returns the milliseconds before the next attempt: a random part of a ceiling that doubles with
 * each failure, so that senders that failed together do not retry together. `random` is from 0 to
 * 1.
 */
export function retryDelayMs(failures: number, random: () => number): number {
  const ceiling = Math.min(RETRY_DELAY_MS * 2 ** (failures - 1), RETRY_DELAY_MS_MAX);
  return Math.ceil(ceiling * random());
}

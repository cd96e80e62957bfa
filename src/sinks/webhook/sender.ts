import { SEND_STOP_GRACE_MS } from "../../base/limits.js";
import { NoAnswer, type Post } from "./answer.js";
import { judgeAnswer, judgeFailure, type RowFault, type Verdict } from "./judge-answer.js";
import { Pacer, type PacerOptions } from "./pacer.js";
import { type BodyForm, bodyOf, keyOf, type Parcel } from "./parcel.js";
import { retryDelayMs } from "./retry-delay.js";
import type { SendClock } from "./send-clock.js";
import { SendError } from "./send-error.js";

export interface SenderOptions extends PacerOptions {
  readonly body: BodyForm;
  /** Milliseconds without one success after which sending is given up. */
  readonly giveUpAfterMs: number;
  readonly post: Post;
  readonly clock: SendClock;
  /** From 0 to 1. */
  random(): number;
  /** Called when nothing is under way because the service does not take anything, and when it is over. */
  onWaiting?(isWaiting: boolean): void;
}

export interface SendCounts {
  /** Requests that were sent again. */
  readonly retried: number;
  /** Milliseconds in which nothing was under way because the service did not take anything. */
  readonly waitedMs: number;
}

/** What a parcel came to: its events are delivered but for those that were refused, by their places. */
export interface Delivery {
  readonly refused: readonly RowFault[];
}

const NOTHING_REFUSED: Delivery = { refused: [] };

type Settled = Extract<Verdict, { kind: "delivered" | "too_large" | "refused" }>;

/**
 * Delivers parcels to one service, as many at a time as the caller gives. All of them share the rate,
 * the pauses that the service asks for, and the fate of the whole: after the first error that no
 * repetition can mend every delivery rejects with it.
 */
export class Sender {
  readonly #pacer: Pacer;
  #running = 0;
  #drained: () => void = () => undefined;
  readonly #sleepers = new Set<() => void>();
  #failure: unknown;
  #failingSinceMs: number | undefined;
  #isProven = false;
  #underWay = 0;
  #delayed = 0;
  #waitingSinceMs: number | undefined;
  #retried = 0;
  #waitedMs = 0;

  constructor(private readonly options: SenderOptions) {
    this.#pacer = new Pacer(options.clock, options);
  }

  get counts(): SendCounts {
    return { retried: this.#retried, waitedMs: this.#waitedMs };
  }

  /**
   * Settles every event of a parcel. `onUnknown` is called before events are sent again that may have
   * been stored. Rejects with `SendError`, or with what the sender was stopped for.
   */
  async deliver(parcel: Parcel, onUnknown: () => void): Promise<Delivery> {
    this.#running++;
    try {
      const whole = wholeOf(parcel);
      const verdict = await this.#settle(parcel, whole, onUnknown);
      if (verdict.kind === "delivered") return NOTHING_REFUSED;
      return await this.#divide(parcel, whole, verdict, onUnknown);
    } catch (error) {
      this.stop(error);
      throw error;
    } finally {
      this.#running--;
      if (this.#running === 0) this.#drained();
    }
  }

  /** Ends all deliveries with an error; requests under way may still be answered. */
  stop(reason: unknown): void {
    this.#failure ??= reason;
    this.#pacer.release();
    for (const wake of [...this.#sleepers]) wake();
  }

  /** Waits until nothing is under way, or for a moment. Says whether all requests were answered. */
  async drain(): Promise<boolean> {
    if (this.#running > 0) {
      await new Promise<void>((resolve) => {
        const cancel = this.options.clock.after(SEND_STOP_GRACE_MS, resolve);
        this.#drained = () => {
          cancel();
          // Whoever waits for the last delivery learns of it first.
          setImmediate(resolve);
        };
      });
    }
    return this.#running === 0;
  }

  /** Finds out which rows of a parcel that was not taken as it is are refused, and delivers the others. */
  async #divide(
    parcel: Parcel,
    whole: readonly number[],
    first: Exclude<Settled, { kind: "delivered" }>,
    onUnknown: () => void,
  ): Promise<Delivery> {
    const refused: RowFault[] = [];
    const open: (readonly number[])[] = [];
    let [rows, verdict]: [readonly number[] | undefined, Settled] = [whole, first];
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
      if (rows !== undefined) verdict = await this.#settle(parcel, rows, onUnknown);
    }
    return { refused };
  }

  /** Sends rows of a parcel until the service has decided about them. */
  async #settle(parcel: Parcel, rows: readonly number[], onUnknown: () => void): Promise<Settled> {
    const body = bodyOf(parcel, rows, this.options.body);
    const key = keyOf(parcel, rows);
    for (let failures = 0; ; ) {
      const admission = this.#pacer.admit(rows.length);
      if (admission !== undefined) await this.#await(admission, failures > 0);
      if (this.#failure !== undefined) throw this.#failure;
      const verdict = await this.#attempt(body, key);
      if (verdict.kind === "stop") throw verdict.error;
      if (verdict.kind !== "retry") return verdict;
      failures++;
      const delayMs = retryDelayMs(failures, this.options.random);
      this.#checkPatience(verdict.reason, verdict.waitMs ?? 0);
      if (verdict.waitMs !== undefined) this.#pacer.pause(verdict.waitMs);
      if (verdict.isUnknown) onUnknown();
      await this.#delay(delayMs);
      this.#retried++;
    }
  }

  async #await(admission: Promise<void>, isRetry: boolean): Promise<void> {
    const isPaused = isRetry || this.#pacer.pauseMs > 0;
    if (isPaused) this.#changeDelayed(1);
    await admission;
    if (isPaused) this.#changeDelayed(-1);
  }

  async #attempt(body: Uint8Array, key: string): Promise<Verdict> {
    const { post, clock } = this.options;
    this.#underWay++;
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
      this.#underWay--;
      this.#watchWaiting();
    }
  }

  /** A pause that is longer than the patience is not waited for. */
  #checkPatience(reason: string, waitMs: number): void {
    const { clock, giveUpAfterMs } = this.options;
    const nowMs = clock.now();
    this.#failingSinceMs ??= nowMs;
    if (nowMs + waitMs - this.#failingSinceMs < giveUpAfterMs) return;
    const asked = waitMs > 0 ? `, and asks to wait ${Math.ceil(waitMs / 1000)} s` : "";
    throw new SendError(
      "send_gave_up",
      `given up after ${Math.round((nowMs - this.#failingSinceMs) / 1000)} s without a success; the last attempt: ${reason}${asked}`,
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

  /** Keeps account of the time in which everything waits for the service. */
  #watchWaiting(): void {
    const isWaiting = this.#underWay === 0 && this.#delayed > 0;
    if (isWaiting === (this.#waitingSinceMs !== undefined)) return;
    const nowMs = this.options.clock.now();
    if (this.#waitingSinceMs !== undefined) this.#waitedMs += nowMs - this.#waitingSinceMs;
    this.#waitingSinceMs = isWaiting ? nowMs : undefined;
    this.options.onWaiting?.(isWaiting);
  }
}

const ONE_ROW: readonly number[] = [0];

function wholeOf({ texts }: Parcel): readonly number[] {
  return texts.length === 1 ? ONE_ROW : texts.map((_, row) => row);
}

/** Faults by their places in the parcel; those that name no event of the request say nothing. */
function namedFaults(
  { faults }: Extract<Verdict, { kind: "refused" }>,
  rows: readonly number[],
): readonly RowFault[] {
  return faults.flatMap(({ row, message }) => {
    const place = rows[row];
    return place === undefined ? [] : [{ row: place, message }];
  });
}

/** What is to be tried next, the last one first: the rows without the faulty ones, else both halves. */
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

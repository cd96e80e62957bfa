import { setMaxListeners } from "node:events";
import type { Readable } from "node:stream";
import { isMainThread } from "node:worker_threads";
import { backOffMs, storeBackOff } from "../base/back-off.js";
import { KIB } from "../base/limits.js";
import { mapBounded } from "../base/map-bounded.js";
import { runningMs } from "../base/running-clock.js";
import { type BodyDigest, hasDigest } from "./body-digest.js";
import type { GetOptions, ObjectContent, ObjectPage } from "./object-store.js";
import { formatObjectUrl, type StoreScheme } from "./object-url.js";
import { ReadRate } from "./read-rate.js";
import { type CallFailure, explanations, StoreError, storeErrorOf } from "./store-error.js";
import {
  beginRequest,
  beginWaiting,
  countBytesRead,
  countBytesWritten,
  type RequestKind,
  waitForStore,
} from "./store-usage.js";

/** Milliseconds for the first answer: a store that never answers probably has a wrong address. */
const FIRST_ANSWER_MS_MAX = 10_000;
const FIRST_GIVE_UP_MS = 3_000;
/** Milliseconds without an answer, or without a byte of it. */
const SILENCE_MS_MAX = 60_000;
/** Slowest rate at which a body may be sent, in bytes per second. */
const SENT_RATE_MIN = 16 * KIB;

/** Milliseconds without progress after which a call fails: longer than a store needs to restart. */
export const GIVE_UP_MS = 120_000;

/** Requests in progress at the same time that each remove one object. */
const REMOVALS_MAX = 16;

const UNREACHABLE = "store_unreachable";

interface StoreCallsOptions {
  readonly scheme: StoreScheme;
  readonly bucket: string;
  readonly requestsPerSecond: number | undefined;
  /** Explains an error of a library. */
  explain(error: Error, kind: RequestKind): CallFailure;
  /** Gets new credentials. A call whose credentials were refused is made once more after it. */
  renewCredentials?(): Promise<unknown>;
}

/** A page of a listing, and the token of the page after it; undefined on the last one. */
export interface ListedPage extends ObjectPage {
  readonly next: string | undefined;
}

/** The answer to a request for a range. */
export interface RangeAnswer {
  readonly status: number;
  readonly contentRange: string | undefined;
  /** Undefined if the answer names none. */
  readonly etag: string | undefined;
  readonly body: Readable;
  /** If the store names one, no byte is returned before all of them have it. */
  readonly digest?: BodyDigest | undefined;
}

interface Call {
  readonly kind: RequestKind;
  /** An empty key stands for the bucket. */
  readonly key: string;
  /** Bytes that are sent. */
  readonly size?: number;
  readonly signal: AbortSignal;
}

/** Makes one request with a library. Its signal is also aborted if the store is silent for too long. */
type Send<Result> = (signal: AbortSignal) => Promise<Result>;

/** Makes the calls to one bucket: counts and limits them, and names the object in their errors. */
export class StoreCalls {
  /** True in worker threads from the beginning: the main thread starts them after its first answer. */
  #hasAnswered = !isMainThread;
  #renewal: Promise<unknown> | undefined;

  constructor(private readonly options: StoreCallsOptions) {}

  /**
   * Makes a call. Makes it again if the clock was wrong, or if the credentials were refused and could be
   * renewed.
   */
  async once<Result>(call: Call, send: Send<Result>): Promise<Result> {
    // Each request in progress listens to it, and Node warns about more than ten listeners.
    setMaxListeners(0, call.signal);
    try {
      return await this.#send(call, send);
    } catch (error) {
      if (!(await this.#prepareRepeat(error, call.kind))) throw error;
      return this.#send(call, send);
    }
  }

  async #send<Result>(call: Call, send: Send<Result>): Promise<Result> {
    const { kind, key, size = 0, signal } = call;
    await beginRequest(kind, this.options.requestsPerSecond, signal);
    const silenceMs = this.#hasAnswered ? SILENCE_MS_MAX : FIRST_ANSWER_MS_MAX;
    // Not `AbortSignal.timeout`: its signal can be garbage-collected while a request listens to it.
    const late = new AbortController();
    const timer = setTimeout(
      () => late.abort(this.#silence(key, silenceMs)),
      silenceMs + (size / SENT_RATE_MIN) * 1000,
    );
    try {
      const result = await send(AbortSignal.any([signal, late.signal]));
      this.#hasAnswered = true;
      return result;
    } catch (error) {
      signal.throwIfAborted();
      late.signal.throwIfAborted();
      const explained = this.#explained(error, key, kind);
      this.#hasAnswered ||= explained instanceof StoreError && explained.code !== UNREACHABLE;
      throw explained;
    } finally {
      clearTimeout(timer);
    }
  }

  #explained(error: unknown, key: string, kind: RequestKind): unknown {
    if (!(error instanceof Error) || error instanceof StoreError) return error;
    return storeErrorOf(this.options.explain(error, kind), this.#addressOf(key), error);
  }

  /** Renews the credentials if that may help. Returns true if a second attempt may succeed. */
  async #prepareRepeat(error: unknown, kind: RequestKind): Promise<boolean> {
    const code = error instanceof StoreError ? error.code : "";
    // Libraries correct their clock by the answer of the store.
    if (code === "store_clock_skewed") return true;
    const isRefused = code === "store_credentials_expired" || code === "store_credentials_refused";
    // An answer to HEAD has no body that would name expired credentials.
    const isUnnamed = kind === "head" && code === "store_forbidden";
    const { renewCredentials } = this.options;
    if (!(isRefused || isUnnamed) || renewCredentials === undefined) return false;
    this.#renewal ??= renewCredentials().finally(() => {
      this.#renewal = undefined;
    });
    // The error of the call says more than that of the renewal.
    return this.#renewal.then(
      () => true,
      () => false,
    );
  }

  /** Repeats a call until it succeeds or fails for good. */
  repeat<Result>(call: Call, send: Send<Result>): Promise<Result> {
    const giveUpAfterMs = this.#hasAnswered ? GIVE_UP_MS : FIRST_GIVE_UP_MS;
    return retryCall({ signal: call.signal, giveUpAfterMs }, () => this.once(call, send));
  }

  /** Like `repeat`; returns undefined if the object does not exist. */
  async find<Result>(call: Call, send: Send<Result>): Promise<Result | undefined> {
    return unless("store_object_missing", undefined, this.repeat(call, send));
  }

  /** Lists page by page. `send` gets the token of the page before it, undefined for the first. */
  async *list(
    signal: AbortSignal,
    send: (token: string | undefined, signal: AbortSignal) => Promise<ListedPage>,
  ): AsyncGenerator<ObjectPage> {
    let token: string | undefined;
    do {
      const given = token;
      const page = await this.repeat({ kind: "list", key: "", signal }, (aborted) =>
        send(given, aborted),
      );
      token = page.next;
      yield page;
    } while (token !== undefined);
  }

  /** Writes an object. Returns what `send` returns, or `occupied` if the condition is not met. */
  async put<Result>(
    key: string,
    content: ObjectContent,
    signal: AbortSignal,
    send: (signal: AbortSignal, size: number) => Promise<Result>,
  ): Promise<Result | "occupied"> {
    const size = "bytes" in content ? content.bytes.length : content.size;
    const sent = this.repeat({ kind: "put", key, size, signal }, (aborted) => send(aborted, size));
    const result = await unless("store_object_changed", "occupied" as const, sent);
    if (result !== "occupied") countBytesWritten(size);
    return result;
  }

  /** Removes objects with one request each; those that do not exist are ignored. */
  async removeEach(
    keys: readonly string[],
    signal: AbortSignal,
    send: (key: string, signal: AbortSignal) => Promise<unknown>,
  ): Promise<void> {
    await mapBounded(keys, REMOVALS_MAX, (key) =>
      this.find({ kind: "delete", key, signal }, (aborted) => send(key, aborted)),
    );
  }

  /**
   * Yields the body of a range; its errors name the object. Refuses a wrong answer: some stores and proxies
   * ignore the range or the condition, or answer 200 with an error as the body.
   */
  async *body(key: string, answer: RangeAnswer, options: GetOptions): AsyncGenerator<Uint8Array> {
    const { signal } = options;
    const refusal = this.#refusalOf(key, answer, options);
    const silence = () => answer.body.destroy(this.#silence(key, SILENCE_MS_MAX));
    const timer = setTimeout(silence, SILENCE_MS_MAX);
    const rate = new ReadRate();
    const held: Uint8Array[] = [];
    let endSlowness: (() => void) | undefined;
    let awaitedMs = runningMs();
    try {
      for await (const bytes of answer.body) {
        if (refusal !== undefined) break;
        timer.refresh();
        countBytesRead(bytes.length);
        const speed = rate.take(bytes.length, runningMs() - awaitedMs);
        if (speed === "good") {
          endSlowness?.();
          endSlowness = undefined;
        } else endSlowness ??= beginWaiting(this.#slowness(key).message);
        if (answer.digest === undefined) yield bytes;
        else held.push(bytes);
        if (speed === "too slow") throw this.#slowness(key);
        awaitedMs = runningMs();
      }
    } catch (error) {
      signal.throwIfAborted();
      throw this.#explained(error, key, "get");
    } finally {
      endSlowness?.();
      clearTimeout(timer);
    }
    if (refusal !== undefined) throw refusal;
    if (answer.digest !== undefined && !hasDigest(held, answer.digest)) throw this.#damage(key);
    yield* held;
  }

  #damage(key: string): StoreError {
    const { code, reason } = explanations.objectDamaged;
    return new StoreError(code, reason, this.#addressOf(key), true);
  }

  #refusalOf(
    key: string,
    { status, contentRange = "", etag }: RangeAnswer,
    { start, etag: wanted }: GetOptions,
  ): StoreError | undefined {
    const address = this.#addressOf(key);
    if (etag !== undefined && bareEtag(etag) !== bareEtag(wanted)) {
      const { code, reason } = explanations.objectChanged;
      return new StoreError(code, reason, address, false);
    }
    const isRange = status === 206 ? contentRange.startsWith(`bytes ${start}-`) : start === 0;
    if (isRange && etag !== undefined) return undefined;
    const what = etag === undefined ? "no version of the object" : `"${contentRange}"`;
    const reason = `the store answered status ${status} with ${what} to a request for the range from byte ${start}.`;
    return new StoreError("store_failed", reason, address, true);
  }

  #silence(key: string, silenceMs: number): StoreError {
    const reason = `the store has not answered for ${silenceMs / 1000} s. Check the endpoint and the network.`;
    return new StoreError(UNREACHABLE, reason, this.#addressOf(key), true);
  }

  #slowness(key: string): StoreError {
    const reason = "the store sends the object very slowly. Check the network and the store.";
    return new StoreError(UNREACHABLE, reason, this.#addressOf(key), true);
  }

  #addressOf(key: string): string {
    return formatObjectUrl({ ...this.options, key }).replace(/\/$/, "");
  }
}

/** Returns an ETag without quotes: some stores omit them in some answers. */
export function bareEtag(etag = ""): string {
  return etag.replaceAll('"', "");
}

async function unless<Result, Other>(
  code: string,
  other: Other,
  result: Promise<Result>,
): Promise<Result | Other> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof StoreError && error.code === code) return other;
    throw error;
  }
}

interface RetryOptions {
  readonly signal: AbortSignal;
  /** Milliseconds in which the process runs: one that was stopped repeats what it was doing. */
  readonly giveUpAfterMs: number;
  now?(): number;
}

/**
 * Repeats `call` until it succeeds, with random and growing pauses after transient errors. Each call gets
 * a function that reports progress, which restarts the pauses and the time limit. Throws the last error
 * after `giveUpAfterMs` without progress, and other errors at once.
 */
export async function retryCall<Result>(
  { signal, giveUpAfterMs, now = runningMs }: RetryOptions,
  call: (progressed: () => void) => Promise<Result>,
): Promise<Result> {
  let failures = 0;
  let since = now();
  const progressed = () => {
    failures = 0;
    since = now();
  };
  for (;;) {
    try {
      return await call(progressed);
    } catch (error) {
      signal.throwIfAborted();
      const isLate = now() - since > giveUpAfterMs;
      if (!(error instanceof StoreError && error.isTransient) || isLate) throw error;
      await waitForStore(error.message, backOffMs(++failures, storeBackOff), signal);
    }
  }
}

import { setMaxListeners } from "node:events";
import type { Readable } from "node:stream";
import { isMainThread } from "node:worker_threads";
import { KIB } from "../base/limits.js";
import type { GetOptions } from "./object-store.js";
import { formatObjectUrl, type StoreScheme } from "./object-url.js";
import { GIVE_UP_MS, retryCall } from "./retry-call.js";
import { StoreError } from "./store-error.js";
import { objectChanged } from "./store-explanations.js";
import { beginRequest, countBytesRead, type RequestKind } from "./store-usage.js";

/** A store that does not answer the first call has a wrong address. */
const FIRST_ANSWER_MS_MAX = 10_000;
const FIRST_GIVE_UP_MS = 3_000;
/** Without an answer, or without a byte of it. */
const SILENCE_MS_MAX = 60_000;
/** Bytes per second that a body is sent with at least. */
const SENT_RATE_MIN = 16 * KIB;

const UNREACHABLE = "store_unreachable";

export interface StoreCallsOptions {
  readonly scheme: StoreScheme;
  readonly bucket: string;
  readonly requestsPerSecond: number | undefined;
  /** Turns an error of a library into a `StoreError`. `address`: the object or bucket. */
  explain(error: unknown, address: string, kind: RequestKind): unknown;
  /** Gets new credentials. A call whose credentials were refused is made once more after it. */
  renewCredentials?(): Promise<unknown>;
}

/** The answer to a request for a range. */
export interface RangeAnswer {
  readonly status: number;
  readonly contentRange: string | undefined;
  /** Absent if the answer names none. */
  readonly etag: string | undefined;
  readonly body: Readable;
}

interface Call {
  readonly kind: RequestKind;
  /** An empty key stands for the bucket. */
  readonly key: string;
  /** Bytes that are sent. */
  readonly size?: number;
  readonly signal: AbortSignal;
}

/** A call of a library. Its signal is also aborted when the store is silent for too long. */
type Send<Result> = (signal: AbortSignal) => Promise<Result>;

/** Errors that a second attempt can cure: libraries correct their clock by the answer of the store. */
const curableCodes: readonly string[] = [
  "store_clock_skewed",
  "store_credentials_expired",
  "store_credentials_refused",
];

/** The calls of one bucket: counted, limited, and with errors that name the object. */
export class StoreCalls {
  /** Threads are started after the main thread has had answers. */
  #hasAnswered = !isMainThread;
  #renewal: Promise<unknown> | undefined;

  constructor(private readonly options: StoreCallsOptions) {}

  /**
   * Makes a call, and a second time if the clock was wrong or the credentials were refused and could be
   * renewed.
   */
  async once<Result>(call: Call, send: Send<Result>): Promise<Result> {
    // Each request that is under way listens to it; Node warns of more than ten.
    setMaxListeners(0, call.signal);
    try {
      return await this.#send(call, send);
    } catch (error) {
      if (!(await this.#cure(error, call.kind))) throw error;
      return this.#send(call, send);
    }
  }

  async #send<Result>(call: Call, send: Send<Result>): Promise<Result> {
    const { kind, key, size = 0, signal } = call;
    await beginRequest(kind, this.options.requestsPerSecond, signal);
    const silenceMs = this.#hasAnswered ? SILENCE_MS_MAX : FIRST_ANSWER_MS_MAX;
    // A signal of `AbortSignal.timeout` can be collected while a request listens to it.
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
      const explained = this.options.explain(error, this.#addressOf(key), kind);
      this.#hasAnswered ||= explained instanceof StoreError && explained.code !== UNREACHABLE;
      throw explained;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Returns true if the call that failed may succeed now. */
  async #cure(error: unknown, kind: RequestKind): Promise<boolean> {
    if (!(error instanceof StoreError)) return false;
    // An answer to HEAD has no body that would name expired credentials.
    const isUnnamed = kind === "head" && error.code === "store_forbidden";
    if (!isUnnamed && !curableCodes.includes(error.code)) return false;
    if (error.code === "store_clock_skewed") return true;
    const { renewCredentials } = this.options;
    if (renewCredentials === undefined) return false;
    this.#renewal ??= renewCredentials().finally(() => {
      this.#renewal = undefined;
    });
    // The error of the call says more than that of the renewal.
    return this.#renewal.then(
      () => true,
      () => false,
    );
  }

  /** Makes a call that can be repeated until it succeeds or fails for good. */
  repeat<Result>(call: Call, send: Send<Result>): Promise<Result> {
    const giveUpAfterMs = this.#hasAnswered ? GIVE_UP_MS : FIRST_GIVE_UP_MS;
    return retryCall({ signal: call.signal, giveUpAfterMs }, () => this.once(call, send));
  }

  /** The same; undefined if the object does not exist. */
  async find<Result>(call: Call, send: Send<Result>): Promise<Result | undefined> {
    return unless("store_object_missing", undefined, this.repeat(call, send));
  }

  /** The same; `occupied` if its condition is not met. */
  async attempt<Result>(call: Call, send: Send<Result>): Promise<Result | "occupied"> {
    return unless("store_object_changed", "occupied", this.repeat(call, send));
  }

  /**
   * Passes on the body of a range; its failure names the object. Stores and proxies exist that ignore the
   * range or the condition, or answer 200 with an error as the body: such an answer is refused.
   */
  async *body(key: string, answer: RangeAnswer, options: GetOptions): AsyncGenerator<Uint8Array> {
    const { signal } = options;
    const refusal = this.#refusalOf(key, answer, options);
    const silence = () => answer.body.destroy(this.#silence(key, SILENCE_MS_MAX));
    const timer = setTimeout(silence, SILENCE_MS_MAX);
    try {
      for await (const bytes of answer.body) {
        if (refusal !== undefined) break;
        timer.refresh();
        countBytesRead(bytes.length);
        yield bytes;
      }
    } catch (error) {
      signal.throwIfAborted();
      throw this.options.explain(error, this.#addressOf(key), "get");
    } finally {
      clearTimeout(timer);
    }
    if (refusal !== undefined) throw refusal;
  }

  #refusalOf(
    key: string,
    { status, contentRange = "", etag }: RangeAnswer,
    { start, etag: wanted }: GetOptions,
  ): StoreError | undefined {
    const address = this.#addressOf(key);
    if (etag !== undefined && bareEtag(etag) !== bareEtag(wanted))
      return new StoreError(objectChanged.code, objectChanged.reason, address, false);
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

  #addressOf(key: string): string {
    return formatObjectUrl({ ...this.options, key }).replace(/\/$/, "");
  }
}

/** Returns an ETag without its quotes, which some stores leave out in some answers. */
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

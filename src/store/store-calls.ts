import { setMaxListeners } from "node:events";
import { formatObjectUrl, type StoreScheme } from "./object-url.js";
import { GIVE_UP_MS, retryCall } from "./retry-call.js";
import { StoreError } from "./store-error.js";
import { beginRequest, countBytesRead, type RequestKind } from "./store-usage.js";

/** The first call of all is to list: a store that does not answer it has a wrong address. */
const LIST_GIVE_UP_MS = 3_000;

export interface StoreCallsOptions {
  readonly scheme: StoreScheme;
  readonly bucket: string;
  readonly requestsPerSecond: number | undefined;
  /** Turns an error of a library into a `StoreError`. `address`: the object or bucket. */
  explain(error: unknown, address: string, kind: RequestKind): unknown;
}

/** The calls of one bucket: counted, limited, and with errors that name the object. */
export class StoreCalls {
  constructor(private readonly options: StoreCallsOptions) {}

  /** Makes a call once. An empty key stands for the bucket. */
  async once<Result>(
    kind: RequestKind,
    key: string,
    signal: AbortSignal,
    call: () => Promise<Result>,
  ): Promise<Result> {
    // Each request that is under way listens to it; Node warns of more than ten.
    setMaxListeners(0, signal);
    await beginRequest(kind, this.options.requestsPerSecond, signal);
    try {
      return await call();
    } catch (error) {
      signal.throwIfAborted();
      throw this.options.explain(error, this.#addressOf(key), kind);
    }
  }

  /** Makes a call that can be repeated until it succeeds or fails for good. */
  repeat<Result>(
    kind: RequestKind,
    key: string,
    signal: AbortSignal,
    call: () => Promise<Result>,
  ): Promise<Result> {
    const giveUpAfterMs = kind === "list" ? LIST_GIVE_UP_MS : GIVE_UP_MS;
    return retryCall({ signal, giveUpAfterMs }, () => this.once(kind, key, signal, call));
  }

  /** The same; undefined if the object does not exist. */
  async find<Result>(
    kind: RequestKind,
    key: string,
    signal: AbortSignal,
    call: () => Promise<Result>,
  ): Promise<Result | undefined> {
    return unless("store_object_missing", undefined, this.repeat(kind, key, signal, call));
  }

  /** The same; `occupied` if its condition is not met. */
  async attempt<Result>(
    kind: RequestKind,
    key: string,
    signal: AbortSignal,
    call: () => Promise<Result>,
  ): Promise<Result | "occupied"> {
    return unless("store_object_changed", "occupied", this.repeat(kind, key, signal, call));
  }

  /** Passes on a body; its failure names the object. */
  async *body(
    key: string,
    body: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    try {
      for await (const bytes of body) {
        countBytesRead(bytes.length);
        yield bytes;
      }
    } catch (error) {
      signal.throwIfAborted();
      throw this.options.explain(error, this.#addressOf(key), "get");
    }
  }

  #addressOf(key: string): string {
    return formatObjectUrl({ ...this.options, key }).replace(/\/$/, "");
  }
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

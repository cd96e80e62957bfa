import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { type Dispatcher, Pool } from "undici";
import {
  ANSWER_BYTES_MAX,
  CAREFUL_PAUSE_MS,
  CAREFUL_PIECE_BYTES,
  CAREFUL_WAIT_MS,
  CONNECT_MS_MAX,
} from "../base/limits.js";
import { version } from "../base/package-files.js";
import { withoutSecrets } from "../base/without-secrets.js";
import { type Answer, type FailureKind, NoAnswer, type Post } from "./post.js";

interface PostOptions {
  readonly url: URL;
  /** A secret: it is in no message. */
  readonly secret: string;
  readonly authHeader: string;
  readonly concurrency: number;
  /** Limit for a complete response, and for a connection if it is below CONNECT_MS_MAX. */
  readonly timeoutMs: number;
}

interface Poster {
  readonly post: Post;
  /** Aborts all requests. */
  close(): Promise<void>;
}

/**
 * Creates a `Post` over kept connections, one request at a time on each. A redirect is a response
 * like any other. (The `dispatch` of undici makes no stream for a response, which saves a third of
 * the time.)
 */
export function createPoster(options: PostOptions): Poster {
  const { url, secret, authHeader, concurrency, timeoutMs } = options;
  const pool = new Pool(url.origin, {
    connections: concurrency,
    pipelining: 1,
    connect: { timeout: Math.min(timeoutMs, CONNECT_MS_MAX) },
    // Each request has its own limit, from its first byte to its last.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const path = `${url.pathname}${url.search}`;
  const fixed = ["content-type", "application/json", "user-agent", `switchyard/${version}`];
  const withoutSecret = withoutSecrets([secret]);
  const post: Post = (body, key, isCareful) =>
    new Promise((resolve, reject) => {
      const headers = [...fixed, authHeader, secret, "idempotency-key", key];
      const exchange = new Exchange(timeoutMs, withoutSecret, resolve, reject);
      if (!isCareful) {
        pool.dispatch({ method: "POST", path, headers, body }, exchange);
        return;
      }
      headers.push("content-length", String(body.length));
      const pieces = Readable.from(exchange.pieces(body), { objectMode: false });
      pool.dispatch({ method: "POST", path, headers, body: pieces }, exchange);
    });
  return { post, close: () => pool.destroy() };
}

/** One request and its response. */
class Exchange implements Dispatcher.DispatchHandler {
  #timer: NodeJS.Timeout | undefined;
  #status = 0;
  #headers: Record<string, string | undefined> = {};
  #text = "";
  #isStarted = false;
  #isTimedOut = false;
  /** The last piece of a careful request is not handed over yet. */
  #isIncomplete = false;

  constructor(
    private readonly timeoutMs: number,
    private readonly withoutSecret: (text: string) => string,
    private readonly resolve: (answer: Answer) => void,
    private readonly reject: (error: NoAnswer) => void,
  ) {}

  /** Yields a body slowly, with moments for an answer after its head and before its last byte. */
  async *pieces(body: Uint8Array): AsyncIterable<Uint8Array> {
    this.#isIncomplete = true;
    // Undici sends the head with the first byte.
    yield body.subarray(0, 1);
    await sleep(CAREFUL_WAIT_MS);
    const last = body.length - 1;
    for (let start = 1; start < last; start += CAREFUL_PIECE_BYTES) {
      // Lets an answer in before the next piece meets a connection that is reset.
      await sleep(CAREFUL_PAUSE_MS);
      yield body.subarray(start, Math.min(start + CAREFUL_PIECE_BYTES, last));
    }
    await sleep(CAREFUL_WAIT_MS);
    this.#isIncomplete = false;
    yield body.subarray(last);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#isStarted = true;
    const { timeoutMs } = this;
    this.#timer = setTimeout(() => {
      this.#isTimedOut = true;
      controller.abort(new Error(`no complete response within ${timeoutMs / 1000} s`));
    }, timeoutMs);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    this.#status = status;
    if (isGood(status)) return;
    const { "retry-after": retryAfter, location, date } = headers;
    this.#headers = {
      "retry-after": first(retryAfter),
      location: first(location),
      date: first(date),
    };
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const room = ANSWER_BYTES_MAX - this.#text.length;
    if (room > 0) this.#text += chunk.toString("utf8", 0, room);
  }

  onResponseEnd(): void {
    clearTimeout(this.#timer);
    this.#answer();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.#timer);
    // Services reset the connection after an answer that needs no more of the request, as with 413.
    if (isDecidedByStatus(this.#status)) this.#answer();
    else this.reject(this.#noAnswer(error));
  }

  #answer(): void {
    const { location } = this.#headers;
    this.resolve({
      status: this.#status,
      headers: {
        ...this.#headers,
        location: location === undefined ? undefined : this.withoutSecret(location),
      },
      text: this.withoutSecret(this.#text),
    });
  }

  #noAnswer(error: Error): NoAnswer {
    const { code = "" } = error as NodeJS.ErrnoException;
    const message = error.message || code || error.name;
    return new NoAnswer(this.#kindOf(code), message, { cause: error });
  }

  #kindOf(code: string): FailureKind {
    if (this.#isTimedOut) return "timed_out";
    if (this.#isStarted) return this.#isIncomplete ? "cut_short" : "lost";
    return connectionFailures.find(([pattern]) => pattern.test(code))?.[1] ?? "not_connected";
  }
}

function isGood(status: number): boolean {
  return status >= 200 && status < 300;
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/** Returns true if an answer counts without its whole body, which 400 and 422 name faults in. */
function isDecidedByStatus(status: number): boolean {
  return status >= 300 && status !== 400 && status !== 422;
}

/** Codes of the system, of OpenSSL and of Node for connections that cannot be used. */
const connectionFailures: readonly (readonly [RegExp, FailureKind])[] = [
  [/^ENOTFOUND$/, "host_unknown"],
  [/^ERR_TLS_CERT_ALTNAME/, "certificate_of_other_host"],
  [/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/, "certificate_out_of_date"],
  [/CERT|SELF_SIGNED|UNABLE_TO_/, "certificate_untrusted"],
  [/^(ERR_TLS|ERR_SSL|EPROTO)/, "no_tls"],
];

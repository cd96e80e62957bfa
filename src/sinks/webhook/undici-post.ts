import { type Dispatcher, Pool } from "undici";
import { ANSWER_BYTES_MAX } from "../../base/limits.js";
import { version } from "../../base/package-files.js";
import { type Answer, type FailureKind, NoAnswer, type Post } from "./post.js";

interface PostOptions {
  readonly url: URL;
  /** A secret: it is in no message. */
  readonly secret: string;
  readonly authHeader: string;
  readonly concurrency: number;
  /** Limit for a connection, and for a complete response. */
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
    connect: { timeout: timeoutMs },
    // Each request has its own limit, from its first byte to its last.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const path = `${url.pathname}${url.search}`;
  const fixed = ["content-type", "application/json", "user-agent", `switchyard/${version}`];
  const withoutSecret = (text: string) => text.replaceAll(secret, "(the secret)");
  const post: Post = (body, key) =>
    new Promise((resolve, reject) => {
      const headers = [...fixed, authHeader, secret, "idempotency-key", key];
      const exchange = new Exchange(timeoutMs, withoutSecret, resolve, reject);
      pool.dispatch({ method: "POST", path, headers, body }, exchange);
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

  constructor(
    private readonly timeoutMs: number,
    private readonly withoutSecret: (text: string) => string,
    private readonly resolve: (answer: Answer) => void,
    private readonly reject: (error: NoAnswer) => void,
  ) {}

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#isStarted = true;
    const { timeoutMs } = this;
    this.#timer = setTimeout(() => {
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
    const { "retry-after": retryAfter, location } = headers;
    this.#headers = { "retry-after": first(retryAfter), location: first(location) };
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (isGood(this.#status)) return;
    const room = ANSWER_BYTES_MAX - this.#text.length;
    if (room > 0) this.#text += chunk.toString("utf8", 0, room);
  }

  onResponseEnd(): void {
    clearTimeout(this.#timer);
    if (isGood(this.#status)) {
      this.resolve({ status: this.#status, headers: {}, text: "" });
      return;
    }
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

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.#timer);
    this.reject(noAnswer(error, this.#isStarted));
  }
}

function isGood(status: number): boolean {
  return status >= 200 && status < 300;
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/** Codes of OpenSSL and Node for certificates that they do not trust. */
const certificatePattern = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|EPROTO/;

function noAnswer(error: Error, isStarted: boolean): NoAnswer {
  const { code = "" } = error as NodeJS.ErrnoException;
  return new NoAnswer(kindOf(code, isStarted), error.message || code || error.name, {
    cause: error,
  });
}

function kindOf(code: string, isStarted: boolean): FailureKind {
  if (code === "ENOTFOUND") return "host_unknown";
  if (isStarted) return "no_answer";
  return certificatePattern.test(code) ? "certificate" : "not_connected";
}

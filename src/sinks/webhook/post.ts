/** The response of a service. */
export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The beginning of the body; empty for successful responses. */
  readonly text: string;
}

/** Reasons for a missing response. */
const failureKinds = ["not_connected", "no_answer", "certificate", "host_unknown"] as const;
export type FailureKind = (typeof failureKinds)[number];

/**
 * There is no complete response. After `not_connected` the service has received nothing; after
 * `no_answer` (connection lost, timeout) it may have received the request.
 */
export class NoAnswer extends Error {
  constructor(
    readonly kind: FailureKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = "NoAnswer";
  }
}

/**
 * Sends one POST and returns its response; rejects with `NoAnswer`. `key` is the `Idempotency-Key`.
 */
export type Post = (body: Uint8Array, key: string) => Promise<Answer>;

/** Path of the event webhook below the base URL of a service. */
const EVENT_PATH = "/v1/webhooks/event_webhook";

/** Returns the address of the event webhook of a service. The path of the base URL is kept. */
export function eventUrl(base: string): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}${EVENT_PATH}`;
  return url;
}

/** The response of a service. */
export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The beginning of the body. */
  readonly text: string;
}

/** Reasons for a missing response. */
const failureKinds = [
  "not_connected",
  "host_unknown",
  "certificate_untrusted",
  "certificate_of_other_host",
  "certificate_out_of_date",
  "no_tls",
  "cut_short",
  "lost",
  "timed_out",
] as const;
export type FailureKind = (typeof failureKinds)[number];

/**
 * There is no complete response. After `lost` and `timed_out` the service may have received the
 * request; after the others, with `cut_short`, it cannot have received all of it.
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
 * With `isCareful` the body follows the head slowly, so that the answer of a service that refuses
 * the request by its size arrives before the connection is reset. Only then is there `cut_short`.
 */
export type Post = (body: Uint8Array, key: string, isCareful: boolean) => Promise<Answer>;

/** Path of the event webhook below the base URL of a service. */
const EVENT_PATH = "/v1/webhooks/event_webhook";

/** Returns the address of the event webhook of a service. The path of the base URL is kept. */
export function eventUrl(base: string): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}${EVENT_PATH}`;
  return url;
}

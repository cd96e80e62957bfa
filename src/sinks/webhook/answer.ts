/** What a service answered. */
export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The beginning of the body; empty for answers that are good. */
  readonly text: string;
}

/** Why there is no answer. */
const failureKinds = ["not_connected", "no_answer", "certificate", "host_unknown"] as const;
export type FailureKind = (typeof failureKinds)[number];

/**
 * No whole answer came. After `not_connected` nothing can have been received; after `no_answer`
 * (broken off, too late) that is not known.
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

/** One POST, one answer; rejects with `NoAnswer`. `key` is the `Idempotency-Key`. */
export type Post = (body: Uint8Array, key: string) => Promise<Answer>;

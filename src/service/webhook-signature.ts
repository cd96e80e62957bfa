import { createHmac } from "node:crypto";

/** Bytes of a secret: https://github.com/standard-webhooks/standard-webhooks, "Signature scheme". */
const SECRET_BYTES_MIN = 24;
const SECRET_BYTES_MAX = 64;

/** Returns the bytes of `whsec_` and base64 after it; undefined for another text, or too few or many bytes. */
export function webhookSecret(text: string): Buffer | undefined {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  if (base64 === undefined) return undefined;
  const bytes = Buffer.from(base64, "base64");
  return bytes.length >= SECRET_BYTES_MIN && bytes.length <= SECRET_BYTES_MAX ? bytes : undefined;
}

interface Message {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly timestamp: number;
  readonly body: string;
}

/** Returns the headers of Standard Webhooks for a message: receivers check them with the library of their language. */
export function webhookHeaders({ id, timestamp, body }: Message, secret: Uint8Array) {
  const signed = createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`);
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": `v1,${signed.digest("base64")}`,
  };
}

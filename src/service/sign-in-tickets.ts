import { randomBytes } from "node:crypto";
import { keyDigest } from "../http/key-text.js";
import { sessionLimits } from "../http/service-limits.js";

const TICKET_RANDOM_BYTES = 32;

interface Ticket {
  /** The hash of the key that it signs in with; undefined for a new key. */
  readonly keyHash: string | undefined;
  /** ms since the epoch. */
  readonly expiresTime: number;
}

/** Secrets in the links that sign a person in: each works once, for a short time, in this process. */
export class SignInTickets {
  /** By the hash of the secret. */
  readonly #tickets = new Map<string, Ticket>();

  /** `now` returns ms since the epoch. */
  constructor(private readonly now: () => number) {}

  /** Returns a new secret. With `keyHash`, it signs in with that key, else with a new one. */
  issue(keyHash?: string): string {
    const secret = randomBytes(TICKET_RANDOM_BYTES).toString("base64url");
    const expiresTime = this.now() + sessionLimits.ticketMs;
    this.#tickets.set(hashOf(secret), { keyHash, expiresTime });
    return secret;
  }

  /** Returns the ticket and forgets it; undefined if it is unknown, used or has expired. */
  redeem(secret: string): Ticket | undefined {
    const hash = hashOf(secret);
    const ticket = this.#tickets.get(hash);
    this.#tickets.delete(hash);
    return ticket !== undefined && this.now() < ticket.expiresTime ? ticket : undefined;
  }
}

function hashOf(secret: string): string {
  return keyDigest(secret).toString("hex");
}

/**
 * Returns the link of a ticket, which leads to the path `next` of the console. Browsers keep what is after
 * `#`, so no log of a proxy has it.
 */
export function signInUrl(serviceUrl: string, secret: string, next?: string): string {
  const target = next === undefined ? "" : `~${encodeURIComponent(next)}`;
  return `${serviceUrl}/sign-in#${secret}${target}`;
}

import { randomBytes } from "node:crypto";
import type { Session, sessionRoutes } from "../contract/session.js";
import { type KeyFault, keyFault } from "../http/authentication.js";
import type { HandlerAnswer, Handlers } from "../http/handler.js";
import { keyDigest, keyRecord, newKeyText } from "../http/key-text.js";
import { RateLimiter } from "../http/rate-limiter.js";
import { ServiceError, unauthorized } from "../http/service-error.js";
import { sessionLimits } from "../http/service-limits.js";
import { sessionCookie } from "../http/session-cookie.js";
import type { KeyRecord, KeyStore } from "../storage/key-store.js";
import type { SessionStore } from "../storage/session-store.js";
import type { SignInTickets } from "./sign-in-tickets.js";

const TOKEN_RANDOM_BYTES = 32;

/** Name of the keys that links create. */
const LINK_KEY_NAME = "Sign-in link";

const attempts = {
  id: "sign-in",
  requestsPerMinuteMax: sessionLimits.attemptsPerMinuteMax,
} as const;

interface SessionHandlerOptions {
  readonly keys: KeyStore;
  readonly sessions: SessionStore;
  readonly tickets: SignInTickets;
  /** Returns ms since the epoch. */
  now(): number;
}

/** Signs people in and out. A session acts for a key, whose rights and end are its own. */
export function sessionHandlers({
  keys,
  sessions,
  tickets,
  now,
}: SessionHandlerOptions): Handlers<typeof sessionRoutes> {
  const limiter = new RateLimiter();

  /** Returns the key of a ticket: a stored or ephemeral one, or a new one. */
  const ticketKey = async (secret: string): Promise<KeyRecord> => {
    const ticket = tickets.redeem(secret);
    if (ticket === undefined) throw unauthorized(LINK_USED);
    if (ticket.keyHash !== undefined) return validKey(ticket.keyHash);
    const createdTime = now();
    const expiresTime = createdTime + sessionLimits.sessionMs;
    const facts = { kind: "console", name: LINK_KEY_NAME, createdTime, expiresTime } as const;
    // Nobody gets to know the key itself.
    const key = keyRecord(newKeyText("console"), facts);
    await keys.insert(key);
    return key;
  };

  const validKey = async (hash: string): Promise<KeyRecord> => {
    const key = await keys.find(hash);
    const fault = keyFault(key, ["console"], now());
    if (key === undefined || fault !== undefined) throw unauthorized(keyFaults[fault ?? "unknown"]);
    return key;
  };

  return {
    createSession: async ({ body: { key: given, ticket = "" }, origin }) => {
      requireAttempt(limiter, now());
      const key =
        given === undefined
          ? await ticketKey(ticket)
          : await validKey(keyDigest(given).toString("hex"));
      const createdTime = now();
      const lastTime = createdTime + sessionLimits.sessionMs;
      const expiresTime = Math.min(lastTime, key.expiresTime ?? lastTime);
      const token = randomBytes(TOKEN_RANDOM_BYTES).toString("base64url");
      const hash = keyDigest(token).toString("hex");
      await sessions.insert({ hash, keyHash: key.hash, createdTime, expiresTime });
      keys.noteUse(key, createdTime);
      const seconds = Math.floor((expiresTime - createdTime) / 1_000);
      return withCookie(sessionCookie({ origin }, token, seconds), {
        data: sessionData(key, expiresTime),
      });
    },

    readSession: async ({ caller, session }) => ({
      content: { data: sessionData(caller, session?.expiresTime ?? caller.expiresTime) },
    }),

    deleteSession: async ({ session, origin }) => {
      if (session === undefined) throw notSignedIn();
      await sessions.remove(session.hash);
      return withCookie(sessionCookie({ origin }), {});
    },
  };
}

function withCookie(cookie: string, content: HandlerAnswer["content"]): HandlerAnswer {
  return { content, headers: { "set-cookie": cookie } };
}

function sessionData(
  { id: keyID, name, owner, scopes }: KeyRecord,
  expiresTime: number | null,
): Session {
  const isReadOnly = !scopes.some((scope) => /(?:^|:)write$/.test(scope));
  return { keyID, name, owner, scopes: [...scopes], isReadOnly, expiresTime };
}

const LINK_USED =
  "This link cannot sign you in: it was used, it is older than 15 minutes, or the service has " +
  "restarted since. Sign in with a console key.";

const keyFaults: Readonly<Record<KeyFault, string>> = {
  unknown:
    "This key is unknown. Copy the whole key, which begins with console-, and try again; or create " +
    "one with `switchyard keys create --kind console`.",
  revoked: "This key was revoked. Sign in with another one.",
  expired: "This key has expired. Sign in with another one.",
  other_kind: "This key does not open the console. Sign in with a key that begins with console-.",
};

function requireAttempt(limiter: RateLimiter, now: number): void {
  const retryAfterSeconds = limiter.take(attempts, now);
  if (retryAfterSeconds === undefined) return;
  throw new ServiceError({
    status: 429,
    message: `Too many attempts to sign in: try again in ${retryAfterSeconds} s.`,
    retryAfterSeconds,
  });
}

function notSignedIn(): ServiceError {
  return new ServiceError({
    status: 400,
    message:
      "There is no session to end: the request has a key. Revoke the key to end its use everywhere.",
  });
}

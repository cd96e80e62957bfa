import type { IncomingMessage } from "node:http";
import { allows, areaOf } from "../contract/key-scopes.js";
import type { Access, Route } from "../contract/route.js";
import type { KeyKind, KeyRecord, KeyStore } from "../storage/key-store.js";
import type { SessionRecord, SessionStore } from "../storage/session-store.js";
import { keyDigest, shownKey } from "./key-text.js";
import { valuesOf } from "./request-headers.js";
import { ServiceError, unauthorized } from "./service-error.js";
import { type CookieFacts, requireOwnPage, sessionToken } from "./session-cookie.js";

/** Default header that carries the key. */
export const KEY_HEADER = "SERVICE-API-KEY";

/** Further headers that clients of events and evaluation send it in. */
const SDK_HEADERS = ["statsig-api-key", "X-API-Key"];

/** The query parameter that SDKs in browsers send it in: they set no headers. */
const KEY_PARAMETER = "k";

/** The parts of a request that authentication reads. */
interface Credentials extends Pick<IncomingMessage, "method" | "headers" | "rawHeaders"> {
  readonly query?: unknown;
  readonly params?: unknown;
}

type KeyAccess = Exclude<Access, "public">;

export const kindNames: Readonly<Record<KeyKind, string>> = {
  console: "console key",
  server: "server secret",
  client: "client key",
};

/** The kinds of keys that open a route; refusals name the first one. */
const openingKinds: Readonly<Record<KeyAccess, readonly [KeyKind, ...KeyKind[]]>> = {
  console: ["console"],
  server: ["server"],
  client: ["client", "server"],
};

/** Who makes a request. */
interface Caller {
  readonly key: KeyRecord;
  /** The session that the request names by its cookie; undefined if it has a key itself. */
  readonly session: SessionRecord | undefined;
}

/** The stores and limits that authentication reads beside the request. */
interface KeyChecks extends CookieFacts {
  /** Headers that may carry the key; the first is named in refusals. */
  readonly keyHeaders: readonly string[];
  readonly keys: KeyStore;
  readonly sessions: SessionStore;
  /** ms since the epoch. */
  readonly now: number;
}

/**
 * Returns the caller of a request, without reading its body. Throws 401 without a key that is valid for
 * the route, and 403 for a console key without the scope, or a cookie that another page may have sent.
 */
export async function authenticate(
  request: Credentials,
  route: Pick<Route, "path" | "right"> & { readonly access: KeyAccess },
  checks: KeyChecks,
): Promise<Caller> {
  const { access, path } = route;
  const { keyHeaders, keys, now } = checks;
  const kinds = openingKinds[access];
  const wanted = kinds.map((kind) => kindNames[kind]).join(" or ");
  const given =
    access === "console"
      ? headerKey(request, keyHeaders)
      : (headerKey(request, [...keyHeaders, ...SDK_HEADERS]) ?? otherKey(request));
  const isWithoutKey = access === "console" && given === undefined;
  const session = isWithoutKey ? await sessionOf(request, checks) : undefined;
  if (given === undefined && session === undefined) {
    const header = keyHeaders[0] ?? KEY_HEADER;
    throw unauthorized(`A key is missing: send a ${wanted} in the header ${header}.`);
  }
  const key = await keys.find(session?.keyHash ?? keyDigest(given ?? "").toString("hex"));
  if (session !== undefined && key === undefined) throw signedOut();
  const shown = hint(given ?? key?.prefix ?? "");
  const fault = keyFault(key, kinds, now);
  if (fault !== undefined || key === undefined) {
    throw unauthorized(faultMessages[fault ?? "unknown"](shown, wanted, key));
  }
  if (access === "console" && route.right !== "none") {
    requireScope(key, areaOf(path), request.method, route.right, shown);
  }
  return { key, session };
}

/** Reasons to refuse a key. */
export type KeyFault = "unknown" | "revoked" | "expired" | "other_kind";

/** Returns why a key is refused at the time `now`; undefined for a valid one of the kinds. */
export function keyFault(
  key: KeyRecord | undefined,
  kinds: readonly KeyKind[],
  now: number,
): KeyFault | undefined {
  if (key === undefined) return "unknown";
  if (key.revokedTime !== null) return "revoked";
  if (key.expiresTime !== null && key.expiresTime <= now) return "expired";
  return kinds.includes(key.kind) ? undefined : "other_kind";
}

type FaultMessage = (shown: string, wanted: string, key: KeyRecord | undefined) => string;

const faultMessages: Readonly<Record<KeyFault, FaultMessage>> = {
  unknown: (shown, wanted) => `The key${shown} is unknown: send a ${wanted}.`,
  revoked: (shown, _, key) => `The key${shown} was revoked at ${timeText(key?.revokedTime)}.`,
  expired: (shown, _, key) => `The key${shown} expired at ${timeText(key?.expiresTime)}.`,
  other_kind: (shown, wanted, key) =>
    `Expected a ${wanted}, but the key${shown} is a ${kindNames[key?.kind ?? "console"]}.`,
};

function timeText(time: number | null | undefined): string {
  return new Date(time ?? 0).toISOString();
}

/** Returns the session that a cookie names; undefined without a cookie. */
async function sessionOf(
  { method, headers }: Credentials,
  { sessions, now, origin }: KeyChecks,
): Promise<SessionRecord | undefined> {
  const token = sessionToken(headers, { origin });
  if (token === undefined) return undefined;
  const session = await sessions.find(keyDigest(token).toString("hex"));
  if (session === undefined || session.expiresTime <= now) throw signedOut();
  requireOwnPage(method, headers);
  return session;
}

function signedOut(): ServiceError {
  return unauthorized("You are signed out: the session has ended or expired. Sign in again.");
}

function requireScope(
  { scopes }: KeyRecord,
  area: string,
  method: string | undefined,
  right: "read" | undefined,
  shown: string,
): void {
  const what = right ?? (method === "GET" || method === "HEAD" ? "read" : "write");
  if (allows(scopes, area, what)) return;
  const message =
    scopes.join() === "read"
      ? `The key${shown} is read-only, but this is a ${method}.`
      : `The key${shown} has the scopes ${scopes.join(", ")}; this is a ${method} that needs ${area}:${what}.`;
  throw new ServiceError({ status: 403, message });
}

/** Returns the key in the first of some headers that is there. */
function headerKey(request: Credentials, names: readonly string[]): string | undefined {
  const given = names.find((header) => (request.headers[header.toLowerCase()] ?? "") !== "");
  if (given === undefined) return undefined;
  const name = given.toLowerCase();
  const value = String(request.headers[name]);
  // Node joins repeated headers with commas, and we cannot tell which key is meant.
  if (value.includes(",") && valuesOf(request.rawHeaders, name).length > 1) {
    throw unauthorized(`The header ${given} was sent more than once: send one key.`);
  }
  return value;
}

/** Returns the key of a bearer, of the query, or of the path. */
function otherKey({ headers, query, params }: Credentials): string | undefined {
  const [, bearer] = /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? "") ?? [];
  const parameter = (query as Readonly<Record<string, unknown>> | undefined)?.[KEY_PARAMETER];
  const inPath = (params as Readonly<Record<string, string>> | undefined)?.["secret"];
  const inQuery = typeof parameter === "string" && parameter !== "" ? parameter : undefined;
  return bearer ?? inQuery ?? inPath?.replace(/\.json$/, "");
}

function hint(key: string): string {
  const shown = shownKey(key);
  return shown === "" ? "" : ` that begins with ${shown}`;
}

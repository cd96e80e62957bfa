import type { IncomingHttpHeaders } from "node:http";
import { ServiceError } from "./service-error.js";

/**
 * Header that the console's own page sends with each request that changes something. A page of another
 * origin cannot: a header of that name makes the browser ask first, and the service does not allow it.
 */
const PAGE_HEADER = "x-switchyard-page";

/** Parts of a request that say which cookie is meant. */
export interface CookieFacts {
  /** Scheme and host of the service, as the client has them. */
  readonly origin: string;
}

/** Returns the cookie of a service. Browsers keep one jar for all ports of a host, so it names the port. */
function cookieName({ origin }: CookieFacts): string {
  const [, port] = /:(\d+)$/.exec(origin) ?? [];
  return port === undefined ? "switchyard" : `switchyard_${port}`;
}

/** Returns the `Set-Cookie` of a session; without a token, the one that removes it. */
export function sessionCookie(facts: CookieFacts, token = "", maxAgeSeconds = 0): string {
  const parts = [
    `${cookieName(facts)}=${token}`,
    "Path=/",
    `Max-Age=${maxAgeSeconds}`,
    "HttpOnly",
    "SameSite=Strict",
  ];
  return [...parts, ...(facts.origin.startsWith("https:") ? ["Secure"] : [])].join("; ");
}

/** Returns the token in the cookie of this service. */
export function sessionToken(
  { cookie = "" }: IncomingHttpHeaders,
  facts: CookieFacts,
): string | undefined {
  const start = `${cookieName(facts)}=`;
  const found = cookie.split(";").map((part) => part.trim());
  const token = found.find((part) => part.startsWith(start))?.slice(start.length);
  return token === "" ? undefined : token;
}

/** Throws 403 for a request with a cookie that a page of another origin may have sent. */
export function requireOwnPage(method: string | undefined, headers: IncomingHttpHeaders): void {
  if (method === "GET" || method === "HEAD") return;
  requireSameOrigin(headers);
  if (headers[PAGE_HEADER] === "1") return;
  throw forbidden(
    `A request with the cookie of a session needs the header ${PAGE_HEADER}: 1, which only the console's own page can send.`,
  );
}

/** Throws 403 if the browser says that a page of another origin made the request. */
export function requireSameOrigin(headers: IncomingHttpHeaders): void {
  const site = headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin") return;
  throw forbidden(
    `The request comes from another page (${String(site).slice(0, 40)}): open the console itself.`,
  );
}

function forbidden(message: string): ServiceError {
  return new ServiceError({ status: 403, message });
}

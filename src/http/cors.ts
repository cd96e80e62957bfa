import type { FastifyReply, FastifyRequest } from "fastify";

/** Origins of pages that may call a route; `*` for all of them. */
export type Origins = readonly string[];

/** Seconds for which a browser keeps the answer to a preflight. */
const PREFLIGHT_SECONDS = 7_200;

/**
 * Lets the pages of some origins read an answer. Keys are not cookies: a page of another origin cannot send
 * a request with a key that it does not have.
 */
export function allowOrigin(request: FastifyRequest, reply: FastifyReply, origins: Origins): void {
  const { origin } = request.headers;
  if (origins.length === 0) return;
  reply.header("vary", "origin");
  if (origin === undefined || !(origins.includes(origin) || origins.includes("*"))) return;
  reply.header("access-control-allow-origin", origin);
  reply.header("access-control-expose-headers", "etag, retry-after, x-request-id");
  if (request.method !== "OPTIONS") return;
  const asked = request.headers["access-control-request-headers"];
  if (asked !== undefined) reply.header("access-control-allow-headers", asked);
  reply.header("access-control-allow-methods", "GET, POST");
  reply.header("access-control-max-age", String(PREFLIGHT_SECONDS));
}

import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { IfMatch } from "./handler.js";
import { ServiceError } from "./service-error.js";
import type { ServiceLimits } from "./service-limits.js";

const entityTag = /^(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"$/;
const visible = /^[\x21-\x7e]+$/;
const requestIdText = /^[\w.:/+=@-]+$/;

/** Checks what HTTP requires: 400 without a host or with several, 417 for an unknown expectation. */
export function headersRefusal({
  httpVersion,
  headers,
  rawHeaders,
}: Pick<IncomingMessage, "httpVersion" | "headers" | "rawHeaders">): ServiceError | undefined {
  const { host, expect } = headers;
  if (host === undefined && httpVersion === "1.1") return refused("The Host header is missing");
  // Node keeps the first one, but a proxy in front of us may have used the other.
  if (new Set(valuesOf(rawHeaders, "host")).size > 1) return refused("Two Host headers differ");
  if (expect === undefined || expect.toLowerCase() === "100-continue") return undefined;
  return new ServiceError({
    status: 417,
    message: "The only supported expectation is 100-continue",
  });
}

/** Returns all values of a repeated header. `name` is in lower case. */
export function valuesOf(rawHeaders: readonly string[], name: string): readonly string[] {
  return rawHeaders.filter(
    (_, index) => rawHeaders[index - 1]?.toLowerCase() === name && index % 2 === 1,
  );
}

/** Returns the versions in `If-Match`. A weak tag keeps its `W/`, so it never matches. */
export function ifMatchOf(headers: IncomingHttpHeaders): IfMatch {
  const header = headers["if-match"];
  if (header === undefined) return undefined;
  if (header.trim() === "*") return "*";
  return header.split(",").map((part) => {
    const text = part.trim();
    const tag = entityTag.exec(text);
    if (tag?.[1] === undefined) {
      throw refused(`If-Match must be * or versions in double quotes, e.g. "3"; received ${text}`);
    }
    return text.startsWith("W/") ? text : tag[1];
  });
}

/** Returns true if `If-None-Match` names the ETag. It compares weakly, and ignores what it cannot read. */
export function isUnchanged(headers: IncomingHttpHeaders, etag: string): boolean {
  const given = headers["if-none-match"]?.split(",").map((part) => part.trim()) ?? [];
  return given.some((tag) => tag === "*" || tag.replace(/^W\//, "") === etag);
}

export function idempotencyKeyOf(
  headers: IncomingHttpHeaders,
  { idempotencyKeyCharactersMax: max }: ServiceLimits,
): string | undefined {
  // Node's types do not know this header; it is never an array.
  const header = headers["idempotency-key"] as string | undefined;
  if (header === undefined) return undefined;
  if (header.length > max || !visible.test(header)) {
    throw refused(`Idempotency-Key must be 1 to ${max} visible ASCII characters without a space`);
  }
  return header;
}

/** Returns the client's id of a request if it is safe for logs and headers. */
export function requestIdOf(
  headers: IncomingHttpHeaders,
  { requestIdCharactersMax: max }: ServiceLimits,
): string | undefined {
  const header = headers["x-request-id"] as string | undefined;
  if (header === undefined || header.length > max || !requestIdText.test(header)) return undefined;
  return header;
}

function refused(message: string): ServiceError {
  return new ServiceError({ status: 400, message });
}

/** Throws a 412 if `If-Match` does not name the version, which is undefined without an entity. */
export function requireMatch(ifMatch: IfMatch, version: number | undefined): void {
  if (ifMatch === undefined) return;
  if (version !== undefined && (ifMatch === "*" || ifMatch.includes(String(version)))) return;
  const names = ifMatch === "*" ? "any version" : ifMatch.join(", ");
  const is = version === undefined ? "there is no entity" : `the version is ${version}`;
  throw new ServiceError({
    status: 412,
    message: `If-Match names ${names}, but ${is}: read it again.`,
  });
}

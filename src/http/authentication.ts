import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { allows, areaOf } from "../contract/key-scopes.js";
import type { Access, Route } from "../contract/route.js";
import type { KeyKind, KeyRecord, KeyStore } from "../storage/key-store.js";
import { keyDigest, shownKey } from "./key-text.js";
import { valuesOf } from "./request-headers.js";
import { ServiceError } from "./service-error.js";

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

/**
 * Returns the key of a request, without reading its body. Throws 401 without a key that is valid for
 * `access` at the time `now` (ms since the epoch), and 403 for a console key without the scope.
 */
export async function authenticate(
  request: Credentials,
  { access, path }: Pick<Route, "path"> & { readonly access: KeyAccess },
  keyHeaders: readonly string[],
  keys: KeyStore,
  now: number,
): Promise<KeyRecord> {
  const kinds = openingKinds[access];
  const wanted = kinds.map((kind) => kindNames[kind]).join(" or ");
  const key =
    access === "console"
      ? headerKey(request, keyHeaders)
      : (headerKey(request, [...keyHeaders, ...SDK_HEADERS]) ?? otherKey(request));
  if (key === undefined) {
    const header = keyHeaders[0] ?? KEY_HEADER;
    throw unauthorized(`A key is missing: send a ${wanted} in the header ${header}.`);
  }
  const digest = keyDigest(key);
  const record = await keys.find(digest.toString("hex"));
  if (record === undefined || !timingSafeEqual(digest, Buffer.from(record.hash, "hex"))) {
    throw unauthorized(`The key${hint(key)} is unknown: send a ${wanted}.`);
  }
  if (record.revokedTime !== null) {
    const time = new Date(record.revokedTime).toISOString();
    throw unauthorized(`The key${hint(key)} was revoked at ${time}.`);
  }
  if (record.expiresTime !== null && record.expiresTime <= now) {
    const time = new Date(record.expiresTime).toISOString();
    throw unauthorized(`The key${hint(key)} expired at ${time}.`);
  }
  if (!kinds.includes(record.kind)) {
    throw unauthorized(
      `Expected a ${wanted}, but the key${hint(key)} is a ${kindNames[record.kind]}.`,
    );
  }
  if (access === "console") requireScope(record, areaOf(path), request.method, hint(key));
  return record;
}

function requireScope(
  { scopes }: KeyRecord,
  area: string,
  method: string | undefined,
  shown: string,
): void {
  const what = method === "GET" || method === "HEAD" ? "read" : "write";
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

function unauthorized(message: string): ServiceError {
  return new ServiceError({ status: 401, message });
}

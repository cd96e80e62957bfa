import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Access } from "../contract/route.js";
import type { KeyKind, KeyRecord, KeyStore } from "../storage/key-store.js";
import { keyDigest, shownKey } from "./key-text.js";
import { valuesOf } from "./request-headers.js";
import { ServiceError } from "./service-error.js";

/** Default header that carries the key. */
export const KEY_HEADER = "SERVICE-API-KEY";

/** The parts of a request that authentication reads. */
type Credentials = Pick<IncomingMessage, "method" | "headers" | "rawHeaders">;

const kindNames: Readonly<Record<KeyKind, string>> = {
  console: "console key",
  server: "server secret",
};

/**
 * Returns the key of a request, from its headers alone. Throws 401 without a key that is valid for
 * `access`, and 403 for a write with a read-only key.
 */
export async function authenticate(
  request: Credentials,
  access: Exclude<Access, "public">,
  keyHeaders: readonly string[],
  keys: KeyStore,
): Promise<KeyRecord> {
  const key = keyOf(request, access, keyHeaders);
  const digest = keyDigest(key);
  const record = await keys.find(digest.toString("hex"));
  if (record === undefined || !timingSafeEqual(digest, Buffer.from(record.hash, "hex"))) {
    throw unauthorized(`The key${hint(key)} is unknown: send a ${kindNames[access]}.`);
  }
  if (record.revokedTime !== null) {
    const time = new Date(record.revokedTime).toISOString();
    throw unauthorized(`The key${hint(key)} was revoked at ${time}.`);
  }
  if (record.kind !== access) {
    throw unauthorized(
      `Expected a ${kindNames[access]}, but the key${hint(key)} is a ${kindNames[record.kind]}.`,
    );
  }
  if (!record.canWrite && !isRead(request.method)) {
    throw new ServiceError({
      status: 403,
      message: `The key${hint(key)} is read-only, but this is a ${request.method}.`,
    });
  }
  return record;
}

function keyOf(request: Credentials, access: KeyKind, keyHeaders: readonly string[]): string {
  const given = keyHeaders.find((header) => (request.headers[header.toLowerCase()] ?? "") !== "");
  const keyHeader = given ?? keyHeaders[0] ?? KEY_HEADER;
  const name = keyHeader.toLowerCase();
  const value = request.headers[name];
  if (typeof value !== "string" || value === "") {
    throw unauthorized(`A key is missing: send a ${kindNames[access]} in the header ${keyHeader}.`);
  }
  // Node joins repeated headers with commas, and we cannot tell which key is meant.
  if (value.includes(",") && valuesOf(request.rawHeaders, name).length > 1) {
    throw unauthorized(`The header ${keyHeader} was sent more than once: send one key.`);
  }
  return value;
}

function hint(key: string): string {
  const shown = shownKey(key);
  return shown === "" ? "" : ` that begins with ${shown}`;
}

function isRead(method: string | undefined): boolean {
  return method === "GET" || method === "HEAD";
}

function unauthorized(message: string): ServiceError {
  return new ServiceError({ status: 401, message });
}

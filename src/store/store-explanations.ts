import { StoreError } from "./store-error.js";
import type { RequestKind } from "./store-usage.js";

/** The code and the message of a failure that a repetition does not cure. */
export interface Explanation {
  readonly code: string;
  readonly reason: string;
}

/** Permissions of one kind of store, by what a call does. */
export type Permissions = Readonly<Record<RequestKind, string>>;

export const credentialsRefused: Explanation = {
  code: "store_credentials_refused",
  reason:
    "the store does not accept the credentials. Check that they belong to this store and are still valid.",
};

export const credentialsExpired: Explanation = {
  code: "store_credentials_expired",
  reason: "the credentials have expired. Renew them and run the same command again.",
};

export const bucketMissing: Explanation = {
  code: "store_bucket_missing",
  reason: "there is no bucket of that name. Check its name and the endpoint.",
};

export const objectMissing: Explanation = {
  code: "store_object_missing",
  reason: "the object does not exist. Restore it, or remove it from the inputs.",
};

export const objectChanged: Explanation = {
  code: "store_object_changed",
  reason: "the object changed after it was listed.",
};

export const clockSkewed: Explanation = {
  code: "store_clock_skewed",
  reason: "the clock of this machine differs too much from that of the store. Set the clock.",
};

export const objectArchived: Explanation = {
  code: "store_object_archived",
  reason: "the object is in an archive class. Restore it, or copy it to another class.",
};

export function accessDenied(permission: string): Explanation {
  return {
    code: "store_forbidden",
    reason: `access is denied. The credentials need ${permission}.`,
  };
}

/** Codes of connections that failed; the server may answer the next one. */
const lostCodes = new Set([
  "ECONNRESET",
  "ECONNREFUSED",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_SOCKET",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
]);

/** The members that errors of libraries for stores have; each may be absent. */
export interface CallFailure {
  /** Name or code of the error; a code of the system for a connection. */
  readonly name: string;
  /** Status of the answer; 0 if there was none. */
  readonly status: number;
  /** Set if the failure passes, whatever its status. */
  readonly isTransient: boolean;
  readonly cause: Error;
}

/** Returns the error of a failed call: with its explanation, else of the connection or the status. */
export function storeErrorOf(
  { name, status, isTransient, cause }: CallFailure,
  known: Explanation | undefined,
  address: string,
): StoreError {
  if (known !== undefined)
    return new StoreError(known.code, known.reason, address, false, { cause });
  const isLost = lostCodes.has(name) || name === "TimeoutError";
  if (isLost || name === "ENOTFOUND") {
    const reason = `the store cannot be reached (${name}). Check the endpoint and the network.`;
    return new StoreError("store_unreachable", reason, address, isLost, { cause });
  }
  const passes = isTransient || status === 409 || status === 429 || status >= 500;
  // The text of an error with a status could hold a signed URL or a key id.
  const what = status === 0 ? cause.message : `${name || "an error"} with status ${status}`;
  return new StoreError("store_failed", `the store answered ${what}.`, address, passes, { cause });
}

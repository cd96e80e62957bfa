import { SwitchyardError } from "../base/errors.js";
import type { RequestKind } from "./store-usage.js";

/** A call to an object store failed. The message names the object or bucket, and what to do. */
export class StoreError extends SwitchyardError {
  constructor(
    code: string,
    /** The message without the address. */
    readonly reason: string,
    address: string,
    /** The same call may succeed later. */
    readonly isTransient: boolean,
    options?: ErrorOptions,
  ) {
    super(code, `${address}: ${reason}`, options);
  }
}

/** The code and the message of a failure that a retry does not fix. */
export interface Explanation {
  readonly code: string;
  readonly reason: string;
}

/** Explanations that are the same for every kind of store. */
export const explanations = {
  credentialsRefused: {
    code: "store_credentials_refused",
    reason:
      "the store does not accept the credentials. Check that they belong to this store and are still valid.",
  },
  credentialsExpired: {
    code: "store_credentials_expired",
    reason: "the credentials have expired. Renew them and run the same command again.",
  },
  bucketMissing: {
    code: "store_bucket_missing",
    reason: "there is no bucket of that name. Check its name and the endpoint.",
  },
  objectMissing: {
    code: "store_object_missing",
    reason: "the object does not exist. Restore it, or remove it from the inputs.",
  },
  objectChanged: {
    code: "store_object_changed",
    reason: "the object changed after it was listed.",
  },
  clockSkewed: {
    code: "store_clock_skewed",
    reason: "the clock of this machine differs too much from that of the store. Set the clock.",
  },
  objectArchived: {
    code: "store_object_archived",
    reason: "the object is in an archive class. Restore it, or copy it to another class.",
  },
} as const satisfies Readonly<Record<string, Explanation>>;

/**
 * Explains a status that means the same in every kind of store, for answers that may have no body.
 * `permissions` are those that each kind of request needs.
 */
export function explainStatus(
  status: number,
  kind: RequestKind,
  permissions: Readonly<Record<RequestKind, string>>,
): Explanation | undefined {
  const { bucketMissing, objectMissing, objectChanged } = explanations;
  if (status === 403) {
    const reason = `access is denied. The credentials need ${permissions[kind]}.`;
    return { code: "store_forbidden", reason };
  }
  if (status === 404) return kind === "list" ? bucketMissing : objectMissing;
  return status === 412 ? objectChanged : undefined;
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
  "TimeoutError",
  "UND_ERR_SOCKET",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
]);

/** A failed call, as the code for one kind of store understands the error of its library. */
export interface CallFailure {
  readonly known: Explanation | undefined;
  /** Name or code of the error; for a connection, the code of the system. */
  readonly name: string;
  /** Status of the answer; 0 if there was none. */
  readonly status: number;
  /** True if the same call may succeed later, whatever its status. */
  readonly isTransient: boolean;
}

/** Returns the error of a failed call: its explanation, or else the failure of connection or status. */
export function storeErrorOf(
  { known, name, status, isTransient }: CallFailure,
  address: string,
  cause: Error,
): StoreError {
  if (known !== undefined)
    return new StoreError(known.code, known.reason, address, false, { cause });
  const isLost = lostCodes.has(name);
  if (isLost || name === "ENOTFOUND") {
    const reason = `the store cannot be reached (${name}). Check the endpoint and the network.`;
    return new StoreError("store_unreachable", reason, address, isLost, { cause });
  }
  const passes = isTransient || status === 409 || status === 429 || status >= 500;
  // The text of an error with a status could hold a signed URL or a key id.
  const what = status === 0 ? cause.message : `${name || "an error"} with status ${status}`;
  return new StoreError("store_failed", `the store answered ${what}.`, address, passes, { cause });
}

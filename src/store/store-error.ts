import { SwitchyardError } from "../base/errors.js";
import { openFilesError } from "../base/open-files.js";
import { option } from "../base/option-text.js";
import type { RequestKind } from "./store-usage.js";

/** A call to an object store failed. The message names the object or bucket, and what to do. */
export class StoreError extends SwitchyardError {
  readonly #reason: string;

  constructor(
    code: string,
    reason: string,
    address: string,
    /** The same call may succeed later. */
    readonly isTransient: boolean,
    options?: ErrorOptions,
  ) {
    super(code, `${address}: ${reason}`, options);
    this.#reason = reason;
  }

  /** The message without the address; options are not named yet. */
  get reason(): string {
    return this.#reason;
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
  quotaExceeded: {
    code: "store_quota_exceeded",
    reason: "a quota of the bucket or the account is used up. Raise it, or remove objects.",
  },
  objectDamaged: {
    code: "store_object_damaged",
    reason: `the bytes do not have the digest that the store names. Check the network and the store; if the ETags of this store are not MD5 sums, pass ${option("s3Checksums")} off.`,
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

/** Makes something of a variable of the environment. Throws `store_endpoint_invalid`, without its value. */
export function fromVariable<Result>(name: string, address: string, make: () => Result): Result {
  try {
    return make();
  } catch (cause) {
    const reason = `the value of ${name} is not valid. Correct it.`;
    throw new StoreError("store_endpoint_invalid", reason, address, false, { cause });
  }
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
  const exhausted = openFilesError(cause);
  if (exhausted !== undefined)
    return new StoreError(exhausted.code, exhausted.message, address, false, { cause });
  const lost = status === 0 ? explainConnection(name, cause) : undefined;
  if (lost !== undefined)
    return new StoreError("store_unreachable", lost, address, lostCodes.has(name), { cause });
  const passes = isTransient || status === 409 || status === 429 || status >= 500;
  return new StoreError("store_failed", describeAnswer(name, status, cause), address, passes, {
    cause,
  });
}

/** Explains a connection that was not established; undefined if the error is another one. */
function explainConnection(name: string, { message }: Error): string | undefined {
  if (/EPROTO|^ERR_SSL_/.test(name) || /SSL routines|EPROTO/.test(message))
    return "the endpoint does not answer in TLS. Check its port, or write http:// if it has no TLS.";
  if (/^HPE_|^HTTPParserError/.test(name) || /^Parse Error/.test(message))
    return "the endpoint does not answer in HTTP. Check its port, or write https:// if it needs TLS.";
  if (/CERT|SIGNED|ISSUER|LEAF_SIGNATURE|certificate/.test(`${name} ${message}`))
    return `the certificate of the endpoint is not trusted (${name}). Check the endpoint, or set NODE_EXTRA_CA_CERTS to the file of its authority.`;
  if (lostCodes.has(name) || name === "ENOTFOUND")
    return `the store cannot be reached (${name}). Check the endpoint, http:// or https://, and the network.`;
  return undefined;
}

/** Describes an answer without its text, which could hold a signed URL or a key id. */
function describeAnswer(name: string, status: number, { message }: Error): string {
  if (status === 0) {
    const text = message.split("\n")[0]?.replaceAll(/\S+:\/\/\S+/g, "…");
    return `the call failed (${[name, text].filter(Boolean).join(": ")}). Check the endpoint and the credentials.`;
  }
  if (/^(?:Unknown|Error|RestError|PARSE_ERROR)?$/.test(name))
    return `the endpoint answered status ${status} and nothing that a store would say. Check its scheme, host and port.`;
  return `the store answered ${name} with status ${status}.`;
}

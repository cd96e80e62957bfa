import { StoreError } from "./store-error.js";
import {
  accessDenied,
  bucketMissing,
  clockSkewed,
  credentialsExpired,
  credentialsRefused,
  type Explanation,
  objectChanged,
  objectMissing,
  type Permissions,
  storeErrorOf,
} from "./store-explanations.js";
import type { RequestKind } from "./store-usage.js";

/** An answer of Google Cloud Storage that is not a success. */
export class GcsError extends Error {
  constructor(
    readonly status: number,
    /** The body. */
    readonly text: string,
  ) {
    super(`status ${status}`);
  }
}

const noCredentials: Explanation = {
  code: "store_credentials_missing",
  reason:
    "no credentials were found. Set GOOGLE_APPLICATION_CREDENTIALS, or run `gcloud auth application-default login`, or run where a service account is attached.",
};

const permissions: Permissions = {
  list: "storage.objects.list",
  get: "storage.objects.get",
  head: "storage.objects.get",
  put: "storage.objects.create, and storage.objects.delete to replace objects",
  delete: "storage.objects.delete",
};

/** Turns an error of a call to Google Cloud Storage into a `StoreError`. */
export function explainGcsError(error: unknown, address: string, kind: RequestKind): unknown {
  if (!(error instanceof Error) || error instanceof StoreError) return error;
  const status = error instanceof GcsError ? error.status : 0;
  const { code = "", name } = error as Error & { readonly code?: string };
  const known = error instanceof GcsError ? byStatus(error, kind) : byText(error.message);
  const failure = {
    name: code || name,
    status,
    isTransient: status === 408 || status === 200,
    cause: error,
  };
  return storeErrorOf(
    // A connection that fails while a body arrives has no status either.
    status === 0 && known === undefined ? { ...failure, isTransient: true } : failure,
    known,
    address,
  );
}

function byStatus({ status, text }: GcsError, kind: RequestKind): Explanation | undefined {
  if (status === 401) return credentialsRefused;
  if (status === 403) return /rateLimit/i.test(text) ? undefined : accessDenied(permissions[kind]);
  if (status === 404) return kind === "list" || isBucket(text) ? bucketMissing : objectMissing;
  // A condition is not met: 412, or 304 for a read.
  return status === 412 || status === 304 ? objectChanged : undefined;
}

/** Explains errors of Google's library, which gets the tokens. */
function byText(message: string): Explanation | undefined {
  if (/short-lived token|reasonable timeframe/i.test(message)) return clockSkewed;
  if (/invalid_grant|invalid_rapt/.test(message)) return credentialsExpired;
  return /credential/i.test(message) ? noCredentials : undefined;
}

function isBucket(text: string): boolean {
  return /bucket does not exist/i.test(text);
}

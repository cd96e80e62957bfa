import { StoreError } from "./store-error.js";
import {
  accessDenied,
  bucketMissing,
  clockSkewed,
  credentialsExpired,
  credentialsRefused,
  type Explanation,
  objectArchived,
  objectChanged,
  objectMissing,
  type Permissions,
  storeErrorOf,
} from "./store-explanations.js";
import type { RequestKind } from "./store-usage.js";

/** The members that errors of the SDK have; each may be absent. */
interface SdkError {
  /** Code of the store or of the system. */
  readonly code?: string;
  readonly statusCode?: number;
  readonly details?: { readonly authenticationErrorDetail?: string };
}

export const noAccount: Explanation = {
  code: "store_credentials_missing",
  reason:
    "no storage account was found. Set AZURE_STORAGE_CONNECTION_STRING, or AZURE_STORAGE_ACCOUNT with AZURE_STORAGE_KEY, AZURE_STORAGE_SAS_TOKEN or an identity.",
};

const permissions: Permissions = {
  list: "the role Storage Blob Data Reader",
  get: "the role Storage Blob Data Reader",
  head: "the role Storage Blob Data Reader",
  put: "the role Storage Blob Data Contributor",
  delete: "the role Storage Blob Data Contributor",
};

/** Explanations by the code of the store, or the name of the error. */
const byCode: Readonly<Record<string, Explanation>> = {
  CredentialUnavailableError: noAccount,
  AggregateAuthenticationError: noAccount,
  AuthenticationRequiredError: noAccount,
  ContainerNotFound: bucketMissing,
  InvalidResourceName: bucketMissing,
  BlobNotFound: objectMissing,
  ConditionNotMet: objectChanged,
  // A blob is there that must not be there.
  BlobAlreadyExists: objectChanged,
  BlobArchived: objectArchived,
  AuthenticationFailed: credentialsRefused,
  InvalidAuthenticationInfo: credentialsRefused,
  RequestTimeTooSkewed: clockSkewed,
};

/** Turns an error of the SDK into a `StoreError`. Its own text is left out: it can hold a signature. */
export function explainAzureError(error: unknown, address: string, kind: RequestKind): unknown {
  if (!(error instanceof Error) || error instanceof StoreError) return error;
  const { code = "", statusCode: status = 0 } = error as SdkError;
  const known =
    byDetail(error as SdkError) ?? byCode[code] ?? byCode[error.name] ?? byStatus(status, kind);
  const name = code === "REQUEST_SEND_ERROR" ? causeOf(error) : code || error.name;
  return storeErrorOf({ name, status, isTransient: status === 0, cause: error }, known, address);
}

/** Explains refusals that only their text tells apart. */
function byDetail({ details }: SdkError): Explanation | undefined {
  const { authenticationErrorDetail: detail = "" } = details ?? {};
  if (/specified time frame|expired/i.test(detail)) return credentialsExpired;
  return /date header/i.test(detail) ? clockSkewed : undefined;
}

/** The SDK hides the code of a failed connection in its message. */
function causeOf({ message }: Error): string {
  return /\b(E[A-Z]{4,})\b/.exec(message)?.[1] ?? "ECONNRESET";
}

/** Explains an answer without a body, such as that to HEAD. */
function byStatus(status: number, kind: RequestKind): Explanation | undefined {
  if (status === 401) return credentialsRefused;
  if (status === 403) return accessDenied(permissions[kind]);
  if (status === 404) return kind === "list" ? bucketMissing : objectMissing;
  return status === 412 || status === 304 ? objectChanged : undefined;
}

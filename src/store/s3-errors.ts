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
  readonly name?: string;
  /** The code of a system error. */
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/** An answer that is not a success, although its status may be one. Its name is the code in its body. */
export class AnswerError extends Error {
  readonly $metadata: { readonly httpStatusCode: number };

  constructor(name: string, message: string, httpStatusCode = 200) {
    super(message);
    this.name = name;
    this.$metadata = { httpStatusCode };
  }
}

const noCredentials: Explanation = {
  code: "store_credentials_missing",
  reason:
    "no credentials were found. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or run where a role is attached.",
};
const wrongRegion: Explanation = {
  code: "store_region_unknown",
  reason: "the bucket is in another region. Set --s3-region or AWS_REGION to the bucket's.",
};
const regionMissing: Explanation = {
  code: "store_region_unknown",
  reason: "the region is unknown. Set --s3-region or AWS_REGION.",
};

const permissions: Permissions = {
  list: "s3:ListBucket for the bucket",
  get: "s3:GetObject for the object",
  head: "s3:GetObject for the object",
  put: "s3:PutObject for the object",
  delete: "s3:DeleteObject for the object",
};

/** Explanations by the name of the error. */
const byName: Readonly<Record<string, Explanation>> = {
  CredentialsProviderError: noCredentials,
  InvalidAccessKeyId: credentialsRefused,
  SignatureDoesNotMatch: credentialsRefused,
  InvalidToken: credentialsRefused,
  ExpiredToken: credentialsExpired,
  ExpiredTokenException: credentialsExpired,
  TokenRefreshRequired: credentialsExpired,
  TokenProviderError: credentialsExpired,
  NoSuchBucket: bucketMissing,
  InvalidBucketName: bucketMissing,
  NoSuchKey: objectMissing,
  PreconditionFailed: objectChanged,
  PermanentRedirect: wrongRegion,
  AuthorizationHeaderMalformed: wrongRegion,
  RequestTimeTooSkewed: clockSkewed,
  InvalidObjectState: objectArchived,
  EntityTooLarge: {
    code: "store_object_too_large",
    reason:
      "the store takes no object of this size in one request. Set a smaller --part-size and --split-size.",
  },
};

const transientNames = new Set([
  "SlowDown",
  "Throttling",
  "ThrottlingException",
  "TooManyRequests",
  "RequestTimeout",
  "InternalError",
  "ServiceUnavailable",
  "TimeoutError",
  "OperationAborted",
  "ConditionalRequestConflict",
]);

/**
 * Turns an error of the SDK into a `StoreError`. `address`: the object or bucket. The SDK's own text is
 * left out where it could hold a signed URL or a key id.
 */
export function explainS3Error(error: unknown, address: string, kind: RequestKind): unknown {
  if (!(error instanceof Error) || error instanceof StoreError) return error;
  const { name = "", code = "", $metadata } = error as SdkError;
  const status = $metadata?.httpStatusCode ?? 0;
  // A body that stops early has no status, and an unknown name.
  const isCut = status === 0 && $metadata === undefined;
  const isKnownName = name !== "Error" && name !== "Unknown" && code === "";
  return storeErrorOf(
    {
      name: isKnownName ? name : code,
      status,
      isTransient: transientNames.has(name) || isCut,
      cause: error,
    },
    byText(error) ?? byName[name] ?? byStatus(name, status, kind),
    address,
  );
}

/** Explains errors of the SDK itself that only their text tells apart. */
function byText({ name, message }: Error): Explanation | undefined {
  if (message === "Region is missing") return regionMissing;
  const isExpired = name === "CredentialsProviderError" && /expired/i.test(message);
  return isExpired ? credentialsExpired : undefined;
}

/** Explains an answer that may have no body, such as that to HEAD. */
function byStatus(name: string, status: number, kind: RequestKind): Explanation | undefined {
  if (name === "AccessDenied" || status === 403) return accessDenied(permissions[kind]);
  if (status === 301) return wrongRegion;
  // Its body would say so.
  if (status === 400 && kind === "head") return credentialsRefused;
  if (status === 404) return kind === "list" ? bucketMissing : objectMissing;
  return status === 412 ? objectChanged : undefined;
}

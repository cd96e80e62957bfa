import { option } from "../base/option-text.js";
import { type CallFailure, type Explanation, explainStatus, explanations } from "./store-error.js";
import type { RequestKind } from "./store-usage.js";

/** Members of the SDK's errors; each may be absent. */
interface S3Error {
  readonly name?: string;
  /** The code of a system error. */
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/** An answer that is not a success, even if its status is. The name is the code in its body. */
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
  reason: `the bucket is in another region. Set ${option("s3Region")} or AWS_REGION to the bucket's.`,
};
const regionMissing: Explanation = {
  code: "store_region_unknown",
  reason: `the region is unknown. Set ${option("s3Region")} or AWS_REGION.`,
};

const permissions = {
  list: "s3:ListBucket for the bucket",
  get: "s3:GetObject for the object",
  head: "s3:GetObject for the object",
  put: "s3:PutObject for the object",
  delete: "s3:DeleteObject for the object",
};

/** Explanations by the name of the error. */
const explanationsByName: Readonly<Record<string, Explanation>> = {
  CredentialsProviderError: noCredentials,
  InvalidAccessKeyId: explanations.credentialsRefused,
  SignatureDoesNotMatch: explanations.credentialsRefused,
  InvalidToken: explanations.credentialsRefused,
  ExpiredToken: explanations.credentialsExpired,
  ExpiredTokenException: explanations.credentialsExpired,
  TokenRefreshRequired: explanations.credentialsExpired,
  TokenProviderError: explanations.credentialsExpired,
  NoSuchBucket: explanations.bucketMissing,
  InvalidBucketName: explanations.bucketMissing,
  NoSuchKey: explanations.objectMissing,
  PreconditionFailed: explanations.objectChanged,
  PermanentRedirect: wrongRegion,
  AuthorizationHeaderMalformed: wrongRegion,
  RequestTimeTooSkewed: explanations.clockSkewed,
  InvalidObjectState: explanations.objectArchived,
  QuotaExceeded: explanations.quotaExceeded,
  InsufficientStorage: explanations.quotaExceeded,
  XMinioAdminBucketQuotaExceeded: explanations.quotaExceeded,
  XMinioStorageFull: explanations.quotaExceeded,
  EntityTooLarge: {
    code: "store_object_too_large",
    reason: `the store does not accept an object of this size in one request. Set a smaller ${option("partSize")} and ${option("splitSize")}.`,
  },
};

const transientNames = new Set([
  "SlowDown",
  "SlowDownRead",
  "SlowDownWrite",
  "RequestLimitExceeded",
  "BandwidthLimitExceeded",
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

/** Explains an error. The SDK's own text is left out where it could hold a signed URL or a key id. */
export function explainS3Error(error: Error, kind: RequestKind): CallFailure {
  const { name = "", code = "", $metadata } = error as S3Error;
  const status = $metadata?.httpStatusCode ?? 0;
  // A body that stops early has no status, and an unknown name.
  const isCut = status === 0 && $metadata === undefined;
  const isKnownName = name !== "Error" && name !== "Unknown" && code === "";
  return {
    known: explainText(error) ?? explanationsByName[name] ?? explainAnswer(name, status, kind),
    name: isKnownName ? name : code,
    status,
    isTransient: transientNames.has(name) || isCut,
  };
}

/** Explains errors of the SDK itself that only their text tells apart. */
function explainText({ name, message }: Error): Explanation | undefined {
  if (message === "Region is missing") return regionMissing;
  const isExpired = name === "CredentialsProviderError" && /expired/i.test(message);
  return isExpired ? explanations.credentialsExpired : undefined;
}

function explainAnswer(name: string, status: number, kind: RequestKind): Explanation | undefined {
  if (name === "AccessDenied") return explainStatus(403, kind, permissions);
  if (status === 301) return wrongRegion;
  // The body of another answer would name the reason; an answer to HEAD has none.
  if (status === 400 && kind === "head") return explanations.credentialsRefused;
  return explainStatus(status, kind, permissions);
}

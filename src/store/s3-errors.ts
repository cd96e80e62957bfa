import { StoreError } from "./store-error.js";

/** The members that errors of the SDK have; each may be absent. */
interface SdkError {
  readonly name?: string;
  /** The code of a system error. */
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

interface Explanation {
  readonly code: string;
  readonly reason: string;
}

const refused: Explanation = {
  code: "store_credentials_refused",
  reason:
    "the store does not accept the credentials. Check that they belong to this store and are still valid.",
};
const noCredentials: Explanation = {
  code: "store_credentials_missing",
  reason:
    "no credentials were found. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or run where a role is attached.",
};
const bucketMissing: Explanation = {
  code: "store_bucket_missing",
  reason: "there is no bucket of that name. Check its name and the endpoint.",
};
const missing: Explanation = {
  code: "store_object_missing",
  reason: "the object does not exist. Restore it, or remove it from the inputs.",
};
const wrongRegion: Explanation = {
  code: "store_region_unknown",
  reason: "the bucket is in another region. Set --s3-region or AWS_REGION to the bucket's.",
};

/** Explanations by the name of the error. */
const byName: Readonly<Record<string, Explanation>> = {
  CredentialsProviderError: noCredentials,
  InvalidAccessKeyId: refused,
  SignatureDoesNotMatch: refused,
  InvalidToken: refused,
  ExpiredToken: refused,
  ExpiredTokenException: refused,
  TokenRefreshRequired: refused,
  AccessDenied: {
    code: "store_forbidden",
    reason:
      "access is denied. The credentials need s3:ListBucket for the bucket and s3:GetObject for its objects.",
  },
  NoSuchBucket: bucketMissing,
  InvalidBucketName: bucketMissing,
  NoSuchKey: missing,
  PreconditionFailed: {
    code: "store_object_changed",
    reason: "the object changed after it was listed.",
  },
  PermanentRedirect: wrongRegion,
  AuthorizationHeaderMalformed: wrongRegion,
  RequestTimeTooSkewed: {
    code: "store_clock_skewed",
    reason: "the clock of this machine differs too much from that of the store. Set the clock.",
  },
  InvalidObjectState: {
    code: "store_object_archived",
    reason: "the object is in an archive class. Restore it, or copy it to another class.",
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
]);

/**
 * Turns an error of the SDK into a `StoreError`. `address`: the object or bucket. The SDK's own text is
 * left out where it could hold a signed URL or a key id.
 */
export function explainS3Error(error: unknown, address: string): unknown {
  if (!(error instanceof Error) || error instanceof StoreError) return error;
  const { name = "", code = "", $metadata } = error as SdkError;
  const status = $metadata?.httpStatusCode ?? 0;
  const known = byName[name] ?? (isRegionMissing(error) ? regionMissing : byStatus(status));
  if (known !== undefined) {
    return new StoreError(known.code, known.reason, address, false, { cause: error });
  }
  const isLost = lostCodes.has(code) || name === "TimeoutError";
  if (isLost || code === "ENOTFOUND") {
    const reason = `the store cannot be reached (${code || name}). Check the endpoint and the network.`;
    return new StoreError("store_unreachable", reason, address, isLost, { cause: error });
  }
  const isTransient = transientNames.has(name) || status === 409 || status === 429 || status >= 500;
  // A body that stops early has no status, and an unknown name.
  const isCut = status === 0 && $metadata === undefined;
  const what = status === 0 ? error.message : `${name || "an error"} with status ${status}`;
  return new StoreError(
    "store_failed",
    `the store answered ${what}.`,
    address,
    isTransient || isCut,
    {
      cause: error,
    },
  );
}

const regionMissing: Explanation = {
  code: "store_region_unknown",
  reason: "the region is unknown. Set --s3-region or AWS_REGION.",
};

function isRegionMissing({ message }: Error): boolean {
  return message === "Region is missing";
}

/** Explains an answer without a body, such as that to HEAD. */
function byStatus(status: number): Explanation | undefined {
  switch (status) {
    case 301:
      return wrongRegion;
    case 403:
      return byName["AccessDenied"];
    case 404:
      return missing;
    case 412:
      return byName["PreconditionFailed"];
    default:
      return undefined;
  }
}

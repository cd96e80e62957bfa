import { ServiceError } from "./service-error.js";

/** Codes of the web framework's own errors, and the words of ours for them. */
const frameworkMessages: Readonly<Record<string, string>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: "Body is larger than this route takes",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "Expected Content-Type application/json in UTF-8",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "Body is not as long as Content-Length says",
  FST_ERR_BAD_URL: "The path is not valid: its percent-encoding is broken",
  FST_ERR_MAX_PARAM_LENGTH: "The path is too long",
};

/** What is answered to whatever was thrown; undefined where it tells of nothing but a defect. */
export function refusalOf(error: unknown): ServiceError | undefined {
  if (error instanceof ServiceError) return error;
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  if (typeof statusCode !== "number" || statusCode < 400 || statusCode >= 500) return undefined;
  const message = frameworkMessages[String(code)] ?? "The request is not valid";
  return new ServiceError({ status: statusCode, message, cause: error });
}

/** The answer to a defect: nothing of the inside. */
export const internalError = {
  status: 500,
  message: "Internal Server Error",
  errors: [],
} as const;

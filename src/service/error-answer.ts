import type { IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { SwitchyardError } from "../base/errors.js";
import type { ServiceLimits } from "./limits.js";
import type { RequestLog } from "./request-log.js";
import { ServiceError } from "./service-error.js";

/** Codes of the web framework's own errors, and our words for them. */
const frameworkMessages: Readonly<Record<string, string>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: "Body is larger than this route takes",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "Expected Content-Type application/json in UTF-8",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "Body is not as long as Content-Length says",
  FST_ERR_BAD_URL: "The path is not valid: its percent-encoding is broken",
};

/** The answer to a defect: nothing of the inside. */
const internalError = new ServiceError({ status: 500, message: "Internal Server Error" });

/** Turns whatever was thrown into an answer in the documented form. */
export function errorAnswer(log: RequestLog, keyHeader: string, limits: ServiceLimits) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const refusal = refusalOf(error, limits);
    // What has another cause than the request or the state of the service is not all in the answer.
    if (refusal === undefined || (refusal.status >= 500 && refusal.cause !== undefined)) {
      log.failed(request, error);
    }
    const { status, retryAfterSeconds, body } = refusal ?? internalError;
    if (status === 401) reply.header("www-authenticate", `ApiKey header="${keyHeader}"`);
    if (retryAfterSeconds !== undefined) reply.header("retry-after", String(retryAfterSeconds));
    reply.code(status);
    keepConnection(request.raw, reply, limits.discardBytesMax);
    if (endsWithAnswer(request.raw, reply)) request.raw.once("close", () => reply.send(body));
    else reply.send(body);
  };
}

/** What is answered to an error; undefined where it tells of nothing but a defect. */
function refusalOf(error: unknown, limits: ServiceLimits): ServiceError | undefined {
  if (error instanceof ServiceError) return error;
  if (error instanceof SwitchyardError) return storeRefusal(error, limits);
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  if (typeof statusCode !== "number" || statusCode < 400 || statusCode >= 500) return undefined;
  const message = frameworkMessages[String(code)] ?? "The request is not valid";
  return new ServiceError({ status: statusCode, message, cause: error });
}

/** Failures of the store that pass by themselves, or once somebody makes room. */
function storeRefusal(cause: SwitchyardError, limits: ServiceLimits): ServiceError | undefined {
  switch (cause.code) {
    case "database_busy":
      return new ServiceError({
        status: 503,
        message: "The store is busy: try again in a moment.",
        retryAfterSeconds: limits.retryAfterSeconds,
        cause,
      });
    case "disk_full":
      return new ServiceError({
        status: 503,
        message: "The store has no room left: nothing was written.",
        retryAfterSeconds: limits.diskRetryAfterSeconds,
        cause,
      });
    default:
      return undefined;
  }
}

/**
 * A client that is still sending its body sees the answer only if the rest of it is read: it is
 * thrown away, up to a limit. The framework would close the connection under it instead.
 */
function keepConnection(request: IncomingMessage, reply: FastifyReply, bytesMax: number): void {
  reply.removeHeader("connection");
  if (request.complete !== false) return;
  let rest = bytesMax;
  request.on("data", (chunk: Buffer) => {
    rest -= chunk.length;
    if (rest < 0) request.destroy();
  });
}

/**
 * Whether the connection is closed behind the answer while the client is still sending: one that does
 * not look for an answer before it has sent everything would find the connection cut.
 */
function endsWithAnswer({ complete, headers }: IncomingMessage, { raw }: FastifyReply): boolean {
  return complete === false && !raw.shouldKeepAlive && headers.expect === undefined;
}

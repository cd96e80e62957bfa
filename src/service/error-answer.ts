import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { SwitchyardError } from "../base/errors.js";
import type { ErrorBody } from "../contract/envelope.js";
import type { RequestLog } from "./request-log.js";
import { ServiceError } from "./service-error.js";
import type { ServiceLimits } from "./service-limits.js";

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

/** What the HTTP parser, or a clock that ran out, says of a connection. */
export interface ClientError extends Error {
  readonly code?: string;
}

interface Refusal {
  readonly status: number;
  readonly reason: string;
  readonly message: string;
}

const refusals: Readonly<Record<string, Refusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    reason: "Request Timeout",
    message: "The request took too long to arrive",
  },
  HPE_HEADER_OVERFLOW: {
    status: 431,
    reason: "Request Header Fields Too Large",
    message: "The headers of the request, its path included, are too large",
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    reason: "Payload Too Large",
    message: "The chunk extensions of the request are too large",
  },
};

const malformed: Refusal = {
  status: 400,
  reason: "Bad Request",
  message: "The request is not valid HTTP",
};

/**
 * Answers what never became a request, in the documented form, and closes its connection. The status,
 * or undefined where nobody is left to answer.
 */
export function answerClientError(error: ClientError, socket: Socket): number | undefined {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return undefined;
  }
  const { status, reason, message } = refusals[error.code ?? ""] ?? malformed;
  const body = JSON.stringify({ status, message, errors: [] } satisfies ErrorBody);
  socket.write(
    `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  // After what was written: what the client still sends is not read.
  socket.destroySoon();
  return status;
}

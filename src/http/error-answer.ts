import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { SwitchyardError } from "../base/errors.js";
import type { ErrorBody } from "../contract/common.js";
import { hasOfrepError } from "../contract/ofrep.js";
import type { RequestLog } from "./request-log.js";
import { ServiceError } from "./service-error.js";
import type { ServiceLimits } from "./service-limits.js";
import { damagedError, diskFullError, hasFault, type ServiceState } from "./service-state.js";

/** Our messages for error codes of the web framework. */
const frameworkMessages: Readonly<Record<string, string>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: "Body is larger than this route takes",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "Expected Content-Type application/json in UTF-8",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "Body has another length than Content-Length",
  FST_ERR_BAD_URL: "The percent-encoding of the path is not valid",
};

/** The answer to a defect. It reveals no internals. */
const internalError = new ServiceError({ status: 500, message: "Internal Server Error" });

/** Returns a function that answers any thrown error in the documented form. */
export function errorAnswer(
  log: RequestLog,
  keyHeader: string,
  limits: ServiceLimits,
  state: Pick<ServiceState, "damaged" | "diskFull">,
) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const refusal = refusalOf(error, limits, state);
    // The answer does not describe a defect, so the log must.
    if (refusal === undefined || (refusal.status >= 500 && refusal.cause !== undefined)) {
      log.failed(request, error);
    }
    const { status, retryAfterSeconds, body: ownBody } = refusal ?? internalError;
    const isOfrep = request.routeOptions.config?.ofrep === true && hasOfrepError(status);
    const body = isOfrep ? ofrepBody(ownBody, request.params) : ownBody;
    if (status === 401) reply.header("www-authenticate", `ApiKey header="${keyHeader}"`);
    if (retryAfterSeconds !== undefined) reply.header("retry-after", String(retryAfterSeconds));
    reply.code(status);
    keepConnection(request.raw, reply, limits.discardBytesMax);
    if (endsWithAnswer(request.raw, reply)) request.raw.once("close", () => reply.send(body));
    else reply.send(body);
  };
}

/** Returns the body of a refusal in the form of OpenFeature, with the key of the flag if one is asked for. */
function ofrepBody({ status, message }: ErrorBody, params: unknown): object {
  const isUnread = status === 400 && message.startsWith("Body is not");
  const { key } = (params ?? {}) as { readonly key?: string };
  const errorCode = isUnread ? "PARSE_ERROR" : "GENERAL";
  return { ...(key !== undefined && { key }), errorCode, errorDetails: message };
}

/** Returns the refusal for an error; undefined for a defect. */
function refusalOf(
  error: unknown,
  limits: ServiceLimits,
  state: Pick<ServiceState, "damaged" | "diskFull">,
): ServiceError | undefined {
  if (hasFault(error, "database_damaged")) {
    state.damaged();
    return damagedError(error);
  }
  if (hasFault(error, "disk_full")) {
    state.diskFull();
    return diskFullError(limits, error);
  }
  if (error instanceof ServiceError) return error;
  if (error instanceof SwitchyardError) return storeRefusal(error, limits);
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  if (typeof statusCode !== "number" || statusCode < 400 || statusCode >= 500) return undefined;
  const message = frameworkMessages[String(code)] ?? "The request is not valid";
  return new ServiceError({ status: statusCode, message, cause: error });
}

/** Returns the refusal for a failure of the store after which the same request may succeed. */
function storeRefusal(cause: SwitchyardError, limits: ServiceLimits): ServiceError | undefined {
  switch (cause.code) {
    case "database_busy":
      return new ServiceError({
        status: 503,
        message: "The store is busy: try again in a moment.",
        retryAfterSeconds: limits.retryAfterSeconds,
        cause,
      });
    default:
      return undefined;
  }
}

/**
 * Reads and discards the rest of a body, up to a limit. A client that is still sending sees the answer
 * only then; the framework would close the connection.
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
 * Returns true if the connection closes after the answer while the client is still sending. The answer
 * then waits: a client that reads only after sending everything would find the connection cut.
 */
function endsWithAnswer({ complete, headers }: IncomingMessage, { raw }: FastifyReply): boolean {
  return complete === false && !raw.shouldKeepAlive && headers.expect === undefined;
}

/** An error of the HTTP parser, or a timeout of a connection. */
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
 * Answers a connection that sent no valid request, in the documented form, and closes it. Returns the
 * status, or undefined if the client is gone.
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
      "X-Content-Type-Options: nosniff\r\n" +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  // Closes after the write, without reading the rest of the request.
  socket.destroySoon();
  return status;
}

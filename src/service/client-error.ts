import type { Socket } from "node:net";
import type { ErrorBody } from "../contract/envelope.js";

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

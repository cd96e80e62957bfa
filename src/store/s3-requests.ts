import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { MIB } from "../base/limits.js";
import type { S3Access } from "./s3-access.js";
import { AnswerError } from "./s3-errors.js";
import { RequestSigner } from "./s3-signature.js";

const CONNECT_MS_MAX = 10_000;
const SOCKETS_MAX = 64;

/** A larger body waits until the store has accepted the headers, at most `CONTINUE_MS_MAX`. */
const UNASKED_BYTES_MAX = 2 * MIB;
const CONTINUE_MS_MAX = 1_000;

const agents = {
  "http:": new HttpAgent({ keepAlive: true, maxSockets: SOCKETS_MAX }),
  "https:": new HttpsAgent({ keepAlive: true, maxSockets: SOCKETS_MAX }),
};

/** A request for one object. */
export interface S3Request {
  readonly method: "GET" | "PUT";
  readonly key: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** SHA-256 of the body in hexadecimal. */
  readonly sha256?: string;
  readonly body?: Uint8Array | (() => Readable);
  /** Bytes of the body. */
  readonly size?: number;
  readonly signal: AbortSignal;
}

/**
 * Reads and writes objects without the SDK, with the address and the credentials that the SDK found. A call
 * of the SDK takes 1.5 ms of CPU, and exports can have a million small objects.
 */
export class S3Requests {
  readonly #signer = new RequestSigner();
  /** Measured when the store refuses a request because of its time. */
  #clockOffsetMs: number | undefined;

  /** Returns the answer if it is a success, undefined if it is a redirection. Throws `AnswerError`. */
  async send(access: S3Access, request: S3Request): Promise<IncomingMessage | undefined> {
    const answer = await this.#exchange(access, request);
    const { statusCode = 0, headers } = answer;
    if (statusCode >= 200 && statusCode < 300) return answer;
    const [, name] = /<Code>([^<]+)<\/Code>/.exec(await text(answer)) ?? [];
    if (name === "RequestTimeTooSkewed")
      this.#clockOffsetMs = Date.parse(headers.date ?? "") - Date.now() || 0;
    if (statusCode === 301 || statusCode === 307 || name === "AuthorizationHeaderMalformed")
      return undefined;
    throw new AnswerError(name ?? "Unknown", `status ${statusCode}`, statusCode);
  }

  #exchange(access: S3Access, sent: S3Request): Promise<IncomingMessage> {
    const { method, key, signal, body, size = 0 } = sent;
    const { protocol, hostname, port, credentials } = access;
    const path = `${access.path}${key.split("/").map(encode).join("/")}`;
    const date = new Date(Date.now() + (this.#clockOffsetMs ?? access.clockOffsetMs));
    const headers: Record<string, string> = this.#signer.sign(
      { ...sent, ...access, path },
      credentials,
      date,
    );
    if (body !== undefined) headers["content-length"] = `${size}`;
    if (size > UNASKED_BYTES_MAX) headers["expect"] = "100-continue";
    return new Promise((resolve, reject) => {
      const isPlain = protocol === "http:";
      const agent = agents[isPlain ? "http:" : "https:"];
      const options = { method, hostname, port, path, headers, signal, agent };
      const request = isPlain ? httpRequest(options) : httpsRequest(options);
      limitConnecting(request);
      request.on("error", reject);
      request.once("response", resolve);
      if (body === undefined) request.end();
      else if (body instanceof Uint8Array) request.end(body);
      else sendBody(request, body, size);
    });
  }
}

function limitConnecting(request: ClientRequest): void {
  request.once("socket", (socket) => {
    if (!socket.connecting) return;
    const late = () => {
      const error = new Error("the connection was not established in time");
      request.destroy(Object.assign(error, { code: "ETIMEDOUT" }));
    };
    const timer = setTimeout(late, CONNECT_MS_MAX);
    socket.once("connect", () => clearTimeout(timer));
    request.once("close", () => clearTimeout(timer));
  });
}

function sendBody(request: ClientRequest, open: () => Readable, size: number): void {
  let body: Readable | undefined;
  const send = () => {
    if (body !== undefined || request.destroyed) return;
    body = open();
    body.once("error", (error) => request.destroy(error));
    body.pipe(request);
  };
  request.once("close", () => body?.destroy());
  if (size <= UNASKED_BYTES_MAX) {
    send();
    return;
  }
  request.flushHeaders();
  const timer = setTimeout(send, CONTINUE_MS_MAX);
  request.once("continue", send);
  request.once("continue", () => clearTimeout(timer));
  request.once("close", () => clearTimeout(timer));
  request.once("response", (answer) => {
    clearTimeout(timer);
    // The refused body was not sent, so this connection cannot be reused.
    if (body === undefined) answer.once("end", () => request.destroy());
  });
}

/** Encodes a part of a key as signatures require. */
function encode(part: string): string {
  return encodeURIComponent(part).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

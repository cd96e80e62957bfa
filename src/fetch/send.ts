import got, { RequestError } from "got";
import { version } from "../base/package-files.js";
import type { Send, VendorAnswer } from "./http.js";

/** The first byte of a large export may take minutes. */
const ANSWER_MS = 15 * 60_000;

/** Time without a byte after which a connection counts as dead. */
const SILENCE_MS = 5 * 60_000;

const CONNECT_MS = 30_000;

/** Sends requests over HTTP, each once. */
export const send: Send = async ({ method, url, headers, body }, signal) => {
  signal.throwIfAborted();
  // Got leaves its listeners on a signal, and there are thousands of requests.
  const stopping = new AbortController();
  const stop = () => stopping.abort(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  const end = () => signal.removeEventListener("abort", stop);
  const stream = got.stream(url, {
    method,
    headers: { ...headers, "user-agent": `switchyard/${version}` },
    ...(body !== undefined && { body }),
    // The bytes are kept as they come, and their checksums checked.
    decompress: false,
    followRedirect: false,
    throwHttpErrors: false,
    retry: { limit: 0 },
    timeout: {
      lookup: CONNECT_MS,
      connect: CONNECT_MS,
      secureConnect: CONNECT_MS,
      response: ANSWER_MS,
      socket: SILENCE_MS,
    },
    signal: stopping.signal,
  });
  const answer = await new Promise<Pick<VendorAnswer, "status" | "headers">>((resolve, reject) => {
    stream.once("response", ({ statusCode, headers: received }) => {
      const single = Object.entries(received).map(([name, value]) => [name, [value].flat()[0]]);
      resolve({ status: statusCode, headers: Object.fromEntries(single) });
    });
    stream.once("error", (error) => {
      end();
      reject(plainError(error));
    });
  });
  return { ...answer, body: chunksOf(stream, end) };
};

async function* chunksOf(
  stream: AsyncIterable<Uint8Array>,
  end: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch (error) {
    throw plainError(error);
  } finally {
    end();
  }
}

/** Errors of got hold the request with its key; nothing of that may reach a log. */
function plainError(error: unknown): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  const plain = new Error(message.split("\n")[0]);
  if (code === undefined || error instanceof RequestError === false) return plain;
  return Object.assign(plain, { code: code === "ERR_GOT_REQUEST_ERROR" ? undefined : code });
}

import { createServer, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Transform } from "node:stream";

/**
 * The fate of a request: it is answered with a status, lost, its answer is lost, or the body of the answer
 * stops in the middle, or has a wrong bit there.
 */
export type Fault =
  | { readonly status: number; readonly code: string }
  | "reset"
  | "lost"
  | "cut"
  | "flip";

type MaybePromise<T> = T | Promise<T>;

export interface FaultProxy {
  readonly endpoint: string;
  /** Requests so far. */
  readonly requests: number;
  close(): void;
}

/** Starts a proxy before a server. `faultOf` decides about each request, whose number is from 1 on. */
export async function startFaultProxy(
  target: string,
  faultOf: (number: number, path: string, method: string) => MaybePromise<Fault | undefined>,
): Promise<FaultProxy> {
  const { hostname, port } = new URL(target);
  let requests = 0;
  const server = createServer(async (incoming, answer) => {
    const { method = "", url: path = "", headers } = incoming;
    const fault = await faultOf(++requests, path, method);
    if (fault === "reset") {
      incoming.socket.destroy();
      return;
    }
    if (typeof fault === "object") {
      answer.writeHead(fault.status, { "content-type": "application/xml" });
      answer.end(`<?xml version="1.0"?><Error><Code>${fault.code}</Code></Error>`);
      return;
    }
    // The signature covers the host that the client has named.
    const forwarded = request({ hostname, port, method, path, headers }, (response) => {
      if (fault === "lost") {
        incoming.socket.destroy();
        response.resume();
        return;
      }
      answer.writeHead(response.statusCode ?? 500, response.headers);
      if (fault === "cut") {
        cut(answer, response);
        return;
      }
      if (fault === "flip") response.pipe(flipOneBit()).pipe(answer);
      else response.pipe(answer);
    });
    forwarded.on("error", () => answer.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port: own } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${own}`,
    get requests() {
      return requests;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Changes the last byte of the first piece of a body. */
function flipOneBit(): Transform {
  let isFlipped = false;
  return new Transform({
    transform(bytes: Buffer, _, done) {
      const passed = Buffer.from(bytes);
      if (!isFlipped) passed[passed.length - 1]! ^= 1;
      isFlipped = true;
      done(null, passed);
    },
  });
}

/** Passes on the first half of the first piece of a body. */
function cut(answer: ServerResponse, body: AsyncIterable<Uint8Array>): void {
  void (async () => {
    for await (const bytes of body) {
      answer.write(bytes.subarray(0, bytes.length / 2), () => answer.destroy());
      return;
    }
    answer.destroy();
  })();
}

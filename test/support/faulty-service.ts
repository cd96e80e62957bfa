import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** An event as the service got it. */
export interface ReceivedEvent {
  readonly event: string;
  readonly metadata: { readonly index: number };
}

export interface ReceivedRequest {
  /** From 0, in the order of arrival. */
  readonly index: number;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly key: string;
  readonly events: readonly ReceivedEvent[];
}

/**
 * What the service does with a request. `reset_early`: breaks off before the body was read;
 * `reset_late`: stores the events and breaks off instead of answering; `half`: stores them and breaks
 * off within the answer; `mute`: stores them and never answers.
 */
export type Reaction =
  | "reset_early"
  | "reset_late"
  | "half"
  | "mute"
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    };

export const accepted: Reaction = { status: 202, body: { success: true } };

/** A service that does what a test says, and remembers what it was sent. */
export class FaultyService {
  readonly requests: ReceivedRequest[] = [];
  /** Events that were stored, by key: what a service has that honours keys. */
  readonly stored = new Map<string, readonly ReceivedEvent[]>();
  /** How often an event was stored if keys meant nothing, by its index. */
  readonly copies = new Map<number, number>();
  readonly #server: Server;
  #arrivals = 0;

  /** `react` is asked once with the head of a request, and once more with all of it. */
  constructor(
    private readonly react: (request: ReceivedRequest) => Reaction,
    tls?: ServerOptions,
  ) {
    const listener = (request: IncomingMessage, response: ServerResponse) => {
      void this.#serve(request, response);
    };
    this.#server = tls === undefined ? createServer(listener) : createSecureServer(tls, listener);
  }

  /** Base URL; the server is closed when the test ends. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      this.#server.closeAllConnections();
      this.#server.close();
    });
    const { port } = this.#server.address() as AddressInfo;
    const scheme = "setSecureContext" in this.#server ? "https" : "http";
    return `${scheme}://127.0.0.1:${port}`;
  }

  /** Indexes of the stored events, one for each time that one is stored under a key of its own. */
  storedIndexes(): number[] {
    return [...this.stored.values()]
      .flat()
      .map(({ metadata }) => metadata.index)
      .sort((a, b) => a - b);
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const index = this.#arrivals++;
    const { url = "", headers } = message;
    const key = String(headers["idempotency-key"]);
    const head = { index, url, headers, key, events: [] };
    const early = this.react(head);
    if (early === "reset_early") {
      message.socket.destroy();
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk as Buffer);
    const value = JSON.parse(Buffer.concat(chunks).toString()) as ReceivedEvent | ReceivedEvent[];
    const request = { ...head, events: [value].flat() };
    this.requests.push(request);
    const reaction = this.react(request);
    const isStored = typeof reaction === "string" || reaction.status < 300;
    if (isStored) this.#store(request);
    answer(reaction, response);
  }

  #store({ key, events }: ReceivedRequest): void {
    this.stored.set(key, events);
    for (const { metadata } of events) {
      this.copies.set(metadata.index, (this.copies.get(metadata.index) ?? 0) + 1);
    }
  }
}

function answer(reaction: Reaction, response: ServerResponse): void {
  if (reaction === "mute") return;
  if (reaction === "half") {
    response.writeHead(202, { "content-length": "100" });
    response.write('{"success":', () => response.socket?.destroy());
    return;
  }
  if (typeof reaction === "string") {
    response.socket?.destroy();
    return;
  }
  const body = reaction.body === undefined ? "" : JSON.stringify(reaction.body);
  response.writeHead(reaction.status, { "content-type": "application/json", ...reaction.headers });
  response.end(body);
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { isDoubtful, isStoring, type Reaction, react, readBody } from "./reaction.js";

/** An event as the service got it. */
export interface ReceivedEvent {
  readonly event: string;
  readonly metadata: { readonly index: number };
}

export interface ReceivedRequest {
  /** From 0, in the order of arrival. */
  readonly index: number;
  /** Since 1970 UTC, of the arrival. */
  readonly timeMs: number;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly key: string;
  /** Empty while only the head has been read. */
  readonly events: readonly ReceivedEvent[];
}

/** A service that does what a test says, and remembers what it was sent. */
export class FaultyService {
  /** The requests that were read. */
  readonly requests: ReceivedRequest[] = [];
  /** Events that were stored, by key: what a service has that honours keys. */
  readonly stored = new Map<string, readonly ReceivedEvent[]>();
  /** Times that an event was stored if keys meant nothing, by its index. */
  readonly copies = new Map<number, number>();
  readonly #server: Server;
  #arrivals = 0;
  #doubtful = 0;

  /** `decide` is asked once with the head of a request, and once more with all of it. */
  constructor(
    private readonly decide: (request: ReceivedRequest) => Reaction,
    tls?: ServerOptions,
  ) {
    const listener = (_: IncomingMessage, response: ServerResponse) => void this.#serve(response);
    this.#server = tls === undefined ? createServer(listener) : createSecureServer(tls, listener);
  }

  /** Requests of which a sender cannot know whether their events are stored. */
  get doubtful(): number {
    return this.#doubtful;
  }

  /** Events that are there more than once if keys mean nothing. */
  get repeated(): number {
    return [...this.copies.values()].filter((count) => count > 1).length;
  }

  /** Base URL; the server is closed when the test ends. */
  async listen(): Promise<string> {
    await this.#open(0);
    onTestFinished(() => void this.close());
    const { port } = this.#server.address() as AddressInfo;
    const scheme = "setSecureContext" in this.#server ? "https" : "http";
    return `${scheme}://127.0.0.1:${port}`;
  }

  /** Breaks everything off, and closes the port. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  /** Opens the port that was closed. */
  reopen(url: string): Promise<void> {
    return this.#open(Number(new URL(url).port));
  }

  /** Indexes of the stored events, one for each time that one is stored under a key of its own. */
  storedIndexes(): number[] {
    return [...this.stored.values()]
      .flat()
      .map(({ metadata }) => metadata.index)
      .sort((a, b) => a - b);
  }

  #open(port: number): Promise<void> {
    return new Promise((resolve) => this.#server.listen(port, "127.0.0.1", resolve));
  }

  async #serve(response: ServerResponse): Promise<void> {
    const { url = "", headers } = response.req;
    const key = String(headers["idempotency-key"]);
    const head = { index: this.#arrivals++, timeMs: Date.now(), url, headers, key, events: [] };
    const first = this.decide(head);
    if (typeof first === "object" && first.manner === "unread") {
      this.#doubtful++;
      return react(response, first);
    }
    // A sender that was killed has sent only a part of it.
    const body = await readBody(response, first).catch(() => undefined);
    if (body === undefined) {
      this.#doubtful++;
      return;
    }
    const events = [JSON.parse(body) as ReceivedEvent | ReceivedEvent[]].flat();
    const request = { ...head, events };
    this.requests.push(request);
    const reaction = this.decide(request);
    if (isStoring(reaction)) this.#store(request);
    if (isDoubtful(reaction)) this.#doubtful++;
    await react(response, reaction);
  }

  #store({ key, events }: ReceivedRequest): void {
    this.stored.set(key, events);
    for (const { metadata } of events) {
      this.copies.set(metadata.index, (this.copies.get(metadata.index) ?? 0) + 1);
    }
  }
}

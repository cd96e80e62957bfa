import { Readable } from "node:stream";
import type { liveRoutes } from "../contract/live.js";
import { keyFault } from "../http/authentication.js";
import type { CallFacts, Handlers, StreamAnswer } from "../http/handler.js";
import { ServiceError } from "../http/service-error.js";
import { liveLimits } from "../http/service-limits.js";
import type { Store } from "../storage/store.js";
import { entryOf } from "./audit-logs.js";

interface LiveStreamsOptions extends Pick<Store, "entities" | "events" | "keys" | "sessions"> {
  /** Returns ms since the epoch. */
  now(): number;
  onFailed(error: unknown): void;
}

/** One client that watches. */
interface Watcher extends Pick<CallFacts, "caller" | "session"> {
  readonly stream: Readable;
  /** The last event and the last write that it was told of. */
  event: number | undefined;
  write: number;
  /** True once its stream has its end: nothing may be written after it. */
  isEnded: boolean;
}

/**
 * Tells clients once a second what has happened, if anything has. Nothing is read while nobody watches. A
 * stream ends when its key or session does, when its client is too slow, and when the service stops.
 */
export class LiveStreams {
  readonly #watchers = new Set<Watcher>();
  #timer: NodeJS.Timeout | undefined;
  #looks = 0;
  #isLooking = false;

  constructor(private readonly options: LiveStreamsOptions) {}

  readonly handlers: Handlers<typeof liveRoutes> = {
    watchService: async (call) => this.#watch(call),
  };

  async #watch({ caller, session, lastEventID, stopSignal }: CallFacts): Promise<StreamAnswer> {
    if (this.#watchers.size >= liveLimits.streamsMax) throw tooManyStreams();
    const { sequence } = this.options.entities.latestChange();
    const known = Number(lastEventID ?? sequence);
    const stream = new Readable({ read: () => undefined });
    const write = Number.isNaN(known) ? sequence : Math.min(known, sequence);
    const watcher: Watcher = { caller, session, stream, event: undefined, write, isEnded: false };
    this.#watchers.add(watcher);
    const end = () => endOf(watcher);
    stopSignal.addEventListener("abort", end, { once: true });
    stream.once("close", () => {
      stopSignal.removeEventListener("abort", end);
      this.#watchers.delete(watcher);
      if (this.#watchers.size === 0) clearInterval(this.#timer);
    });
    if (this.#watchers.size === 1) {
      this.#timer = setInterval(() => void this.look(), liveLimits.intervalMs).unref();
    }
    await this.#tell([watcher]);
    const headers = { "content-type": "text/event-stream", "x-accel-buffering": "no" };
    return { headers, stream };
  }

  /** Tells all clients what has happened since the last look. Never rejects. */
  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#looks += 1;
    try {
      for (const watcher of this.#watchers) await this.#check(watcher);
      await this.#tell([...this.#watchers]);
    } catch (error) {
      this.options.onFailed(error);
    } finally {
      this.#isLooking = false;
    }
  }

  /** Ends a stream whose key is revoked or expired, whose session has ended, or that is not read. */
  async #check(watcher: Watcher): Promise<void> {
    const { caller, session, stream } = watcher;
    const { keys, sessions, now } = this.options;
    const key = await keys.find(caller.hash);
    const known = session && (await sessions.find(session.hash));
    const isSignedOut =
      session !== undefined && (known === undefined || known.expiresTime <= now());
    const isSlow = stream.readableLength > liveLimits.unreadBytesMax;
    if (isSlow) stream.destroy();
    else if (isSignedOut || keyFault(key, ["console"], now()) !== undefined) endOf(watcher);
    else if (this.#looks % liveLimits.looksPerHeartbeat === 0) write(watcher, ":\n\n");
  }

  async #tell(watchers: readonly Watcher[]): Promise<void> {
    const { entities, events } = this.options;
    const event = events.lastSequence();
    const { sequence: write } = entities.latestChange();
    if (watchers.some((one) => one.event !== event)) {
      const latest = await events.latest(liveLimits.itemsMax);
      const { count: stored } = await events.size();
      const items = latest.map(({ event, userID, timestamp: time }) => ({ event, userID, time }));
      for (const one of watchers) {
        if (one.event !== event) send(one, "events", write, { stored, latest: items });
        one.event = event;
      }
    }
    for (const one of watchers) {
      if (one.write < write) send(one, "change", write, await this.#changeAfter(one.write, write));
      one.write = write;
    }
  }

  /** Returns the newest writes after one, oldest first. */
  async #changeAfter(before: number, sequence: number): Promise<object> {
    const first = Math.max(before, sequence - liveLimits.itemsMax) + 1;
    const numbers = Array.from({ length: sequence - first + 1 }, (_, index) => first + index);
    const records = await Promise.all(
      numbers.map((number) => this.options.entities.auditRecord(number)),
    );
    const entries = records.filter((record) => record !== undefined).map(entryOf);
    return { sequence, entries };
  }
}

/** Writes a message. Its id is the newest write: a client that reconnects says it. */
function send(watcher: Watcher, name: string, id: number, data: object): void {
  write(watcher, `event: ${name}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`);
}

function write({ stream, isEnded }: Watcher, text: string): void {
  if (!isEnded && !stream.destroyed) stream.push(text);
}

function endOf(watcher: Watcher): void {
  if (!watcher.isEnded) watcher.stream.push(null);
  watcher.isEnded = true;
}

function tooManyStreams(): ServiceError {
  return new ServiceError({
    status: 503,
    message: `${liveLimits.streamsMax} clients follow the service already: close some of them.`,
    retryAfterSeconds: 30,
  });
}

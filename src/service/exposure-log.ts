import { DAY_MS, formatDay } from "../base/day.js";
import type { AnyObject } from "../contract/fields.js";
import type { EventStore, StoredEvent } from "../storage/event-store.js";

/** Exposures that are stored together. */
const STORED_AT_ONCE = 1_000;
/** Milliseconds that an exposure waits for others. */
const WAITING_MS_MAX = 1_000;
/** Milliseconds in which the same exposure is stored once, as in SDKs. */
const SAME_MS_MAX = 60_000;
/** Exposures that are remembered for it. */
const REMEMBERED_MAX = 100_000;

/** An answer that a user got. */
interface LoggedExposure {
  /** `statsig::gate_exposure` and its kin. */
  readonly event: string;
  readonly user: AnyObject;
  readonly metadata: Readonly<Record<string, string>>;
}

interface ExposureLogOptions {
  /** Returns ms since the epoch. */
  now(): number;
  /** Gets exposures that could not be stored. */
  onLost(error: unknown, exposures: number): void;
}

/**
 * Stores which answers users got, with the names of SDKs. Answers do not wait for it: exposures of the last
 * second are lost if the process is killed.
 */
export class ExposureLog {
  readonly #remembered = new Set<string>();
  #rememberedSince = 0;
  #waiting: StoredEvent[] = [];
  #timer: NodeJS.Timeout | undefined;
  #stored: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly events: Pick<EventStore, "append">,
    private readonly options: ExposureLogOptions,
  ) {}

  add({ event, user, metadata }: LoggedExposure): void {
    const { privateAttributes: _, ...shownUser } = user;
    const { userID, customIDs, targetingKey } = user;
    const now = this.options.now();
    if (!this.#isNew(JSON.stringify([event, userID, customIDs, targetingKey, metadata]), now))
      return;
    const day = formatDay(Math.floor(now / DAY_MS));
    const body = JSON.stringify({ event, user: shownUser, timestamp: now, metadata });
    this.#waiting.push({ day, event, timestamp: now, body });
    if (this.#waiting.length >= STORED_AT_ONCE) this.#store();
    else this.#timer ??= setTimeout(() => this.#store(), WAITING_MS_MAX).unref();
  }

  /** Stores what waits, and resolves when everything is stored. */
  async close(): Promise<void> {
    this.#store();
    await this.#stored;
  }

  #isNew(key: string, now: number): boolean {
    if (now - this.#rememberedSince > SAME_MS_MAX || this.#remembered.size >= REMEMBERED_MAX) {
      this.#remembered.clear();
      this.#rememberedSince = now;
    }
    if (this.#remembered.has(key)) return false;
    this.#remembered.add(key);
    return true;
  }

  #store(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const events = this.#waiting;
    if (events.length === 0) return;
    this.#waiting = [];
    const stored = this.events
      .append({ events, idempotencyKey: undefined })
      .catch((error: unknown) => this.options.onLost(error, events.length));
    this.#stored = Promise.all([this.#stored, stored]);
  }
}

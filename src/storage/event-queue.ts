import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { DAY_MS } from "../base/day.js";
import { type EventCommit, type EventIntake, EventsUnavailableError } from "./event-store.js";
import { storedText } from "./sqlite-database.js";
import {
  EVENT_COMMIT_CHARACTERS_MAX,
  EVENT_COMMIT_REQUESTS_MAX,
  EVENT_QUEUE_CHARACTERS_MAX,
} from "./storage-limits.js";

/** Events of one name on one day. */
interface PackedSeries {
  readonly day: string;
  /** The result of `storedText`. */
  readonly event: string;
  readonly count: number;
  /** `[timestamp,"body"]` for each event, separated by commas: a JSON array without brackets. */
  readonly rows: string;
}

/** The events of a request in a few strings for the writer, which inserts them as they are. */
export interface PackedIntake {
  /** SHA-256 of the idempotency key, in base64url. */
  readonly keyDigest: string | undefined;
  /** Days since 1970-01-01. */
  readonly arrivedDay: number;
  readonly series: readonly PackedSeries[];
  /** Characters of all rows. */
  readonly characters: number;
}

/** Stores events, one batch at a time. */
export interface EventWriter {
  /**
   * Resolves when the whole batch is durable. Rejects if that is uncertain: then everything was stored or
   * nothing, and the next call may succeed. Calls must not overlap.
   */
  write(batch: readonly PackedIntake[]): Promise<EventCommit>;
  /** Releases the database. Called once, after the last `write` has ended. */
  close(): Promise<void>;
}

interface WaitingEvents {
  readonly intake: PackedIntake;
  resolve(): void;
  reject(error: unknown): void;
}

export interface EventQueueOptions {
  /** Called after each transaction. */
  readonly onCommit?: (commit: EventCommit) => void;
  /** Maximum of waiting characters; a single request may have more. */
  readonly charactersMax?: number;
}

/**
 * Group commit: requests that arrive during a transaction share the next one. A commit costs a sync of
 * the disk, hundreds of times the cost of one event.
 */
export class EventQueue {
  readonly #writer: EventWriter;
  readonly #onCommit: (commit: EventCommit) => void;
  readonly #charactersMax: number;
  #waiting: WaitingEvents[] = [];
  #waitingCharacters = 0;
  #draining: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(
    writer: EventWriter,
    { onCommit = () => {}, charactersMax = EVENT_QUEUE_CHARACTERS_MAX }: EventQueueOptions = {},
  ) {
    this.#writer = writer;
    this.#onCommit = onCommit;
    this.#charactersMax = charactersMax;
  }

  /** Resolves when the intake is durable; throws `EventsUnavailableError` otherwise. */
  append(intake: PackedIntake): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#closing !== undefined) throw new EventsUnavailableError("the service is stopping");
      const characters = this.#waitingCharacters + intake.characters;
      if (this.#waiting.length > 0 && characters > this.#charactersMax) {
        throw new EventsUnavailableError("too many events wait for the disk; send more slowly");
      }
      this.#waiting.push({ intake, resolve, reject });
      this.#waitingCharacters = characters;
      this.#draining ??= this.#drain();
    });
  }

  /** Finishes accepted requests, then closes the writer. */
  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  async #finish(): Promise<void> {
    await this.#draining;
    await this.#writer.close();
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Let other requests of this turn of the event loop join.
      await nextTurn();
      await this.#commit(this.#take());
    }
    this.#draining = undefined;
  }

  #take(): readonly WaitingEvents[] {
    let characters = 0;
    let count = 0;
    for (const { intake } of this.#waiting.slice(0, EVENT_COMMIT_REQUESTS_MAX)) {
      characters += intake.characters;
      if (characters > EVENT_COMMIT_CHARACTERS_MAX && count > 0) break;
      count += 1;
    }
    const taken = this.#waiting.splice(0, count);
    for (const { intake } of taken) this.#waitingCharacters -= intake.characters;
    return taken;
  }

  async #commit(taken: readonly WaitingEvents[]): Promise<void> {
    try {
      const commit = await this.#writer.write(taken.map(({ intake }) => intake));
      for (const { resolve } of taken) resolve();
      this.#onCommit(commit);
    } catch (cause) {
      const { message } = cause as Error;
      const error = new EventsUnavailableError(message, { cause });
      for (const { reject } of taken) reject(error);
    }
  }
}

/** `now` is the time of arrival, in ms since the epoch. */
export function packIntake({ events, idempotencyKey }: EventIntake, now: number): PackedIntake {
  const found = new Map<string, { day: string; event: string; count: number; rows: string }>();
  let characters = 0;
  for (const { day, event, timestamp, body } of events) {
    const row = `[${timestamp},${JSON.stringify(body)}]`;
    characters += row.length;
    const key = day + event;
    const series = found.get(key);
    if (series === undefined) {
      found.set(key, { day, event: storedText(event), count: 1, rows: row });
    } else {
      series.count += 1;
      series.rows += `,${row}`;
    }
  }
  const keyDigest =
    idempotencyKey === undefined
      ? undefined
      : createHash("sha256").update(idempotencyKey).digest("base64url");
  const arrivedDay = Math.floor(now / DAY_MS);
  return { keyDigest, arrivedDay, series: [...found.values()], characters };
}

import { SwitchyardError } from "../base/errors.js";

/** An event as it is stored. */
export interface StoredEvent {
  /** `YYYY-MM-DD`, the UTC day of the timestamp. */
  readonly day: string;
  readonly event: string;
  /** ms since the epoch. */
  readonly timestamp: number;
  /** The event as JSON text, digit for digit as it was sent. */
  readonly body: string;
}

/** What one request brought: all of it is stored, or nothing. */
export interface EventIntake {
  readonly events: readonly StoredEvent[];
  /** Already stored under this key means: nothing to do. */
  readonly idempotencyKey: string | undefined;
}

export interface EventCount {
  readonly day: string;
  readonly event: string;
  readonly count: number;
}

/** `from` inclusive, `to` exclusive; `YYYY-MM-DD`, either may be left open. */
export interface DayRange {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

export interface EventQuery {
  readonly day: string | undefined;
  readonly event: string | undefined;
  readonly limit: number;
  /** `nextCursor` of the page before. */
  readonly cursor: string | undefined;
}

export interface EventPage {
  /** May be fewer than the limit where events are large. */
  readonly items: readonly StoredEvent[];
  /** undefined on the last page. */
  readonly nextCursor: string | undefined;
}

/** What one transaction brought to disk. */
export interface EventCommit {
  readonly requests: number;
  /** Without those that were there already. */
  readonly events: number;
}

export interface EventStore {
  /**
   * Resolves when the events are durable; requests that wait share a transaction. Throws
   * `EventsUnavailableError` where they cannot be stored now.
   */
  append(intake: EventIntake): Promise<void>;
  /** By day, then event; at most `limit` of them. */
  counts(range: DayRange, limit: number): Promise<readonly EventCount[]>;
  /**
   * By day, then event, then as they were stored. Throws `CursorError` for a cursor that no page of
   * this query has given.
   */
  list(query: EventQuery): Promise<EventPage>;
}

/** Nothing is acknowledged that is not durable: the same request may succeed later. */
export class EventsUnavailableError extends SwitchyardError {
  constructor(reason: string, options?: ErrorOptions) {
    super("events_unavailable", `Events cannot be stored now: ${reason}`, options);
  }
}

export class CursorError extends SwitchyardError {
  constructor() {
    super("cursor_invalid", "The cursor is not one that a page of this list has given");
  }
}

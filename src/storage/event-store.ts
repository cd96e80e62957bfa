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
  readonly items: readonly StoredEvent[];
  /** undefined on the last page. */
  readonly nextCursor: string | undefined;
}

/** What one transaction brought to disk. */
export interface EventCommit {
  readonly requests: number;
  readonly events: number;
}

export interface EventStore {
  /** Resolves when the events are durable; requests that wait share a transaction. */
  append(intake: EventIntake): Promise<void>;
  /** By day, then event. */
  counts(range: DayRange): Promise<readonly EventCount[]>;
  list(query: EventQuery): Promise<EventPage>;
}

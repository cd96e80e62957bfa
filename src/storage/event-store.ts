import { SwitchyardError } from "../base/errors.js";
import type { AnyObject } from "../contract/fields.js";
import type { Person } from "./event-removal.js";
import type { ExperimentCounts, ExperimentQuestion } from "./experiment-counts.js";
import type { GateAnswers } from "./gate-answers.js";
import type { DatabaseSize } from "./sqlite-database.js";

/** A stored event. */
export interface StoredEvent {
  /** `YYYY-MM-DD`, the UTC day of the timestamp. */
  readonly day: string;
  readonly event: string;
  /** ms since the epoch. */
  readonly timestamp: number;
  /** The event as JSON text, digit for digit as it was sent. */
  readonly body: string;
}

/** The events of one request. All of them are stored, or none. */
export interface EventIntake {
  readonly events: readonly StoredEvent[];
  /** A request whose key is known has been stored before and is skipped. */
  readonly idempotencyKey: string | undefined;
}

export interface StoredEventCount {
  readonly day: string;
  readonly event: string;
  readonly count: number;
}

export type DayCount = Omit<StoredEventCount, "event">;
export type NameCount = Omit<StoredEventCount, "day">;

/** `from` inclusive, `to` exclusive; `YYYY-MM-DD`; undefined is unbounded. */
export interface DayRange {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

export interface NameQuery extends DayRange {
  /** A part of the names, in any case; undefined for all. */
  readonly search: string | undefined;
  readonly limit: number;
}

export interface NameCounts {
  /** The names with the most events first. */
  readonly items: readonly NameCount[];
  /** The names after the limit, and the sum of their events. */
  readonly others: { readonly names: number; readonly count: number };
}

export interface EventQuery {
  readonly day: string | undefined;
  readonly event: string | undefined;
  /** Ids in `user`; a page then ends after EVENTS_SEARCHED_MAX events. */
  readonly userID?: string | undefined;
  readonly stableID?: string | undefined;
  readonly limit: number;
  /** `nextCursor` of the previous page. */
  readonly cursor: string | undefined;
}

export interface EventPage {
  /** May have fewer events than the limit if events are large, or few of them are of the user. */
  readonly items: readonly StoredEvent[];
  /** undefined on the last page. */
  readonly nextCursor: string | undefined;
}

/** The numbers of one transaction. */
export interface EventCommit {
  readonly requests: number;
  /** Without events that were stored before. */
  readonly events: number;
}

/** An event, for people who watch events arrive. */
export interface LatestEvent {
  readonly event: string;
  /** ms since the epoch. */
  readonly timestamp: number;
  /** `userID` of the event's user; null without one. */
  readonly userID: string | null;
}

export interface EventStoreSize extends DatabaseSize {
  /** Stored events. */
  readonly count: number;
}

export interface EventStore {
  /**
   * Resolves when the events are durable; waiting requests share a transaction. Throws
   * `EventsUnavailableError` if they cannot be stored now.
   */
  append(intake: EventIntake): Promise<void>;
  /** Returns at most `limit` counts, by day, then event. */
  counts(range: DayRange, limit: number): Promise<readonly StoredEventCount[]>;
  /** Returns at most `limit` days that have events, of one name or of all, in order. */
  countDays(
    range: DayRange,
    event: string | undefined,
    limit: number,
  ): Promise<readonly DayCount[]>;
  /** Counts by name. Reads few rows for all days, or for few days. */
  countNames(query: NameQuery): Promise<NameCounts>;
  /**
   * Returns events by day, then event, then in the order of storing. Throws `CursorError` for a cursor
   * that no page of this query has returned.
   */
  list(query: EventQuery): Promise<EventPage>;
  /** Returns a number that changes when events are stored; 0 without events. Costs microseconds. */
  lastSequence(): number;
  /** Returns the events that were stored last, newest first. */
  latest(count: number): Promise<readonly LatestEvent[]>;
  /**
   * Returns the users of the newest events, each once by its `userID`, else its `stableID`, at most `count`.
   * Looks at USER_EVENTS_SEARCHED_MAX events at most, in slices.
   */
  recentUsers(count: number): Promise<readonly AnyObject[]>;
  /** Counts the units of an experiment. Takes seconds for a million events; other calls do not wait. */
  countExperiment(question: ExperimentQuestion): Promise<ExperimentCounts>;
  /**
   * Returns the answers of those gates that have any; answers count from the UTC day of `since` (ms) on.
   * Removals of events do not change them; they are forgotten after `GATE_ANSWER_DAYS_MAX` days.
   */
  gateAnswers(gates: readonly string[], since: number): Promise<readonly GateAnswers[]>;
  /**
   * Removes the events of the days before `day`, `YYYY-MM-DD`, and idempotency keys as old. Returns the
   * number of events. Works in slices, between which others write.
   */
  removeBefore(day: string): Promise<number>;
  /**
   * Removes the events of a person that are stored now, durably, and returns their number; with `rehearse`,
   * only counts them. Works in slices; the same call completes one that was cut off.
   */
  removePerson(person: Person, rehearse: boolean): Promise<number>;
  size(): Promise<EventStoreSize>;
}

/** Events were not stored. The same request may succeed later. */
export class EventsUnavailableError extends SwitchyardError {
  constructor(reason: string, options?: ErrorOptions) {
    super("events_unavailable", `Events cannot be stored now: ${reason}`, options);
  }
}

export class CursorError extends SwitchyardError {
  constructor() {
    super("cursor_invalid", "The cursor does not come from a page of this list");
  }
}

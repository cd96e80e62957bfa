import { DAY_MS, formatDay } from "../base/day.js";
import { omitUndefined } from "../base/omit-undefined.js";
import type { EventIntakeBody, eventRoutes } from "../contract/event.js";
import {
  CursorError,
  type EventStore,
  EventsUnavailableError,
  type StoredEvent,
} from "../storage/event-store.js";
import { cutEvents, eventBody } from "./event-text.js";
import { EventWarnings, type WarningKind } from "./event-warnings.js";
import { FinishedJson, type Handlers } from "./handler.js";
import { invalid, ServiceError } from "./service-error.js";
import { EVENT_COUNTS_MAX } from "./service-limits.js";

const UNAVAILABLE = "Events cannot be stored now: nothing was written; send them again later";

/**
 * Returns the handlers of the event routes. `now` returns ms since the epoch; `onWarning` gets the number
 * of stored events that look wrong.
 */
export function eventHandlers(
  events: EventStore,
  now: () => number,
  onWarning: (kind: WarningKind, events: number) => void,
): Handlers<typeof eventRoutes> {
  return {
    async storeEvents({ body, bodyText = "", caller, idempotencyKey }) {
      const warnings = new EventWarnings();
      const intake = {
        events: storedEvents(body, bodyText, now(), warnings),
        // Keys of different secrets differ, so senders cannot hide each other's events.
        idempotencyKey: idempotencyKey === undefined ? undefined : `${caller.id}/${idempotencyKey}`,
      };
      await events.append(intake).catch(refuse);
      warnings.count(onWarning);
      return { content: omitUndefined({ success: true as const, warnings: warnings.list() }) };
    },

    async summarizeEvents({ query: { from, to } }) {
      const counts = await events.counts({ from, to }, EVENT_COUNTS_MAX + 1);
      if (counts.length > EVENT_COUNTS_MAX) throw tooManyCounts();
      return { content: { data: counts } };
    },

    async listEvents({ query: { day, event, userID, stableID, limit, cursor } }) {
      const { items, nextCursor = null } = await events
        .list({ day, event, userID, stableID, limit, cursor })
        .catch(refuse);
      const data = new FinishedJson(`[${items.map(({ body }) => body).join(",")}]`);
      return { content: { data, nextCursor } };
    },
  };
}

/** Returns the events of a request with their texts. An event without a time gets `timeMs`. */
function storedEvents(
  body: EventIntakeBody,
  bodyText: string,
  timeMs: number,
  warnings: EventWarnings,
): readonly StoredEvent[] {
  const events = Array.isArray(body) ? body : [body];
  const texts = cutEvents(bodyText);
  if (texts.length !== events.length) {
    throw new Error(`${texts.length} texts were cut from a body of ${events.length} events`);
  }
  const dayName = dayNaming();
  return texts.map((text, index) => {
    // There are as many events as texts.
    const { event, timestamp: given = timeMs } = events[index] as (typeof events)[number];
    const timestamp = Number(given);
    warnings.add(text, timestamp);
    const day = dayName(Math.floor(timestamp / DAY_MS));
    return { day, event, timestamp, body: eventBody(text, timeMs) };
  });
}

/** Returns `formatDay` with a cache: the events of one request are of few days. */
function dayNaming(): (day: number) => string {
  const names = new Map<number, string>();
  return (day) => {
    const name = names.get(day) ?? formatDay(day);
    names.set(day, name);
    return name;
  };
}

function refuse(error: unknown): never {
  if (error instanceof EventsUnavailableError) {
    // The message of an error with a cause may reveal internals, such as paths of files.
    const message = error.cause === undefined ? error.message : UNAVAILABLE;
    throw new ServiceError({ status: 503, message, retryAfterSeconds: 1, cause: error });
  }
  if (error instanceof CursorError) {
    throw invalid([{ property: "cursor", errorMessage: error.message }]);
  }
  throw error;
}

function tooManyCounts(): ServiceError {
  const errorMessage = `This range has more than ${EVENT_COUNTS_MAX} counts: ask for fewer days`;
  return invalid([{ property: "from", errorMessage }]);
}

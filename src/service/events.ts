import { DAY_MS, formatDay } from "../base/day.js";
import type { EventIntakeBody, eventRoutes } from "../contract/event.js";
import {
  CursorError,
  type EventStore,
  EventsUnavailableError,
  type StoredEvent,
} from "../storage/event-store.js";
import { cutEvents, eventBody } from "./event-text.js";
import { type Handlers, JsonText } from "./handler.js";
import { invalid, ServiceError } from "./service-error.js";
import { EVENT_COUNTS_MAX } from "./service-limits.js";

const UNAVAILABLE = "Events cannot be stored now: nothing was written, send them again later";

/** `now` gives ms since the epoch. */
export function eventHandlers(events: EventStore, now: () => number): Handlers<typeof eventRoutes> {
  return {
    async storeEvents({ body, bodyText = "", caller, idempotencyKey }) {
      const intake = {
        events: storedEvents(body, bodyText, now()),
        // Each secret has keys of its own: two senders cannot take each other's events for known.
        idempotencyKey: idempotencyKey === undefined ? undefined : `${caller.id}/${idempotencyKey}`,
      };
      await events.append(intake).catch(refuse);
      return { content: { success: true } };
    },

    async summarizeEvents({ query: { from, to } }) {
      const counts = await events.counts({ from, to }, EVENT_COUNTS_MAX + 1);
      if (counts.length > EVENT_COUNTS_MAX) throw tooManyCounts();
      return { content: { data: counts } };
    },

    async listEvents({ query: { day, event, limit, cursor } }) {
      const { items, nextCursor = null } = await events
        .list({ day, event, limit, cursor })
        .catch(refuse);
      const data = new JsonText(`[${items.map(({ body }) => body).join(",")}]`);
      return { content: { data, nextCursor } };
    },
  };
}

/** The events of a request, each with its own text. An event without a time has come now. */
function storedEvents(
  body: EventIntakeBody,
  bodyText: string,
  timeMs: number,
): readonly StoredEvent[] {
  const events = Array.isArray(body) ? body : [body];
  const texts = cutEvents(bodyText);
  if (texts.length !== events.length) {
    throw new Error(`${texts.length} texts were cut from a body of ${events.length} events`);
  }
  const dayName = dayNaming();
  return texts.map((text, index) => {
    // As many as there are texts.
    const { event, timestamp: given = timeMs } = events[index] as (typeof events)[number];
    const timestamp = Number(given);
    const day = dayName(Math.floor(timestamp / DAY_MS));
    return { day, event, timestamp, body: eventBody(text, timeMs) };
  });
}

/** `formatDay`, quick for the days of one request, which are few. */
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
    // What has a cause tells of the inside: paths of files, words of the system.
    const message = error.cause === undefined ? error.message : UNAVAILABLE;
    throw new ServiceError({ status: 503, message, retryAfterSeconds: 1, cause: error });
  }
  if (error instanceof CursorError) {
    throw invalid([{ property: "cursor", errorMessage: error.message }]);
  }
  throw error;
}

function tooManyCounts(): ServiceError {
  const errorMessage = `More than ${EVENT_COUNTS_MAX} counts lie in this range: ask for fewer days`;
  return invalid([{ property: "from", errorMessage }]);
}

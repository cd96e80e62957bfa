import { DAY_MS, formatDay } from "../base/day.js";
import { omitUndefined } from "../base/omit-undefined.js";
import type { eventRoutes } from "../contract/event.js";
import type { AnyObject } from "../contract/fields.js";
import type { logEventRoutes } from "../contract/log-event.js";
import {
  type CallFacts,
  FinishedJson,
  type HandlerAnswer,
  type HandlerCall,
  type Handlers,
} from "../http/handler.js";
import { invalid, ServiceError } from "../http/service-error.js";
import { EVENT_COUNTS_MAX } from "../http/service-limits.js";
import {
  cutEvents,
  cutLoggedEvents,
  type EventText,
  eventBody,
  membersOf,
} from "../intake/event-text.js";
import type { WarningKind } from "../intake/event-warning.js";
import { EventWarnings } from "../intake/event-warnings.js";
import {
  CursorError,
  type EventStore,
  EventsUnavailableError,
  type StoredEvent,
} from "../storage/event-store.js";
import type { EventRules } from "../target/target.js";

const UNAVAILABLE = "Events cannot be stored now: nothing was written; send them again later";

/**
 * How long the requests of an SDK took. Their addresses hold server secrets, so these events are answered
 * and not stored.
 */
const SDK_DIAGNOSTICS = "statsig::diagnostics";

interface EventHandlerOptions {
  /** Returns ms since the epoch. */
  now(): number;
  /** Gets the number of stored events that look wrong. */
  onWarning(kind: WarningKind, events: number): void;
  /** The platform that is rehearsed; absent: none. */
  readonly target?: EventRules | undefined;
}

/** Parsed parts of an event, beside its texts. An event without a time gets the time of arrival. */
interface GivenEvent {
  readonly event: string;
  readonly timestamp?: string | number | null | undefined;
}

type LoggedCall = Pick<HandlerCall<typeof logEventRoutes.logEvents>, "body" | "bodyText"> &
  Pick<CallFacts, "caller" | "idempotencyKey">;

/** Returns the handlers of the event routes. */
export function eventHandlers(
  events: EventStore,
  { now, onWarning, target }: EventHandlerOptions,
): Handlers<typeof eventRoutes & typeof logEventRoutes> {
  async function store(
    texts: readonly EventText[],
    given: readonly GivenEvent[],
    { caller, idempotencyKey }: Pick<CallFacts, "caller" | "idempotencyKey">,
  ): Promise<HandlerAnswer> {
    const warnings = new EventWarnings(target);
    const intake = {
      events: storedEvents(texts, given, now(), warnings),
      // Keys of different secrets differ, so senders cannot hide each other's events.
      idempotencyKey: idempotencyKey === undefined ? undefined : `${caller.id}/${idempotencyKey}`,
    };
    if (texts.length > 0) await events.append(intake).catch(refuse);
    warnings.count(onWarning);
    return { content: omitUndefined({ success: true as const, warnings: warnings.list() }) };
  }
  const logEvents = ({ body, bodyText = "", ...call }: LoggedCall): Promise<HandlerAnswer> => {
    const texts = cutLoggedEvents(bodyText).map(withStoredUser);
    const given = body.events.map(({ eventName, time }) => ({ event: eventName, timestamp: time }));
    const isKept = (_: unknown, index: number) => given[index]?.event !== SDK_DIAGNOSTICS;
    return store(texts.filter(isKept), given.filter(isKept), call);
  };
  return {
    storeEvents({ body, bodyText = "", ...call }) {
      return store(cutEvents(bodyText), Array.isArray(body) ? body : [body], call);
    },

    logEvents,
    logBrowserEvents: logEvents,

    async summarizeEvents({ query: { from, to } }) {
      const counts = await events.counts({ from, to }, EVENT_COUNTS_MAX + 1);
      if (counts.length > EVENT_COUNTS_MAX) throw tooManyCounts();
      return { content: { data: counts } };
    },

    async countEventDays({ query: { from, to, event } }) {
      const counts = await events.countDays({ from, to }, event, EVENT_COUNTS_MAX + 1);
      if (counts.length > EVENT_COUNTS_MAX) throw tooManyCounts();
      return { content: { data: counts } };
    },

    async countEventNames({ query: { from, to, search, limit } }) {
      const { items, others } = await events.countNames({ from, to, search, limit });
      return { content: { data: items, others } };
    },

    async listEvents({ query: { day, event, userID, stableID, limit, cursor } }) {
      const { items, nextCursor = null } = await events
        .list({ day, event, userID, stableID, limit, cursor })
        .catch(refuse);
      const data = new FinishedJson(`[${items.map(({ body }) => body).join(",")}]`);
      return { content: { data, nextCursor } };
    },

    async deleteEvents({ query: { userID, stableID, dryRun } }) {
      const count = await events.removePerson({ userID, stableID }, dryRun).catch(refuse);
      return { content: { data: { events: count } } };
    },
  };
}

/**
 * SDKs have the id of a device among other ids; an event has it in its user. Both are kept. Private
 * attributes are never stored.
 */
function withStoredUser(event: EventText): EventText {
  if (event.user === undefined || !/stableID|privateAttributes/.test(event.user)) return event;
  const members = new Map(membersOf(event.user));
  members.delete("privateAttributes");
  const customIDs = JSON.parse(members.get("customIDs") ?? "null") as Partial<AnyObject> | null;
  const stableID = customIDs?.["stableID"];
  const isKnown = members.has("stableID") || !["string", "number"].includes(typeof stableID);
  const all = isKnown ? [...members] : [["stableID", JSON.stringify(stableID)], ...members];
  const texts = all.map(([name, text]) => `${JSON.stringify(name)}:${text}`);
  return { ...event, user: `{${texts.join(",")}}` };
}

/** Returns the events of a request with their texts. An event without a time gets `timeMs`. */
function storedEvents(
  texts: readonly EventText[],
  events: readonly GivenEvent[],
  timeMs: number,
  warnings: EventWarnings,
): readonly StoredEvent[] {
  if (texts.length !== events.length) {
    throw new Error(`${texts.length} texts were cut from a body of ${events.length} events`);
  }
  const dayName = dayNaming();
  return texts.map((text, index) => {
    // There are as many events as texts.
    const { event, timestamp: given } = events[index] as GivenEvent;
    const timestamp = Number(given ?? timeMs);
    warnings.add(text, event, timestamp);
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

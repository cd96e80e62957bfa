import { z } from "zod";
import { messageEnvelope, pageQuery } from "./common.js";
import { identifier } from "./evaluation.js";
import { kindOf, numeric, text, withRule } from "./fields.js";
import { noBody, noParams, noQuery, type Route, writeQuery } from "./route.js";

const EVENT_NAME_CHARACTERS_MAX = 1_024;
const EVENTS_PER_REQUEST_MAX = 1_000;

/** The range of timestamps that have a day `YYYY-MM-DD`, in ms since the epoch. */
export const TIMESTAMP_MS_MIN = Date.UTC(-1, 12, 1);
export const TIMESTAMP_MS_MAX = Date.UTC(10_000, 0, 1) - 1;

const outsideOfDays =
  "Expected ms since the epoch between the years 0000 and 9999 (are these microseconds?)";

export const eventTime = numeric(
  "Time of the event, in ms since the epoch; the time of arrival by default.",
  {
    integer: true,
  },
)
  .check(({ value, issues }) => {
    const timestampMs = Number(value);
    // `numeric` reports such values.
    if (!Number.isInteger(timestampMs)) return;
    if (typeof value === "number" && !Number.isSafeInteger(value)) return;
    if (timestampMs >= TIMESTAMP_MS_MIN && timestampMs <= TIMESTAMP_MS_MAX) return;
    issues.push({ code: "custom", message: outsideOfDays, input: value });
  })
  .meta({ minimum: TIMESTAMP_MS_MIN, maximum: TIMESTAMP_MS_MAX });

export const eventName = text("Event name.").min(1).max(EVENT_NAME_CHARACTERS_MAX);

// Not loose objects or records: they copy every property on this hot path. The service stores the text of
// the body, not these values.
const eventUser = z
  .object({ userID: text("ID of the user."), stableID: text("ID of the device.") })
  .partial()
  .meta({ description: "The user: IDs and any other attributes.", additionalProperties: true });

/** The user of an event of an SDK: as in evaluations, because SDKs drop a list that is refused. */
export const loggedUser = z
  .object({
    userID: identifier.describe("ID of the user."),
    stableID: identifier.describe("ID of the device."),
  })
  .meta({ description: "The user: IDs and any other attributes.", additionalProperties: true });

/** The fields of an event, in the order of the specification. */
const fields = {
  event: eventName,
  user: eventUser,
  timestamp: eventTime,
  metadata: z
    .object({})
    .meta({ description: "Properties of the event.", additionalProperties: true }),
  value: z.union([z.string(), z.number()]).describe("Value of the event."),
};

/**
 * `partial`, not `exactPartial`: an absent exact optional union takes as much time as the rest of the
 * event.
 */
const analyticsEvent = z.object(fields).partial().extend({ event: fields.event });

/** Returns the schema of 1 to `itemsMax` events. It refuses an array that is too long before it validates the events. */
export function eventList<Item extends z.ZodType>(item: Item, itemsMax: number) {
  return z.preprocess((value, context) => {
    if (Array.isArray(value) && value.length > itemsMax) {
      context.issues.push({
        code: "too_big",
        origin: "array",
        maximum: itemsMax,
        inclusive: true,
        input: value,
      });
    }
    return value;
  }, z.array(item).min(1).max(itemsMax));
}

/** One event, or an array of events: all are stored, or none. */
export const eventIntake = z
  .union([analyticsEvent, eventList(analyticsEvent, EVENTS_PER_REQUEST_MAX)])
  .describe(`One event, or an array of 1 to ${EVENTS_PER_REQUEST_MAX}: all are stored, or none.`);

export const eventIntakeAnswer = z.object({
  success: z.literal(true).describe("The events are durable."),
  warnings: z
    .array(
      z.object({
        property: text("Field that looks wrong."),
        message: text("What was done with it, and what was probably meant."),
        events: z.int().describe("Events of the request that have it."),
      }),
    )
    .exactOptional()
    .describe("Events that were stored, but probably not as meant."),
});

const dayPattern = /^\d{4}-\d{2}-\d{2}$/;

const day = (description: string) =>
  z
    .string()
    .check(({ value, issues }) => {
      if (isDay(value)) return;
      const message = `Expected a day of the calendar as YYYY-MM-DD, received ${shown(value)}`;
      issues.push({ code: "custom", message, input: value });
    })
    .meta({ description, format: "date" });

const range = z
  .object({ from: day("First day, UTC."), to: day("Day after the last day, UTC.") })
  .exactPartial();

function inOrder<Query extends z.ZodObject>(query: Query): Query {
  return withRule(query, (given) => {
    const { from, to } = given as { readonly from?: unknown; readonly to?: unknown };
    if (!isDay(from) || !isDay(to) || from < to) return [];
    return [
      { path: ["to"], message: "Must be after `from`: the range does not include the day `to`" },
    ];
  });
}

export const eventSummaryQuery = inOrder(range);

const count = z.object({
  day: text("UTC day of the timestamps, YYYY-MM-DD."),
  event: text("Event name."),
  count: z.int().describe("Number of these events."),
});

const eventSummary = messageEnvelope.extend({
  data: z.array(count).describe("Sorted by day and event name."),
});

const eventDaysQuery = inOrder(
  range.extend({ event: text("Only events of this name.").exactOptional() }),
);

const eventDays = messageEnvelope.extend({
  data: z.array(count.omit({ event: true })).describe("Days that have events, in order."),
});

const eventNamesQuery = inOrder(
  range.extend({
    search: text("Only names with this text; case does not matter.").exactOptional(),
    limit: pageQuery.shape.limit,
  }),
);

const eventNames = messageEnvelope.extend({
  data: z.array(count.omit({ day: true })).describe("The names with the most events first."),
  others: z
    .object({
      names: z.int().describe("Number of these names."),
      count: z.int().describe("Number of their events."),
    })
    .describe("The names after the first `limit` ones."),
});

export const eventListQuery = z
  .object({
    day: day("Only events of this day, UTC."),
    event: text("Only events of this name."),
    userID: text("Only events of this user. A page may then have few events, or none."),
    stableID: text("Only events of this device. A page may then have few events, or none."),
    cursor: text("`nextCursor` of the page before; the first page by default."),
  })
  .exactPartial()
  .extend({ limit: pageQuery.shape.limit });

const personQuery = withRule(
  z
    .object({
      userID: text("ID of the user.").min(1),
      stableID: text("ID of the device.").min(1),
    })
    .exactPartial()
    .extend(writeQuery.shape),
  (query) => {
    const { userID, stableID } = query as Readonly<Record<string, unknown>>;
    if (userID !== undefined || stableID !== undefined) return [];
    return [{ path: ["userID"], message: "Required, or `stableID`" }];
  },
);

const listedEvents = messageEnvelope.extend({
  data: z
    .array(analyticsEvent.extend({ user: loggedUser.exactOptional(), timestamp: eventTime }))
    .describe("Sorted by day, event name and order of storing; every field as it was sent."),
  nextCursor: z.string().nullable().describe("Cursor of the next page; null on the last page."),
});

function isDay(value: unknown): value is string {
  if (typeof value !== "string" || !dayPattern.test(value)) return false;
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}

function shown(value: unknown): string {
  return typeof value === "string" ? `"${value.slice(0, 32)}"` : kindOf(value);
}

const onEvents = { group: "Events", params: noParams } as const;
const readingEvents = { ...onEvents, method: "GET", access: "console", body: noBody } as const;

/** Analytics events: the event route of the specification, then the extensions. */
export const eventRoutes = {
  storeEvents: {
    ...onEvents,
    origin: "specification",
    method: "POST",
    path: "/v1/webhooks/event_webhook",
    access: "server",
    summary: "Store one event, or an array of them",
    query: noQuery,
    body: eventIntake,
    status: 202,
    message: "",
    response: eventIntakeAnswer,
  },
  summarizeEvents: {
    ...readingEvents,
    origin: "extension",
    path: "/v1/events/summary",
    summary: "Count events by day and name",
    query: eventSummaryQuery,
    status: 200,
    message: "Events summarized successfully.",
    response: eventSummary,
  },
  countEventDays: {
    ...readingEvents,
    origin: "extension",
    path: "/v1/events/summary/days",
    summary: "Count events by day",
    query: eventDaysQuery,
    status: 200,
    message: "Events summarized successfully.",
    response: eventDays,
  },
  countEventNames: {
    ...readingEvents,
    origin: "extension",
    path: "/v1/events/summary/names",
    summary: "Count events by name, most frequent first",
    query: eventNamesQuery,
    status: 200,
    message: "Events summarized successfully.",
    response: eventNames,
  },
  listEvents: {
    ...readingEvents,
    origin: "extension",
    path: "/v1/events",
    summary: "List events as they were sent",
    query: eventListQuery,
    status: 200,
    message: "Events listed successfully.",
    response: listedEvents,
  },
  deleteEvents: {
    ...onEvents,
    origin: "extension",
    method: "DELETE",
    path: "/v1/events",
    access: "console",
    summary: "Delete the events of one person",
    query: personQuery,
    body: noBody,
    status: 200,
    message: "Events deleted successfully.",
    response: messageEnvelope.extend({
      data: z
        .object({ events: z.int().describe("Events that this call deleted.") })
        .describe("What was deleted."),
    }),
  },
} as const satisfies Record<string, Route>;

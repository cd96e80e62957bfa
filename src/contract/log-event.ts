import { z } from "zod";
import { eventIntakeAnswer, eventList, eventName, eventTime, loggedUser as user } from "./event.js";
import { noParams, noQuery, type Route } from "./route.js";

/** SDKs send up to 2,000 events in a request. */
const EVENTS_PER_REQUEST_MAX = 2_000;

const properties = z.object({}).meta({ additionalProperties: true });

/** SDKs write null for what an event does not have. */
const loggedEvent = z.object({
  eventName,
  time: eventTime.nullish(),
  user: user.nullish(),
  value: z.union([z.string(), z.number()]).nullish().describe("Value of the event."),
  metadata: properties.nullish().describe("Properties of the event."),
});

const logEventBody = z.object({
  events: eventList(loggedEvent, EVENTS_PER_REQUEST_MAX).describe("The events, in any order."),
  user: user.nullish().describe("The user of events that have none."),
  statsigMetadata: properties.nullish().describe("Facts about the sender; not stored."),
});

const logEvents = {
  group: "Events",
  params: noParams,
  origin: "extension",
  method: "POST",
  access: "client",
  sdk: true,
  query: noQuery,
  body: logEventBody.describe(
    `1 to ${EVENTS_PER_REQUEST_MAX} events: all are stored, or none. \`customIDs.stableID\` of a user is also stored as \`stableID\`.`,
  ),
  eventsMember: "events",
  status: 202,
  message: "",
  response: eventIntakeAnswer,
} as const;

/** The events of official SDKs, which name the fields of an event differently. */
export const logEventRoutes = {
  logEvents: {
    ...logEvents,
    path: "/v1/log_event",
    summary: "Store a list of events in the form of SDKs",
  },
  logBrowserEvents: {
    ...logEvents,
    path: "/v1/rgstr",
    summary: "Store a list of events of SDKs in browsers",
  },
} as const satisfies Record<string, Route>;

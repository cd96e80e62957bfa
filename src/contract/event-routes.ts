import {
  eventIntake,
  eventIntakeAnswer,
  eventList,
  eventListQuery,
  eventSummary,
  eventSummaryQuery,
} from "./event.js";
import { noBody, noParams, noQuery, type Route } from "./route.js";

const onEvents = { group: "Events", params: noParams } as const;
const readingEvents = { ...onEvents, method: "GET", access: "console", body: noBody } as const;

/** Analytics events: the event route of the specification, and what reads them back. */
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
  listEvents: {
    ...readingEvents,
    origin: "extension",
    path: "/v1/events",
    summary: "List events as they were sent",
    query: eventListQuery,
    status: 200,
    message: "Events listed successfully.",
    response: eventList,
  },
} as const satisfies Record<string, Route>;

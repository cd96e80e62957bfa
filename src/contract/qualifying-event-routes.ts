import { pageQuery } from "./common.js";
import { entityEnvelope, listEnvelope, messageEnvelope } from "./envelope.js";
import {
  nameParams,
  newNameParams,
  qualifyingEvent,
  qualifyingEventCreate,
  qualifyingEventReplace,
} from "./qualifying-event.js";
import { noBody, noParams, noQuery, type Route } from "./route.js";

const path = "/console/v1/experiments/qualifying_events";
const onEvents = {
  access: "console",
  group: "Qualifying events",
  params: noParams,
  query: noQuery,
} as const;
const onEvent = { ...onEvents, params: nameParams, status: 200, body: noBody } as const;
const extension = { origin: "extension" } as const;

/** Qualifying events: the specification's row, then the extensions. */
export const qualifyingEventRoutes = {
  upsertQualifyingEvent: {
    ...onEvent,
    origin: "specification",
    params: newNameParams,
    method: "POST",
    path: `${path}/{name}`,
    summary: "Update a qualifying event fully, or create it where the name is new",
    body: qualifyingEventReplace,
    message: "Qualifying event updated successfully.",
    response: entityEnvelope(qualifyingEvent),
  },
  createQualifyingEvent: {
    ...onEvents,
    ...extension,
    method: "POST",
    path,
    summary: "Create a qualifying event",
    body: qualifyingEventCreate,
    status: 201,
    message: "Qualifying event created successfully.",
    response: entityEnvelope(qualifyingEvent),
  },
  listQualifyingEvents: {
    ...onEvents,
    ...extension,
    method: "GET",
    path,
    summary: "List qualifying events, newest first",
    query: pageQuery,
    body: noBody,
    status: 200,
    message: "Qualifying events listed successfully.",
    response: listEnvelope(qualifyingEvent),
  },
  readQualifyingEvent: {
    ...onEvent,
    ...extension,
    method: "GET",
    path: `${path}/{name}`,
    summary: "Read a qualifying event",
    message: "Qualifying event read successfully.",
    response: entityEnvelope(qualifyingEvent),
  },
  deleteQualifyingEvent: {
    ...onEvent,
    ...extension,
    method: "DELETE",
    path: `${path}/{name}`,
    summary: "Delete a qualifying event",
    message: "Qualifying event deleted successfully.",
    response: messageEnvelope,
  },
} as const satisfies Record<string, Route>;

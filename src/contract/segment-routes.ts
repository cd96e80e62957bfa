import { pageQuery } from "./common.js";
import { entityEnvelope, listEnvelope, messageEnvelope } from "./envelope.js";
import { idParams, noBody, noParams, noQuery, type Route } from "./route.js";
import { segment, segmentCreate } from "./segment.js";

const path = "/console/v1/segments";
const onSegments = {
  access: "console",
  group: "Segments",
  params: noParams,
  query: noQuery,
} as const;
const onSegment = { ...onSegments, params: idParams, status: 200, body: noBody } as const;
const extension = { origin: "extension" } as const;

/** Segments: the specification's row, then the extensions. */
export const segmentRoutes = {
  createSegment: {
    ...onSegments,
    origin: "specification",
    method: "POST",
    path,
    summary: "Create a segment",
    body: segmentCreate,
    status: 201,
    message: "Segment created successfully.",
    response: entityEnvelope(segment),
  },
  listSegments: {
    ...onSegments,
    ...extension,
    method: "GET",
    path,
    summary: "List segments, newest first",
    query: pageQuery,
    body: noBody,
    status: 200,
    message: "Segments listed successfully.",
    response: listEnvelope(segment),
  },
  readSegment: {
    ...onSegment,
    ...extension,
    method: "GET",
    path: `${path}/{id}`,
    summary: "Read a segment",
    message: "Segment read successfully.",
    response: entityEnvelope(segment),
  },
  deleteSegment: {
    ...onSegment,
    ...extension,
    method: "DELETE",
    path: `${path}/{id}`,
    summary: "Delete a segment",
    message: "Segment deleted successfully.",
    response: messageEnvelope,
  },
} as const satisfies Record<string, Route>;

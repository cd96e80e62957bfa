import { pageQuery } from "./common.js";
import { entityEnvelope, listEnvelope, messageEnvelope } from "./envelope.js";
import {
  gate,
  gateArchive,
  gateCreate,
  gatePatch,
  gateReferrer,
  gateReplace,
  gateUnarchive,
} from "./gate.js";
import { idParams, noBody, noParams, noQuery, type Route } from "./route.js";

const path = "/console/v1/gates";
const onGates = { access: "console", group: "Gates", params: noParams, query: noQuery } as const;
const onGate = { ...onGates, params: idParams, status: 200, body: noBody } as const;
const specified = { origin: "specification" } as const;
const extension = { origin: "extension" } as const;
const updated = { message: "Gate updated successfully.", response: entityEnvelope(gate) } as const;
const listed = { message: "Gates listed successfully.", response: listEnvelope(gate) } as const;

/** Feature gates, in the order of the specification's table. */
export const gateRoutes = {
  createGate: {
    ...onGates,
    ...specified,
    method: "POST",
    path,
    summary: "Create a gate",
    body: gateCreate,
    status: 201,
    message: "Gate created successfully.",
    response: entityEnvelope(gate),
  },
  replaceGate: {
    ...onGate,
    ...specified,
    ...updated,
    method: "POST",
    path: `${path}/{id}`,
    summary: "Update a gate fully",
    body: gateReplace,
  },
  patchGate: {
    ...onGate,
    ...specified,
    ...updated,
    method: "PATCH",
    path: `${path}/{id}`,
    summary: "Update some fields of a gate",
    body: gatePatch,
  },
  archiveGate: {
    ...onGate,
    ...specified,
    ...updated,
    method: "PUT",
    path: `${path}/{id}/archive`,
    summary: "Archive a gate",
    body: gateArchive,
  },
  unarchiveGate: {
    ...onGate,
    ...specified,
    ...updated,
    method: "PUT",
    path: `${path}/{id}/unarchive`,
    summary: "Bring an archived gate back",
    body: gateUnarchive,
  },
  disableGate: {
    ...onGate,
    ...specified,
    ...updated,
    method: "PUT",
    path: `${path}/{id}/disable`,
    summary: "Disable a gate",
  },
  listGateVersions: {
    ...onGate,
    ...specified,
    ...listed,
    method: "GET",
    path: `${path}/{id}/versions`,
    summary: "List the versions of a gate, newest first",
    query: pageQuery,
  },
  listGateReferences: {
    ...onGate,
    ...specified,
    message: listed.message,
    response: listEnvelope(gateReferrer),
    method: "GET",
    path: `${path}/{id}/gate_references`,
    summary: "List the entities that reference a gate",
    query: pageQuery,
  },
  enableGate: {
    ...onGate,
    ...extension,
    ...updated,
    method: "PUT",
    path: `${path}/{id}/enable`,
    summary: "Enable a gate",
  },
  launchGate: {
    ...onGate,
    ...extension,
    ...updated,
    method: "PUT",
    path: `${path}/{id}/launch`,
    summary: "Launch a gate",
  },
  listGates: {
    ...onGates,
    ...extension,
    ...listed,
    method: "GET",
    path,
    summary: "List gates, newest first",
    query: pageQuery,
    body: noBody,
    status: 200,
  },
  readGate: {
    ...onGate,
    ...extension,
    method: "GET",
    path: `${path}/{id}`,
    summary: "Read a gate",
    message: "Gate read successfully.",
    response: entityEnvelope(gate),
  },
  deleteGate: {
    ...onGate,
    ...extension,
    method: "DELETE",
    path: `${path}/{id}`,
    summary: "Delete a gate",
    message: "Gate deleted successfully.",
    response: messageEnvelope,
  },
} as const satisfies Record<string, Route>;

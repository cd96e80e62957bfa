import { z } from "zod";
import {
  activeReview,
  creatorEmail,
  holdoutIDs,
  idType,
  metricName,
  owner,
  pageQuery,
  provenance,
  releasePipelineID,
  reviewSettings,
  tags,
  targetApps,
  team,
  teamID,
  version,
} from "./common.js";
import { entityKinds } from "./entity-kind.js";
import { entityEnvelope, listEnvelope, messageEnvelope } from "./envelope.js";
import { descriptionText, flag, list, nameLike, numeric, text } from "./fields.js";
import { idParams, noBody, noParams, noQuery, type Route } from "./route.js";
import { rule, ruleRequest } from "./rule.js";

const gateStatuses = ["In Progress", "Archived", "Disabled", "Launched"] as const;
const gateTypes = ["PERMANENT", "TEMPORARY"] as const;

/** The fields that clients write, each once. */
const fields = {
  id: nameLike(/^[a-zA-Z0-9_\-.]*$/, "Name ID; made from the name when it is left out."),
  name: nameLike(/^[a-zA-Z0-9_\-. ]*$/, "Display name."),
  description: descriptionText,
  idType,
  isEnabled: flag("Whether the gate is evaluated."),
  type: z.enum(gateTypes).describe("Whether the gate is meant to stay."),
  rules: list(ruleRequest).describe("Rules, in the order in which they are tried."),
  checksPerHour: numeric("Checks within the last hour.", { integer: true, min: 0 }),
  tags,
  targetApps,
  holdoutIDs,
  team,
  teamID,
  // Alone among the kinds, a gate is never without it.
  creatorID: text("Identifier of who created it."),
  creatorEmail,
  reviewSettings,
  measureMetricLifts: flag("Whether the lift of metrics is measured."),
  monitoringMetrics: list(metricName).describe("Metrics watched while the gate rolls out."),
  releasePipelineID,
};

const writable = z.object(fields);

/** Values of the fields that a create or a full update leaves out. */
export const gateDefaults: Omit<
  z.output<typeof writable>,
  "id" | "name" | "creatorID" | "creatorEmail"
> = {
  description: "",
  idType: "userID",
  isEnabled: true,
  type: "TEMPORARY",
  rules: [],
  checksPerHour: 0,
  tags: [],
  targetApps: [],
  holdoutIDs: [],
  team: null,
  teamID: null,
  reviewSettings: { requiredReview: false, allowedReviewers: [] },
  measureMetricLifts: false,
  monitoringMetrics: [],
  releasePipelineID: null,
};

export const gateCreate = writable.exactPartial().extend({ name: fields.name });

export const gatePatch = writable
  .omit({ id: true, checksPerHour: true, holdoutIDs: true })
  .exactPartial();

export const gateReplace = gatePatch.extend({
  isEnabled: fields.isEnabled,
  description: fields.description,
  rules: fields.rules,
});

export const gate = z
  .object({
    ...fields,
    ...provenance,
    creatorID: fields.creatorID,
    rules: list(rule),
    status: z.enum(gateStatuses).describe("State of the gate."),
    typeReason: text("Why the gate has its type."),
    activeReview: activeReview.exactOptional(),
    store0100Exposures: flag("Whether exposures are stored at 0 and 100 percent."),
    owner,
    version,
    isTemplate: flag("Whether the gate is a template."),
  })
  .describe("A feature gate, as answers show it.");

/**
 * An entity that references a gate, shaped like a gate: of a gate all fields, of another entity those
 * that it shares with gates.
 */
export const gateReferrer = gate.exactPartial().extend({
  id: fields.id,
  name: fields.name,
  entityType: z.enum(entityKinds).describe("What the referencing entity is."),
});

export const gateArchive = z
  .object({
    forceArchive: flag("Archive even while other entities reference the gate."),
    archiveReason: text("Why it is archived."),
  })
  .exactPartial()
  .optional();

export const gateUnarchive = z
  .object({ unarchiveReason: text("Why it is brought back.") })
  .exactPartial()
  .optional();

export type GateCreate = z.output<typeof gateCreate>;
export type GateReplace = z.output<typeof gateReplace>;
export type GatePatch = z.output<typeof gatePatch>;
export type Gate = z.output<typeof gate>;

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

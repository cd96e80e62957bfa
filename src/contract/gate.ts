import { z } from "zod";
import {
  activeReview,
  entityEnvelope,
  entityKinds,
  identityFields,
  listEnvelope,
  metricName,
  owner,
  ownershipDefaults,
  ownershipFields,
  pageQuery,
  provenance,
  releasePipelineID,
  reviewSettings,
  reviewSettingsRequest,
  version,
} from "./common.js";
import { flag, list, numeric, text } from "./fields.js";
import { archiveFields, lifecycleRoutes } from "./lifecycle-routes.js";
import { listQuery, statusFilter, typeFilter } from "./list-query.js";
import { consoleRoutes, extension, idParams, noParams, type Route } from "./route.js";
import { rule, ruleRequest } from "./rule.js";
import { ruleRoutes } from "./rule-routes.js";

const gateStatuses = ["In Progress", "Archived", "Disabled", "Launched"] as const;
const gateTypes = ["PERMANENT", "TEMPORARY"] as const;

/** The fields that clients write. */
const fields = {
  ...identityFields,
  isEnabled: flag("True if the gate is evaluated."),
  type: z.enum(gateTypes).describe("Permanent or temporary."),
  rules: list(ruleRequest).describe("Rules, in order of evaluation."),
  checksPerHour: numeric("Checks within the last hour.", { integer: true, min: 0 }),
  ...ownershipFields,
  // Never null for a gate, unlike other entities.
  creatorID: text("Identifier of the creator."),
  reviewSettings: reviewSettingsRequest,
  measureMetricLifts: flag("True if the lift of metrics is measured."),
  monitoringMetrics: list(metricName).describe("Metrics watched while the gate rolls out."),
  releasePipelineID,
  isTemplate: flag("True if the gate is a template."),
};

const writable = z.object(fields);

/** Defaults of the optional fields of a create and a full update. */
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
  ...ownershipDefaults,
  reviewSettings: { requiredReview: false, allowedReviewers: [] },
  measureMetricLifts: false,
  monitoringMetrics: [],
  releasePipelineID: null,
  isTemplate: false,
};

const gateCreate = writable.exactPartial().extend({ name: fields.name });

const gatePatch = writable
  .omit({ id: true, checksPerHour: true, holdoutIDs: true, isTemplate: true })
  .exactPartial();

const gateReplace = gatePatch.extend({
  isEnabled: fields.isEnabled,
  description: fields.description,
  rules: fields.rules,
});

export const gate = z
  .object({
    ...fields,
    ...provenance,
    creatorID: fields.creatorID,
    reviewSettings,
    rules: list(rule),
    status: z.enum(gateStatuses).describe("State of the gate."),
    typeReason: text("Reason for the type."),
    activeReview: activeReview.exactOptional(),
    store0100Exposures: flag("True if exposures are stored at 0 and 100 percent."),
    owner,
    version,
    ...archiveFields,
  })
  .describe("A feature gate in an answer.");

/**
 * An entity that references a gate: all fields of a gate, or the fields that another entity shares
 * with gates.
 */
const gateReferrer = gate.exactPartial().extend({
  id: fields.id,
  name: fields.name,
  entityType: z.enum(entityKinds).describe("Kind of the referencing entity."),
});

export type GateCreate = z.output<typeof gateCreate>;
export type GateReplace = z.output<typeof gateReplace>;
export type GatePatch = z.output<typeof gatePatch>;
export type Gate = z.output<typeof gate>;

const path = "/console/v1/gates";
const onGates = consoleRoutes("Gates", path, noParams);
const onGate = consoleRoutes("Gates", `${path}/{id}`, idParams);
const updated = { message: "Gate updated successfully.", response: entityEnvelope(gate) };
const life = lifecycleRoutes({
  name: "Gate",
  title: "Gate",
  noun: "a gate",
  onMany: onGates,
  onOne: onGate,
  updated: updated.message,
  entity: gate,
  query: listQuery
    .omit({ layerID: true })
    .extend({ type: typeFilter(gateTypes), status: statusFilter(gateStatuses) }),
  specified: ["archive", "unarchive", "versions"],
});

/** Feature gates. */
export const gateRoutes = {
  createGate: onGates("POST", "", "Create a gate", {
    body: gateCreate,
    status: 201,
    message: "Gate created successfully.",
    response: entityEnvelope(gate),
  }),
  replaceGate: onGate("POST", "", "Update a gate fully", { ...updated, body: gateReplace }),
  patchGate: onGate("PATCH", "", "Update some fields of a gate", { ...updated, body: gatePatch }),
  ...life,
  ...ruleRoutes({
    name: "Gate",
    title: "Gate",
    noun: "a gate",
    group: "Gates",
    path,
    entity: gate,
    faultsOf: () => [],
  }),
  disableGate: onGate("PUT", "/disable", "Disable a gate", updated),
  listGateReferences: onGate("GET", "/gate_references", "List the entities that reference a gate", {
    message: "Gates listed successfully.",
    query: pageQuery,
    response: listEnvelope(gateReferrer),
  }),
  enableGate: onGate("PUT", "/enable", "Enable a gate", { ...updated, ...extension }),
  launchGate: onGate("PUT", "/launch", "Launch a gate", { ...updated, ...extension }),
} satisfies Record<string, Route>;

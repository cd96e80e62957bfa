import type { AnyObject } from "../contract/fields.js";
import {
  type Gate,
  type GateCreate,
  type GatePatch,
  type GateReplace,
  gate,
  gateDefaults,
  type gateRoutes,
} from "../contract/gate.js";
import { gateWarnings } from "../evaluation/entity-warnings.js";
import { ruleReferences } from "../evaluation/references.js";
import type { Handlers } from "../http/handler.js";
import type { EntityRecord } from "../storage/store.js";
import type { EntityOperations } from "./entity-operations.js";
import type { EntityType, Stamp } from "./entity-type.js";
import { lifecycleHandlers } from "./lifecycle-handlers.js";
import { identifierOf, identityFirst, type NewIdentifier, newProvenance } from "./new-entity.js";
import { ruleHandlers } from "./rule-handlers.js";
import { identifyRules, plainIdentifiers } from "./rules.js";

export const gateType: EntityType<Gate> = {
  kind: "gate",
  title: "Gate",
  idOf: ({ id }) => id,
  referencesOf: ({ rules }) => ruleReferences(rules),
  warningsOf: gateWarnings,
  parts: ["gate_override"],
};

const lifecycle = {
  archive: archiveGate,
  unarchive: unarchiveGate,
  kept: (current: Gate, { isEnabled }: Gate) => ({
    status: current.status === "Archived" ? current.status : statusAfter(current, isEnabled),
  }),
};

export function gateHandlers(
  operations: EntityOperations,
  newIdentifier: NewIdentifier,
): Handlers<typeof gateRoutes> {
  return {
    createGate: (call) =>
      operations.create(gateType, call, (stamp) => createGate(call.body, stamp, newIdentifier)),
    replaceGate: (call) =>
      operations.change(gateType, call.params.id, call, (current) =>
        replaceGate(current, call.body, newIdentifier),
      ),
    patchGate: (call) =>
      operations.change(gateType, call.params.id, call, (current) =>
        patchGate(current, call.body, newIdentifier),
      ),
    ...lifecycleHandlers("Gate", operations, gateType, lifecycle),
    ...ruleHandlers("Gate", operations, gateType, {
      withRules: (current, rules) => patchGate(current, { rules }, newIdentifier),
    }),
    disableGate: (call) => operations.change(gateType, call.params.id, call, disableGate),
    enableGate: (call) => operations.change(gateType, call.params.id, call, enableGate),
    launchGate: (call) => operations.change(gateType, call.params.id, call, launchGate),
    listGateReferences: (call) =>
      operations.referrers(gateType, call.params.id, call, referrerRecord),
  };
}

/** Returns a new gate at version 1. */
export function createGate(body: GateCreate, stamp: Stamp, newIdentifier: NewIdentifier): Gate {
  const { rules = [], isEnabled = gateDefaults.isEnabled } = body;
  return {
    ...identityFirst,
    ...structuredClone(gateDefaults),
    ...newProvenance(stamp),
    ...body,
    id: body.id ?? identifierOf(body.name),
    isEnabled,
    status: isEnabled ? "In Progress" : "Disabled",
    rules: identifyRules(rules, [], plainIdentifiers, newIdentifier),
    typeReason: "NONE",
    store0100Exposures: false,
  };
}

/** Makes a full update: omitted fields get their defaults, except name, ID type and creator. */
export function replaceGate(current: Gate, body: GateReplace, newIdentifier: NewIdentifier): Gate {
  const {
    idType: _,
    checksPerHour: __,
    holdoutIDs: ___,
    isTemplate: ____,
    ...defaults
  } = gateDefaults;
  return patchGate(current, { ...structuredClone(defaults), ...body }, newIdentifier);
}

/** Makes a partial update: only given fields change. */
export function patchGate(current: Gate, body: GatePatch, newIdentifier: NewIdentifier): Gate {
  const { rules, ...others } = body;
  return {
    ...current,
    ...others,
    ...(rules && {
      rules: identifyRules(rules, current.rules, plainIdentifiers, newIdentifier),
    }),
    ...(body.isEnabled === undefined ? {} : { status: statusAfter(current, body.isEnabled) }),
  };
}

function statusAfter({ status }: Gate, isEnabled: boolean): Gate["status"] {
  if (!isEnabled) return "Disabled";
  return status === "Launched" ? "Launched" : "In Progress";
}

/** Disables a gate; its status stays. */
export function disableGate(current: Gate): Gate {
  return { ...current, isEnabled: false };
}

export function enableGate(current: Gate): Gate {
  return { ...current, isEnabled: true, status: "In Progress" };
}

export function launchGate(current: Gate): Gate {
  return { ...current, status: "Launched" };
}

export function archiveGate(current: Gate): Gate {
  return { ...current, status: "Archived" };
}

/** Unarchives a gate. A gate that is not archived keeps its status, so the call can be repeated. */
export function unarchiveGate(current: Gate): Gate {
  return current.status === "Archived" ? { ...current, status: "In Progress" } : current;
}

/** Fields that mean something else in other kinds of entities. */
const gateOnly: ReadonlySet<string> = new Set(["status", "type", "typeReason"]);

/** Returns an entity that references a gate, with the fields of a gate. */
function referrerRecord({ kind, body }: EntityRecord): AnyObject {
  const shared = Object.entries(body).filter(
    ([field]) => field in gate.shape && (kind === "gate" || !gateOnly.has(field)),
  );
  return { ...Object.fromEntries(shared), entityType: kind };
}

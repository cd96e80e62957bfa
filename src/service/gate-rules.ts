import {
  type Gate,
  type GateCreate,
  type GatePatch,
  type GateReplace,
  gateDefaults,
} from "../contract/gate.js";
import type { Stamp } from "./entity-operations.js";
import { identifierOf, type NewIdentifier } from "./identifiers.js";
import { identityFirst, newProvenance } from "./provenance.js";
import { identifyRules, plainRuleIdentifier } from "./rule-identifiers.js";

/** A gate at version 1. */
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
    rules: identifyRules(rules, plainRuleIdentifier, newIdentifier),
    typeReason: "NONE",
    store0100Exposures: false,
    isTemplate: false,
  };
}

/** Full update: what is left out returns to its default, except the name, the ID type and who made it. */
export function replaceGate(current: Gate, body: GateReplace, newIdentifier: NewIdentifier): Gate {
  const { idType: _, checksPerHour: __, holdoutIDs: ___, ...defaults } = gateDefaults;
  return patchGate(current, { ...structuredClone(defaults), ...body }, newIdentifier);
}

/** Partial update: only what is given changes. */
export function patchGate(current: Gate, body: GatePatch, newIdentifier: NewIdentifier): Gate {
  const { rules, ...others } = body;
  return {
    ...current,
    ...others,
    ...(rules === undefined
      ? {}
      : { rules: identifyRules(rules, plainRuleIdentifier, newIdentifier) }),
    ...(body.isEnabled === undefined ? {} : { status: statusAfter(current, body.isEnabled) }),
  };
}

function statusAfter({ status }: Gate, isEnabled: boolean): Gate["status"] {
  if (!isEnabled) return "Disabled";
  return status === "Launched" ? "Launched" : "In Progress";
}

/** Leaves the status as it is. */
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

/** A gate that is not archived keeps its status, so that a repeated call does no harm. */
export function unarchiveGate(current: Gate): Gate {
  return current.status === "Archived" ? { ...current, status: "In Progress" } : current;
}

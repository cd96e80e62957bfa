import type { Gate } from "../contract/gate.js";
import type { gateRoutes } from "../contract/gate-routes.js";
import type { EntityOperations, EntityType } from "./entity-operations.js";
import {
  archiveGate,
  createGate,
  disableGate,
  enableGate,
  launchGate,
  patchGate,
  replaceGate,
  unarchiveGate,
} from "./gate-rules.js";
import type { Handlers } from "./handler.js";
import type { NewIdentifier } from "./identifiers.js";
import { referrerRecord } from "./referrer-record.js";
import { ruleReferences } from "./rule-references.js";

const gateType: EntityType<Gate> = {
  kind: "gate",
  title: "Gate",
  idOf: ({ id }) => id,
  referencesOf: ({ rules }) => ruleReferences(rules),
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
    archiveGate: (call) =>
      operations.change(gateType, call.params.id, call, archiveGate, {
        unreferenced: call.body?.forceArchive !== true,
      }),
    unarchiveGate: (call) => operations.change(gateType, call.params.id, call, unarchiveGate),
    disableGate: (call) => operations.change(gateType, call.params.id, call, disableGate),
    enableGate: (call) => operations.change(gateType, call.params.id, call, enableGate),
    launchGate: (call) => operations.change(gateType, call.params.id, call, launchGate),
    listGateVersions: (call) => operations.versions(gateType, call.params.id, call),
    listGateReferences: (call) =>
      operations.referrers(gateType, call.params.id, call, referrerRecord),
    listGates: (call) => operations.list(gateType, call),
    readGate: (call) => operations.read(gateType, call.params.id),
    deleteGate: (call) => operations.remove(gateType, call.params.id, call),
  };
}

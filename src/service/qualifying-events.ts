import { bodyFaultsOf } from "../contract/faults.js";
import {
  type QualifyingEvent,
  type QualifyingEventCreate,
  type QualifyingEventPatch,
  type QualifyingEventReplace,
  qualifyingEventDefaults,
  type qualifyingEventRoutes,
  tableFaults,
} from "../contract/qualifying-event.js";
import type { Handlers } from "../http/handler.js";
import { refuseFaults, requireSameName } from "../http/service-error.js";
import type { EntityOperations } from "./entity-operations.js";
import type { EntityType, Stamp } from "./entity-type.js";
import { lifecycleHandlers } from "./lifecycle-handlers.js";
import { newProvenance } from "./new-entity.js";

export const qualifyingEventType: EntityType<QualifyingEvent> = {
  kind: "qualifying_event",
  title: "Qualifying event",
  idOf: ({ name }) => name,
  referencesOf: () => [],
};

export function qualifyingEventHandlers(
  operations: EntityOperations,
): Handlers<typeof qualifyingEventRoutes> {
  return {
    upsertQualifyingEvent: (call) => {
      const { name } = call.params;
      return operations.upsert(qualifyingEventType, name, call, {
        create: (stamp) => createNamed(name, call.body, stamp),
        change: (current) => replaceQualifyingEvent(current, call.body),
      });
    },
    createQualifyingEvent: (call) =>
      operations.create(qualifyingEventType, call, (stamp) =>
        createQualifyingEvent(call.body, stamp),
      ),
    patchQualifyingEvent: (call) =>
      operations.change(qualifyingEventType, call.params.name, call, (current) =>
        patchQualifyingEvent(current, call.body),
      ),
    ...lifecycleHandlers("QualifyingEvent", operations, qualifyingEventType),
  };
}

/** Returns a new qualifying event at version 1. */
export function createQualifyingEvent(
  { dryRun: _, ...body }: QualifyingEventCreate,
  stamp: Stamp,
): QualifyingEvent {
  // The name comes first in answers.
  const { name, ...others } = body;
  return {
    name,
    ...structuredClone(qualifyingEventDefaults),
    ...newProvenance(stamp),
    ...others,
    isArchived: false,
  };
}

/**
 * Makes a full update: omitted fields get their defaults, except owner and creator. Throws a 400 if the
 * body has another name: ignoring it would look like a successful rename.
 */
export function replaceQualifyingEvent(
  current: QualifyingEvent,
  { dryRun: _, ...body }: QualifyingEventReplace,
): QualifyingEvent {
  requireSameName(current.name, body.name);
  const { datePartitionColumn: __, ...kept } = current;
  return { ...kept, ...structuredClone(qualifyingEventDefaults), ...body, name: current.name };
}

/** Makes a partial update: only given fields change. Throws a 400 for another name or no table. */
function patchQualifyingEvent(
  current: QualifyingEvent,
  { dryRun: _, ...body }: QualifyingEventPatch,
): QualifyingEvent {
  requireSameName(current.name, body.name);
  const next = { ...current, ...body };
  refuseFaults(bodyFaultsOf(tableFaults(next)));
  return next;
}

/** Creates the qualifying event that an update names and that does not exist yet. */
export function createNamed(
  name: string,
  body: QualifyingEventReplace,
  stamp: Stamp,
): QualifyingEvent {
  requireSameName(name, body.name);
  return createQualifyingEvent({ ...body, name }, stamp);
}

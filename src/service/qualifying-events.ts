import {
  type QualifyingEvent,
  type QualifyingEventCreate,
  type QualifyingEventReplace,
  qualifyingEventDefaults,
  type qualifyingEventRoutes,
} from "../contract/qualifying-event.js";
import type { EntityOperations, EntityType, OperationOptions, Stamp } from "./entity-operations.js";
import type { Handlers } from "./handler.js";
import { newProvenance } from "./new-entity.js";
import { invalid } from "./service-error.js";

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
      return operations.upsert(
        qualifyingEventType,
        name,
        call,
        {
          create: (stamp) => createNamed(name, call.body, stamp),
          change: (current) => replaceQualifyingEvent(current, call.body),
        },
        dryRunOf(call.body),
      );
    },
    createQualifyingEvent: (call) =>
      operations.create(
        qualifyingEventType,
        call,
        (stamp) => createQualifyingEvent(call.body, stamp),
        dryRunOf(call.body),
      ),
    listQualifyingEvents: (call) => operations.list(qualifyingEventType, call),
    readQualifyingEvent: (call) => operations.read(qualifyingEventType, call.params.name),
    deleteQualifyingEvent: (call) => operations.remove(qualifyingEventType, call.params.name, call),
  };
}

function dryRunOf({
  dryRun = false,
}: {
  readonly dryRun?: boolean;
}): OperationOptions<QualifyingEvent> {
  return { dryRun };
}

/** Returns a new qualifying event at version 1. */
export function createQualifyingEvent(
  { dryRun: _, ...body }: QualifyingEventCreate,
  stamp: Stamp,
): QualifyingEvent {
  // The name comes first in answers.
  const { name, ...others } = body;
  return { name, ...structuredClone(qualifyingEventDefaults), ...newProvenance(stamp), ...others };
}

/**
 * Makes a full update: fields that are left out return to their defaults, except owner and creator.
 * Throws a 400 if the body has another name: ignoring it would look like a rename that worked.
 */
export function replaceQualifyingEvent(
  current: QualifyingEvent,
  { dryRun: _, ...body }: QualifyingEventReplace,
): QualifyingEvent {
  requireSameName(current.name, body.name);
  const { datePartitionColumn: __, ...kept } = current;
  return { ...kept, ...structuredClone(qualifyingEventDefaults), ...body, name: current.name };
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

function requireSameName(name: string, given: string | undefined): void {
  if (given === undefined || given === name) return;
  throw invalid([
    {
      property: "name",
      errorMessage: "Cannot be changed: leave it out, or send the name in the path",
    },
  ]);
}

import type { QualifyingEvent } from "../contract/qualifying-event.js";
import type { qualifyingEventRoutes } from "../contract/qualifying-event-routes.js";
import type { EntityOperations, EntityType, OperationOptions } from "./entity-operations.js";
import type { Handlers } from "./handler.js";
import {
  createNamed,
  createQualifyingEvent,
  replaceQualifyingEvent,
} from "./qualifying-event-rules.js";

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

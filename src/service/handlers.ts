import type { routes } from "../contract/routes.js";
import type { Store } from "../storage/store.js";
import { dynamicConfigHandlers } from "./dynamic-config-handlers.js";
import { EntityOperations } from "./entity-operations.js";
import { eventHandlers } from "./event-handlers.js";
import { experimentHandlers } from "./experiment-handlers.js";
import { gateHandlers } from "./gate-handlers.js";
import type { Handlers } from "./handler.js";
import type { NewIdentifier } from "./identifiers.js";
import { promptHandlers } from "./prompt-handlers.js";
import { qualifyingEventHandlers } from "./qualifying-event-handlers.js";
import type { SchemaChecker } from "./schema-checker.js";
import { segmentHandlers } from "./segment-handlers.js";

export interface HandlerFacts {
  readonly store: Store;
  /** ms since the epoch. */
  readonly now: () => number;
  readonly newIdentifier: NewIdentifier;
  readonly schemaChecker: SchemaChecker;
}

/** The handler of every route. */
export function createHandlers({
  store,
  now,
  newIdentifier,
  schemaChecker,
}: HandlerFacts): Handlers<typeof routes> {
  const operations = new EntityOperations(store.entities, now);
  return {
    ...gateHandlers(operations, newIdentifier),
    ...dynamicConfigHandlers(operations, newIdentifier, schemaChecker),
    ...experimentHandlers(operations, newIdentifier),
    ...qualifyingEventHandlers(operations),
    ...segmentHandlers(operations, newIdentifier),
    ...promptHandlers(operations),
    ...eventHandlers(store.events, now),
  };
}

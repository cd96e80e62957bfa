import type { routes } from "../contract/routes.js";
import type { Store } from "../storage/store.js";
import { dynamicConfigHandlers } from "./dynamic-configs.js";
import { EntityOperations } from "./entity-operations.js";
import type { WarningKind } from "./event-warnings.js";
import { eventHandlers } from "./events.js";
import { experimentHandlers } from "./experiments.js";
import { gateHandlers } from "./gates.js";
import type { Handlers } from "./handler.js";
import type { NewIdentifier } from "./new-entity.js";
import { promptHandlers } from "./prompts.js";
import { qualifyingEventHandlers } from "./qualifying-events.js";
import type { SchemaChecker } from "./schema-checker.js";
import { segmentHandlers } from "./segments.js";

interface HandlerFacts {
  readonly store: Store;
  /** ms since the epoch. */
  readonly now: () => number;
  readonly newIdentifier: NewIdentifier;
  readonly schemaChecker: SchemaChecker;
  /** Called with the number of stored events that look wrong. */
  readonly onEventWarning: (kind: WarningKind, events: number) => void;
}

/** Returns the handler of every route. */
export function createHandlers({
  store,
  now,
  newIdentifier,
  schemaChecker,
  onEventWarning,
}: HandlerFacts): Handlers<typeof routes> {
  const operations = new EntityOperations(store.entities, now);
  return {
    ...gateHandlers(operations, newIdentifier),
    ...dynamicConfigHandlers(operations, newIdentifier, schemaChecker),
    ...experimentHandlers(operations, newIdentifier),
    ...qualifyingEventHandlers(operations),
    ...segmentHandlers(operations, newIdentifier),
    ...promptHandlers(operations),
    ...eventHandlers(store.events, now, onEventWarning),
  };
}

import {
  defaultEnvironments,
  ENVIRONMENTS_ID,
  type Environment,
  type EnvironmentRequest,
  type Environments,
  type environmentRoutes,
} from "../contract/environments.js";
import { environmentsWarnings } from "../evaluation/entity-warnings.js";
import type { Handlers } from "../http/handler.js";
import type { EntityOperations } from "./entity-operations.js";
import type { DocumentType, EntityBody } from "./entity-type.js";
import type { NewIdentifier } from "./new-entity.js";

type EnvironmentsBody = EntityBody & Environments;

const environmentsType: DocumentType<EnvironmentsBody> = {
  kind: "environments",
  title: "Environments",
  idOf: ({ id }) => id,
  referencesOf: () => [],
  warningsOf: environmentsWarnings,
  initial: { environments: [...defaultEnvironments] },
};

export function environmentHandlers(
  operations: EntityOperations,
  newIdentifier: NewIdentifier,
): Handlers<typeof environmentRoutes> {
  return {
    readEnvironments: () => operations.readDocument(environmentsType, ENVIRONMENTS_ID),
    replaceEnvironments: (call) =>
      operations.changeDocument(environmentsType, ENVIRONMENTS_ID, call, (current) => ({
        ...current,
        environments: identified(call.body.environments, current.environments, newIdentifier),
      })),
  };
}

/** Returns environments with all fields. One without an id keeps that of the existing one of its name. */
function identified(
  given: readonly EnvironmentRequest[],
  existing: readonly Environment[],
  newIdentifier: NewIdentifier,
): Environment[] {
  const taken = new Set(given.map(({ id }) => id));
  const known = new Map(existing.map(({ name, id }) => [name, id]));
  return given.map((environment) => {
    const before = known.get(environment.name);
    const id = before === undefined || taken.has(before) ? newIdentifier() : before;
    return { id, requiresReview: false, requiresReleasePipeline: false, ...environment };
  });
}

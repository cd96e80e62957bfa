import { type Holdout, holdoutDefaults, type holdoutRoutes } from "../contract/holdout.js";
import { holdoutWarnings } from "../evaluation/entity-warnings.js";
import { ruleReferences } from "../evaluation/references.js";
import type { Handlers } from "../http/handler.js";
import type { EntityOperations } from "./entity-operations.js";
import type { EntityType } from "./entity-type.js";
import { lifecycleHandlers } from "./lifecycle-handlers.js";
import { plainHandlers } from "./plain-handlers.js";

const holdoutType: EntityType<Holdout> = {
  kind: "holdout",
  title: "Holdout",
  idOf: ({ id }) => id,
  referencesOf: ({ targetingGateID }) =>
    ruleReferences([{ conditions: [{ type: "passes_gate", targetValue: targetingGateID }] }]),
  warningsOf: holdoutWarnings,
};

export function holdoutHandlers(operations: EntityOperations): Handlers<typeof holdoutRoutes> {
  return {
    ...plainHandlers("Holdout", operations, holdoutType, {
      defaults: { ...holdoutDefaults, isArchived: false },
      lasting: ["idType", "isArchived"],
    }),
    ...lifecycleHandlers("Holdout", operations, holdoutType),
  };
}

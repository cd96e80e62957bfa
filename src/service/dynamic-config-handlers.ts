import type { DynamicConfig } from "../contract/dynamic-config.js";
import type { dynamicConfigRoutes } from "../contract/dynamic-config-routes.js";
import {
  createDynamicConfig,
  patchDynamicConfig,
  replaceDynamicConfig,
} from "./dynamic-config-rules.js";
import type { EntityOperations, EntityType } from "./entity-operations.js";
import type { Handlers } from "./handler.js";
import type { NewIdentifier } from "./identifiers.js";
import { ruleReferences } from "./rule-references.js";
import type { SchemaChecker } from "./schema-checker.js";
import { requireFit } from "./schema-fit.js";

const dynamicConfigType: EntityType<DynamicConfig> = {
  kind: "dynamic_config",
  title: "Dynamic Config",
  idOf: ({ id }) => id,
  referencesOf: ({ rules }) => ruleReferences(rules),
};

export function dynamicConfigHandlers(
  operations: EntityOperations,
  newIdentifier: NewIdentifier,
  schemaChecker: SchemaChecker,
): Handlers<typeof dynamicConfigRoutes> {
  const type = dynamicConfigType;
  return {
    createDynamicConfig: (call) =>
      operations.create(
        type,
        call,
        async (stamp) => {
          const config = createDynamicConfig(call.body, stamp, newIdentifier);
          await requireFit(schemaChecker, config);
          return config;
        },
        call.query,
      ),
    replaceDynamicConfig: (call) =>
      operations.change(
        type,
        call.params.id,
        call,
        async (current) => {
          const config = replaceDynamicConfig(current, call.body, newIdentifier);
          await requireFit(schemaChecker, config, current);
          return config;
        },
        call.query,
      ),
    patchDynamicConfig: (call) =>
      operations.change(
        type,
        call.params.id,
        call,
        async (current) => {
          const config = patchDynamicConfig(current, call.body, newIdentifier);
          await requireFit(schemaChecker, config, current);
          return config;
        },
        call.query,
      ),
    listDynamicConfigs: (call) => operations.list(type, call),
    readDynamicConfig: (call) => operations.read(type, call.params.id),
    deleteDynamicConfig: (call) => operations.remove(type, call.params.id, call),
  };
}

import { omitUndefined } from "../base/omit-undefined.js";
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
  const optionsOf = ({ dryRun }: { readonly dryRun?: boolean }) => ({
    ...omitUndefined({ dryRun }),
    check: (next: DynamicConfig, current?: DynamicConfig) =>
      requireFit(schemaChecker, next, current),
  });
  return {
    createDynamicConfig: (call) =>
      operations.create(
        dynamicConfigType,
        call,
        (stamp) => createDynamicConfig(call.body, stamp, newIdentifier),
        optionsOf(call.query),
      ),
    replaceDynamicConfig: (call) =>
      operations.change(
        dynamicConfigType,
        call.params.id,
        call,
        (current) => replaceDynamicConfig(current, call.body, newIdentifier),
        optionsOf(call.query),
      ),
    patchDynamicConfig: (call) =>
      operations.change(
        dynamicConfigType,
        call.params.id,
        call,
        (current) => patchDynamicConfig(current, call.body, newIdentifier),
        optionsOf(call.query),
      ),
    listDynamicConfigs: (call) => operations.list(dynamicConfigType, call),
    readDynamicConfig: (call) => operations.read(dynamicConfigType, call.params.id),
    deleteDynamicConfig: (call) => operations.remove(dynamicConfigType, call.params.id, call),
  };
}

import { z } from "zod";
import {
  entityEnvelope,
  identityFields,
  listEnvelope,
  owner,
  ownershipDefaults,
  ownershipFields,
  pageQuery,
  provenance,
  releasePipelineID,
  version,
} from "./common.js";
import { flag, jsonObject, list, type RuleFault, text, withRule } from "./fields.js";
import { Json5Reader } from "./json-text.js";
import { textPairFaults, valuePairFaults } from "./json5-pair.js";
import { archivable, lifecycleRoutes } from "./lifecycle-routes.js";
import { listQuery } from "./list-query.js";
import { consoleRoutes, extension, idParams, noParams, type Route } from "./route.js";
import { rule, ruleRequest } from "./rule.js";
import { ruleRoutes } from "./rule-routes.js";

/** The fields that clients write. */
const fields = {
  ...identityFields,
  isEnabled: flag("True if the rules are evaluated."),
  rules: list(ruleRequest).describe("Rules, in order of evaluation."),
  defaultValue: jsonObject("Value if no rule applies."),
  defaultValueJson5: text("`defaultValue` as JSON5 text. Both must have the same value."),
  schema: text("JSON Schema (2020-12) for the values of the rules, as JSON text.").nullable(),
  schemaJson5: text("`schema` as JSON5 text. Both must have the same value.").nullable(),
  ...ownershipFields,
  releasePipelineID,
  isTemplate: flag("True if the dynamic config is a template."),
};

const writable = z.object(fields);

/** Defaults of the optional fields of a create and a full update. */
export const dynamicConfigDefaults: Omit<
  z.output<typeof writable>,
  "id" | "name" | "creatorID" | "creatorEmail"
> = {
  description: "",
  idType: "userID",
  isEnabled: true,
  rules: [],
  defaultValue: {},
  defaultValueJson5: "{}",
  schema: null,
  schemaJson5: null,
  ...ownershipDefaults,
  releasePipelineID: null,
  isTemplate: false,
};

const updatable = writable.omit({ id: true, isTemplate: true }).exactPartial();

const dynamicConfigCreate = withRule(
  writable.exactPartial().extend({ name: fields.name }),
  pairFaults,
);

const dynamicConfigReplace = withRule(
  updatable.extend({
    isEnabled: fields.isEnabled,
    description: fields.description,
    rules: fields.rules,
  }),
  pairFaults,
);

const dynamicConfigPatch = withRule(updatable, pairFaults);

const dynamicConfig = z
  .object({
    ...fields,
    ...provenance,
    rules: list(rule),
    owner,
    version,
    ...archivable,
  })
  .describe("A dynamic config in an answer.");

/** Returns the faults of all JSON5 pairs in a body. */
function pairFaults(body: unknown): readonly RuleFault[] {
  const reader = new Json5Reader();
  const ofRules = membersOf(body, "rules").flatMap((rule, index) =>
    below(["rules", index], rulePairFaults(rule, reader)),
  );
  return [
    ...valuePairFaults(body, "defaultValue", reader),
    ...textPairFaults(body, "schema", reader),
    ...ofRules,
  ];
}

/** Returns the faults of the JSON5 pairs of a rule. */
function rulePairFaults(rule: unknown, reader = new Json5Reader()): readonly RuleFault[] {
  return [
    ...valuePairFaults(rule, "returnValue", reader),
    ...membersOf(rule, "variants").flatMap((variant, index) =>
      below(["variants", index], valuePairFaults(variant, "returnValue", reader)),
    ),
  ];
}

function below(parent: RuleFault["path"], faults: readonly RuleFault[]): RuleFault[] {
  return faults.map(({ path, message }) => ({ path: [...parent, ...path], message }));
}

function membersOf(holder: unknown, name: string): readonly unknown[] {
  const list = (holder as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  return Array.isArray(list) ? list : [];
}

export type DynamicConfigCreate = z.output<typeof dynamicConfigCreate>;
export type DynamicConfigReplace = z.output<typeof dynamicConfigReplace>;
export type DynamicConfigPatch = z.output<typeof dynamicConfigPatch>;
export type DynamicConfig = z.output<typeof dynamicConfig>;

const path = "/console/v1/dynamic_configs";
const onConfigs = consoleRoutes("Dynamic configs", path, noParams);
const onConfig = consoleRoutes("Dynamic configs", `${path}/{id}`, idParams);
const updated = {
  message: "Dynamic config updated successfully.",
  response: entityEnvelope(dynamicConfig),
};

/** Dynamic configs. */
export const dynamicConfigRoutes = {
  createDynamicConfig: onConfigs("POST", "", "Create a dynamic config", {
    body: dynamicConfigCreate,
    status: 201,
    message: "Dynamic Config created successfully.",
    response: entityEnvelope(dynamicConfig),
  }),
  replaceDynamicConfig: onConfig("POST", "", "Update a dynamic config fully", {
    ...updated,
    body: dynamicConfigReplace,
  }),
  patchDynamicConfig: onConfig("PATCH", "", "Update some fields of a dynamic config", {
    ...updated,
    body: dynamicConfigPatch,
  }),
  listDynamicConfigReferences: consoleRoutes("Gates", "/console/v1/gates/{id}", idParams)(
    "GET",
    "/dynamic_config_references",
    "List the dynamic configs that reference a gate",
    {
      ...extension,
      message: "Dynamic Configs listed successfully.",
      query: pageQuery,
      response: listEnvelope(dynamicConfig),
    },
  ),
  enableDynamicConfig: onConfig("PUT", "/enable", "Enable a dynamic config", {
    ...updated,
    ...extension,
  }),
  disableDynamicConfig: onConfig("PUT", "/disable", "Disable a dynamic config", {
    ...updated,
    ...extension,
  }),
  ...ruleRoutes({
    name: "DynamicConfig",
    title: "Dynamic Config",
    noun: "a dynamic config",
    group: "Dynamic configs",
    path,
    entity: dynamicConfig,
    faultsOf: (rule) => rulePairFaults(rule),
  }),
  ...lifecycleRoutes({
    name: "DynamicConfig",
    title: "Dynamic Config",
    noun: "a dynamic config",
    onMany: onConfigs,
    onOne: onConfig,
    updated: updated.message,
    entity: dynamicConfig,
    query: listQuery.omit({ type: true, layerID: true }),
  }),
} satisfies Record<string, Route>;

import {
  type DynamicConfig,
  type DynamicConfigCreate,
  type DynamicConfigPatch,
  type DynamicConfigReplace,
  dynamicConfigDefaults,
  type dynamicConfigRoutes,
} from "../contract/dynamic-config.js";
import type { AnyObject } from "../contract/fields.js";
import { Json5Reader } from "../contract/json-text.js";
import { completeText, completeValue } from "../contract/json5-pair.js";
import type { RuleRequest } from "../contract/rule.js";
import { configWarnings } from "../evaluation/entity-warnings.js";
import { ruleReferences } from "../evaluation/references.js";
import type { Handlers } from "../http/handler.js";
import type { EntityOperations } from "./entity-operations.js";
import type { EntityType, Stamp } from "./entity-type.js";
import { gateType } from "./gates.js";
import { lifecycleHandlers } from "./lifecycle-handlers.js";
import { identifierOf, identityFirst, type NewIdentifier, newProvenance } from "./new-entity.js";
import { ruleHandlers } from "./rule-handlers.js";
import { identifyRules, valueIdentifiers } from "./rules.js";
import type { SchemaChecker } from "./schema-checker.js";
import { requireFit } from "./schema-fit.js";

export const dynamicConfigType: EntityType<DynamicConfig> = {
  kind: "dynamic_config",
  title: "Dynamic Config",
  idOf: ({ id }) => id,
  referencesOf: ({ rules }) => ruleReferences(rules),
  warningsOf: configWarnings,
};

export function dynamicConfigHandlers(
  operations: EntityOperations,
  newIdentifier: NewIdentifier,
  schemaChecker: SchemaChecker,
): Handlers<typeof dynamicConfigRoutes> {
  const optionsOf = ({ body }: { readonly body?: DynamicConfigPatch } = {}) => ({
    check: (next: DynamicConfig, current?: DynamicConfig) =>
      requireFit(schemaChecker, next, current, givesJson5Schema(body) ? "schemaJson5" : "schema"),
  });
  return {
    createDynamicConfig: (call) =>
      operations.create(
        dynamicConfigType,
        call,
        (stamp) => createDynamicConfig(call.body, stamp, newIdentifier),
        optionsOf(call),
      ),
    replaceDynamicConfig: (call) =>
      operations.change(
        dynamicConfigType,
        call.params.id,
        call,
        (current) => replaceDynamicConfig(current, call.body, newIdentifier),
        optionsOf(call),
      ),
    patchDynamicConfig: (call) =>
      operations.change(
        dynamicConfigType,
        call.params.id,
        call,
        (current) => patchDynamicConfig(current, call.body, newIdentifier),
        optionsOf(call),
      ),
    listDynamicConfigReferences: (call) =>
      operations.referrers(gateType, call.params.id, call, ({ body }) => body, "dynamic_config"),
    enableDynamicConfig: (call) =>
      operations.change(dynamicConfigType, call.params.id, call, (current) => ({
        ...current,
        isEnabled: true,
      })),
    disableDynamicConfig: (call) =>
      operations.change(dynamicConfigType, call.params.id, call, (current) => ({
        ...current,
        isEnabled: false,
      })),
    ...ruleHandlers("DynamicConfig", operations, dynamicConfigType, {
      withRules: (current, rules) => patchDynamicConfig(current, { rules }, newIdentifier),
      ...optionsOf(),
    }),
    ...lifecycleHandlers("DynamicConfig", operations, dynamicConfigType, optionsOf()),
  };
}

function givesJson5Schema(body: DynamicConfigPatch = {}): boolean {
  return body.schema === undefined && body.schemaJson5 !== undefined;
}

/** Returns a new dynamic config at version 1. */
export function createDynamicConfig(
  body: DynamicConfigCreate,
  stamp: Stamp,
  newIdentifier: NewIdentifier,
): DynamicConfig {
  const { rules = dynamicConfigDefaults.rules, ...others } = withJson5Pairs(body);
  return {
    ...identityFirst,
    ...structuredClone(dynamicConfigDefaults),
    ...newProvenance(stamp),
    ...others,
    id: body.id ?? identifierOf(body.name),
    rules: identifyRules(rules, [], valueIdentifiers, newIdentifier),
    isArchived: false,
  };
}

/**
 * Makes a full update: omitted fields get their defaults, except name, ID type, template flag and
 * creator.
 */
export function replaceDynamicConfig(
  current: DynamicConfig,
  body: DynamicConfigReplace,
  newIdentifier: NewIdentifier,
): DynamicConfig {
  const { idType: _, isTemplate: __, ...defaults } = dynamicConfigDefaults;
  // JSON5 pairs are completed first: defaults would count as given fields.
  return changed(current, { ...structuredClone(defaults), ...withJson5Pairs(body) }, newIdentifier);
}

/** Makes a partial update: only given fields change. One field of a JSON5 pair changes both. */
export function patchDynamicConfig(
  current: DynamicConfig,
  body: DynamicConfigPatch,
  newIdentifier: NewIdentifier,
): DynamicConfig {
  return changed(current, withJson5Pairs(body), newIdentifier);
}

function changed(
  current: DynamicConfig,
  { rules, ...others }: DynamicConfigPatch,
  newIdentifier: NewIdentifier,
): DynamicConfig {
  return {
    ...current,
    ...others,
    ...(rules && {
      rules: identifyRules(rules, current.rules, valueIdentifiers, newIdentifier),
    }),
  };
}

/** Returns the body with both fields of each JSON5 pair that has one of them. */
function withJson5Pairs<Body extends DynamicConfigPatch>(body: Body): Body {
  const reader = new Json5Reader();
  const value = completeValue(body.defaultValue, body.defaultValueJson5, reader);
  const schema = completeText(body.schema, body.schemaJson5, reader);
  return {
    ...body,
    ...(value && { defaultValue: value.value, defaultValueJson5: value.json5 }),
    ...(schema && { schema: schema.json, schemaJson5: schema.json5 }),
    ...(body.rules && { rules: body.rules.map((rule) => ruleWithJson5Pairs(rule, reader)) }),
  };
}

function ruleWithJson5Pairs(rule: RuleRequest, reader: Json5Reader): RuleRequest {
  const { variants } = rule;
  return {
    ...withReturnValue(rule, reader),
    ...(variants && { variants: variants.map((variant) => withReturnValue(variant, reader)) }),
  };
}

interface Returning {
  readonly returnValue?: AnyObject | undefined;
  readonly returnValueJson5?: string | undefined;
}

function withReturnValue<Holder extends Returning>(holder: Holder, reader: Json5Reader): Holder {
  const pair = completeValue(holder.returnValue, holder.returnValueJson5, reader);
  if (pair === undefined) return holder;
  return { ...holder, returnValue: pair.value, returnValueJson5: pair.json5 };
}

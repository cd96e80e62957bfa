import { omitUndefined } from "../base/omit-undefined.js";
import {
  type DynamicConfig,
  type DynamicConfigCreate,
  type DynamicConfigPatch,
  type DynamicConfigReplace,
  dynamicConfigDefaults,
  type dynamicConfigRoutes,
} from "../contract/dynamic-config.js";
import type { JsonObject } from "../contract/fields.js";
import { Json5Reader } from "../contract/json-text.js";
import { completeText, completeValue } from "../contract/json5-pair.js";
import type { RuleRequest } from "../contract/rule.js";
import type { EntityOperations, EntityType, Stamp } from "./entity-operations.js";
import type { Handlers } from "./handler.js";
import { identifierOf, identityFirst, type NewIdentifier, newProvenance } from "./new-entity.js";
import { identifyRules, ruleReferences, valueRuleIdentifier } from "./rules.js";
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

/** A dynamic config at version 1. */
export function createDynamicConfig(
  body: DynamicConfigCreate,
  stamp: Stamp,
  newIdentifier: NewIdentifier,
): DynamicConfig {
  const { rules = dynamicConfigDefaults.rules, ...others } = withTwins(body);
  return {
    ...identityFirst,
    ...structuredClone(dynamicConfigDefaults),
    ...newProvenance(stamp),
    ...others,
    id: body.id ?? identifierOf(body.name),
    rules: identifyRules(rules, valueRuleIdentifier, newIdentifier),
  };
}

/**
 * Full update: what is left out returns to its default, except the name, the ID type, whether it is a
 * template, and who made it.
 */
export function replaceDynamicConfig(
  current: DynamicConfig,
  body: DynamicConfigReplace,
  newIdentifier: NewIdentifier,
): DynamicConfig {
  const { idType: _, isTemplate: __, ...defaults } = dynamicConfigDefaults;
  // The twins are completed before the defaults, which would else be taken for the given ones.
  return changed(current, { ...structuredClone(defaults), ...withTwins(body) }, newIdentifier);
}

/** Partial update: only what is given changes; one of two JSON5 twins changes both. */
export function patchDynamicConfig(
  current: DynamicConfig,
  body: DynamicConfigPatch,
  newIdentifier: NewIdentifier,
): DynamicConfig {
  return changed(current, withTwins(body), newIdentifier);
}

function changed(
  current: DynamicConfig,
  { rules, ...others }: DynamicConfigPatch,
  newIdentifier: NewIdentifier,
): DynamicConfig {
  return {
    ...current,
    ...others,
    ...(rules === undefined
      ? {}
      : { rules: identifyRules(rules, valueRuleIdentifier, newIdentifier) }),
  };
}

/** The same body, with both of each pair of JSON5 twins where one was given. */
function withTwins<Body extends DynamicConfigPatch>(body: Body): Body {
  const reader = new Json5Reader();
  const value = completeValue(body.defaultValue, body.defaultValueJson5, reader);
  const schema = completeText(body.schema, body.schemaJson5, reader);
  return {
    ...body,
    ...(value && { defaultValue: value.value, defaultValueJson5: value.json5 }),
    ...(schema && { schema: schema.json, schemaJson5: schema.json5 }),
    ...(body.rules && { rules: body.rules.map((rule) => ruleWithTwins(rule, reader)) }),
  };
}

function ruleWithTwins(rule: RuleRequest, reader: Json5Reader): RuleRequest {
  const { variants } = rule;
  return {
    ...withReturnValue(rule, reader),
    ...(variants && { variants: variants.map((variant) => withReturnValue(variant, reader)) }),
  };
}

interface Returning {
  readonly returnValue?: JsonObject | undefined;
  readonly returnValueJson5?: string | undefined;
}

function withReturnValue<Holder extends Returning>(holder: Holder, reader: Json5Reader): Holder {
  const twins = completeValue(holder.returnValue, holder.returnValueJson5, reader);
  if (twins === undefined) return holder;
  return { ...holder, returnValue: twins.value, returnValueJson5: twins.json5 };
}

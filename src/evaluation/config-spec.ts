import type { DynamicConfig } from "../contract/dynamic-config.js";
import type { Rule } from "../contract/rule.js";
import { BUCKETS } from "./buckets.js";
import { isHeldOut, specRule } from "./gate-spec.js";
import { plainRule, type Spec, type SpecCondition, type SpecRule } from "./spec.js";

/** Returns the specification of a dynamic config. Disabled and archived ones have no rules. */
export function configSpec(config: DynamicConfig): Spec {
  const { id, idType, defaultValue, holdoutIDs } = config;
  const enabled = config.isEnabled && config.isArchived !== true;
  const rules = [
    ...holdoutIDs.map((holdout) =>
      plainRule(holdout, {
        returnValue: defaultValue,
        conditions: [isHeldOut(holdout, idType)],
        idType,
      }),
    ),
    ...config.rules.flatMap((rule) => valueRules(rule, config)),
  ];
  return {
    name: id,
    type: "dynamic_config",
    entity: "dynamic_config",
    salt: id,
    enabled,
    defaultValue,
    idType,
    rules: enabled ? rules : [],
    version: config.version,
    targetAppIDs: [config.targetApps].flat(),
  };
}

/**
 * Returns the rules that give the values of a rule. SDKs know one value for each, so several variants
 * become one rule each, for buckets beside each other, and one rule for the units that are left.
 */
function valueRules(rule: Rule, { id, idType }: DynamicConfig): readonly SpecRule[] {
  const { variants = [], returnValue = variants[0]?.returnValue ?? {} } = rule;
  const whole = specRule(rule, returnValue, idType);
  if (variants.length < 2) return [whole];
  let end = 0;
  const split = variants.map((variant) => {
    end += Number(variant.passPercentage ?? 0);
    return {
      ...whole,
      id: variant.id || whole.id,
      passPercentage: 100,
      groupName: variant.name ?? whole.groupName,
      returnValue: variant.returnValue ?? {},
      conditions: [...whole.conditions, isBelow(end, `${id}.${rule.baseID}`, idType)],
    };
  });
  return [...split, { ...whole, passPercentage: 0 }];
}

/** Returns the condition that a unit's bucket is below `percentage` % of all. */
export function isBelow(percentage: number, salt: string, idType: string): SpecCondition {
  return {
    type: "user_bucket",
    operator: "lt",
    targetValue: Math.round((percentage / 100) * BUCKETS),
    field: null,
    additionalValues: { salt },
    idType,
  };
}

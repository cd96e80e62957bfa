import { z } from "zod";
import { jsonObject, list, numeric, text, withRule } from "./fields.js";

/** The types of a condition: those of the specification, then the extensions. */
export const conditionTypes = [
  "public",
  "user_id",
  "email",
  "custom_field",
  "app_version",
  "browser_name",
  "browser_version",
  "os_name",
  "os_version",
  "country",
  "passes_gate",
  "fails_gate",
  "time",
  "environment_tier",
  "passes_segment",
  "fails_segment",
  "ip_address",
  "unit_id",
  "locale",
  "url",
  "javascript",
  "device_model",
  "target_app",
] as const;

export type ConditionType = (typeof conditionTypes)[number];

/** The documented operators. Others are accepted too. */
const knownOperators = [
  "any",
  "none",
  "any_case_sensitive",
  "none_case_sensitive",
  "str_contains_any",
  "str_contains_none",
  "str_starts_with_any",
  "str_ends_with_any",
  "str_matches",
  "gt",
  "gte",
  "lt",
  "lte",
  "eq",
  "neq",
  "version_gt",
  "version_gte",
  "version_lt",
  "version_lte",
  "version_eq",
  "version_neq",
  "before",
  "after",
  "on",
  "is_null",
  "is_not_null",
  "array_contains_any",
  "array_contains_none",
  "array_contains_all",
  "not_array_contains_all",
  "encoded_any",
] as const;

const targetValue = z
  .union([z.string(), z.number(), list(z.string()), list(z.number()), z.null()], {
    error: () => "Expected string, number, array of strings, array of numbers or null",
  })
  .describe("Value to compare with. Its form depends on the type.");

/** A condition whose type is one of `types`. */
function conditionOf<Type extends ConditionType>(types: readonly Type[]) {
  return z
    .object({
      type: z.enum(types).describe("Property of the unit."),
      operator: z
        .string()
        .nullable()
        .exactOptional()
        .describe(`Comparison; empty or null for none. Known: ${knownOperators.join(", ")}.`),
      targetValue: targetValue.exactOptional(),
      field: z.string().nullable().exactOptional().describe("Field to read, for `custom_field`."),
      customID: z.string().nullable().exactOptional().describe("ID type to read, for `unit_id`."),
    })
    .describe("A condition of a rule.");
}

/** The fields that requests and responses of rules share. */
const ruleFields = {
  name: text("Rule name."),
  passPercentage: numeric("Percentage of matching units that pass.", { min: 0, max: 100 }),
  environments: list(z.string()).nullable().describe("Environments of the rule; null for all."),
  id: text("Rule identifier; derived from `baseID` if it is empty or absent."),
  baseID: text("Stable part of the rule identifier."),
  returnValue: jsonObject("Value that the rule returns."),
  returnValueJson5: text("`returnValue` as JSON5 text. Both must have the same value."),
};

const { name, passPercentage, environments, id, baseID, returnValue, returnValueJson5 } =
  ruleFields;

/** One of the values that a rule returns. */
const variant = z.object({
  name: text("Variant name.").exactOptional(),
  passPercentage: passPercentage.exactOptional(),
  id: text("Variant identifier.").exactOptional(),
  returnValue: jsonObject("Value that the variant returns.").exactOptional(),
  returnValueJson5: returnValueJson5.exactOptional(),
});

const automatedRollouts = list(
  z.object({
    passPercent: z.number().describe("Percentage that passes from this time on."),
    time: z.int().describe("Time, in ms since the epoch."),
  }),
).describe("Automated rollouts.");

/** The fields of a rule. `types` are the allowed types of conditions. */
function ruleOf<Type extends ConditionType>(types: readonly Type[]) {
  return z.object({
    name,
    passPercentage,
    conditions: list(conditionOf(types)).describe("Conditions, all of which must hold."),
    environments: environments.exactOptional(),
    id: id.nullable().exactOptional(),
    baseID: baseID.nullable().exactOptional(),
    returnValue: returnValue.exactOptional(),
    returnValueJson5: returnValueJson5.exactOptional(),
    variants: list(variant).exactOptional().describe("Values that the rule returns."),
  });
}

/** Returns the schema of a rule in a request. Its variants may have the pass percentages instead. */
export function ruleRequestOf<Type extends ConditionType>(types: readonly Type[]) {
  const fields = ruleOf(types).extend({ passPercentage: passPercentage.exactOptional() });
  return withRule(fields, (value) => {
    const { passPercentage, variants } = (value ?? {}) as Readonly<Record<string, unknown>>;
    const isGiven =
      passPercentage !== undefined || (Array.isArray(variants) && variants.length > 0);
    return isGiven ? [] : [{ path: ["passPercentage"], message: "Required" }];
  });
}

export const ruleRequest = ruleRequestOf(conditionTypes);

/** Some fields of a rule in a request. */
export const rulePatch = ruleOf(conditionTypes).exactPartial();

/** A rule in a response, which always has identifiers. */
export const rule = ruleOf(conditionTypes)
  .extend({
    id,
    baseID,
    completedAutomatedRollouts: automatedRollouts.exactOptional(),
    pendingAutomatedRollouts: automatedRollouts.exactOptional(),
  })
  .describe("A rule: the units that pass it, and the value that they get.");

export type RulePatch = z.output<typeof rulePatch>;
export type RuleRequest = z.output<typeof ruleRequest>;
export type Rule = z.output<typeof rule>;

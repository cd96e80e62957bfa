import { z } from "zod";
import { jsonObject, list, numeric, text } from "./fields.js";

/** Types of a condition: those of the specification, then the extensions. */
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

/** Operators that are known; others are taken too. */
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
  .describe("What is compared with; its form depends on the type.");

/** A condition whose type is one of `types`. */
function conditionOf<Type extends ConditionType>(types: readonly Type[]) {
  return z
    .object({
      type: z.enum(types).describe("What is looked at."),
      operator: z
        .string()
        .nullable()
        .exactOptional()
        .describe(
          `How it is compared; empty or null for none. Known: ${knownOperators.join(", ")}.`,
        ),
      targetValue: targetValue.exactOptional(),
      field: z
        .string()
        .nullable()
        .exactOptional()
        .describe("Field that a `custom_field` is read from."),
      customID: z
        .string()
        .nullable()
        .exactOptional()
        .describe("ID type that a `unit_id` is read from."),
    })
    .describe("All conditions of a rule have to hold.");
}

/** The fields of a rule, each once. Requests and responses of rules are made of them. */
const ruleFields = {
  name: text("Rule name."),
  passPercentage: numeric("Percentage of matching units that pass.", { min: 0, max: 100 }),
  environments: list(z.string())
    .nullable()
    .describe("Environments that the rule holds in; null for all."),
  id: text("Rule identifier; made from `baseID` where it is empty or left out."),
  baseID: text("Stable part of the rule identifier."),
  returnValue: jsonObject("Value that the rule returns."),
  returnValueJson5: text("Same as `returnValue`, with comments; both must mean the same JSON."),
};

const { name, passPercentage, environments, id, baseID, returnValue, returnValueJson5 } =
  ruleFields;

/** One of the values that a rule hands out. */
const variant = z.object({
  name: text("Variant name.").exactOptional(),
  passPercentage: passPercentage.exactOptional(),
  id: text("Variant identifier.").exactOptional(),
  returnValue: jsonObject("Value that the variant returns.").exactOptional(),
  returnValueJson5: returnValueJson5.exactOptional(),
});

const automatedRollouts = list(
  z.object({
    passPercent: z.number().describe("Percentage that passes from then on."),
    time: z.int().describe("When, in ms since the epoch."),
  }),
).describe("Automated rollouts, each a percentage and its time.");

/** A rule in a request, with conditions of some types. */
export function ruleRequestOf<Type extends ConditionType>(types: readonly Type[]) {
  return z.object({
    name,
    passPercentage,
    conditions: list(conditionOf(types)).describe("Conditions, all of which have to hold."),
    environments: environments.exactOptional(),
    id: id.nullable().exactOptional(),
    baseID: baseID.nullable().exactOptional(),
    returnValue: returnValue.exactOptional(),
    returnValueJson5: returnValueJson5.exactOptional(),
    variants: list(variant).exactOptional().describe("Values that the rule hands out."),
  });
}

export const ruleRequest = ruleRequestOf(conditionTypes);

/** A rule in a response: always with its identifiers. */
export const rule = ruleRequest
  .extend({
    id,
    baseID,
    completedAutomatedRollouts: automatedRollouts.exactOptional(),
    pendingAutomatedRollouts: automatedRollouts.exactOptional(),
  })
  .describe("Who passes, and what they get.");

export type RuleRequest = z.output<typeof ruleRequest>;
export type Rule = z.output<typeof rule>;

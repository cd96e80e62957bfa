import { targetTime } from "../base/target-time.js";
import type { ConditionType, Rule } from "../contract/rule.js";
import { type SpecCondition, segmentName } from "./spec.js";

type Condition = Rule["conditions"][number];

/** The operators that SDKs know, by what they compare with. */
const operatorsByTarget = {
  list: [
    "any",
    "none",
    "any_case_sensitive",
    "none_case_sensitive",
    "str_contains_any",
    "str_contains_none",
    "str_starts_with_any",
    "str_ends_with_any",
    "array_contains_any",
    "array_contains_none",
    "array_contains_all",
    "not_array_contains_all",
  ],
  value: ["eq", "neq"],
  number: ["gt", "gte", "lt", "lte"],
  version: ["version_gt", "version_gte", "version_lt", "version_lte", "version_eq", "version_neq"],
  expression: ["str_matches"],
  time: ["before", "after", "on"],
} as const;

export type TargetKind = keyof typeof operatorsByTarget;

/** The operators that SDKs know. */
export const supportedOperators: readonly string[] = Object.values(operatorsByTarget).flat();

const targetKinds: ReadonlyMap<string, TargetKind> = new Map(
  Object.entries(operatorsByTarget).flatMap(([kind, operators]) =>
    operators.map((operator) => [operator, kind as TargetKind] as const),
  ),
);

/** The forms of targets that SDKs compare with. */
const targetForms: Readonly<Record<TargetKind, (target: unknown) => unknown>> = {
  list: texts,
  value: single,
  number: single,
  version: singleText,
  expression: singleText,
  time,
};

/** Returns what an operator compares with; undefined if SDKs do not know it. */
export function targetKindOf(operator: string): TargetKind | undefined {
  return targetKinds.get(operator.toLowerCase());
}

/** The type of a condition in SDKs, and the field that it reads. */
interface SpecSource {
  readonly type: string;
  readonly field?: string;
}

/** Types that SDKs on servers do not have keep their name, so that they say so. */
const sources: Readonly<Record<Exclude<ConditionType, "custom_field">, SpecSource>> = {
  public: { type: "public" },
  user_id: { type: "user_field", field: "userID" },
  email: { type: "user_field", field: "email" },
  app_version: { type: "user_field", field: "appVersion" },
  locale: { type: "user_field", field: "locale" },
  ip_address: { type: "user_field", field: "ip" },
  device_model: { type: "user_field", field: "device_model" },
  browser_name: { type: "ua_based", field: "browser_name" },
  browser_version: { type: "ua_based", field: "browser_version" },
  os_name: { type: "ua_based", field: "os_name" },
  os_version: { type: "ua_based", field: "os_version" },
  country: { type: "ip_based", field: "country" },
  time: { type: "current_time" },
  environment_tier: { type: "environment_field", field: "tier" },
  unit_id: { type: "unit_id" },
  passes_gate: { type: "pass_gate" },
  fails_gate: { type: "fail_gate" },
  passes_segment: { type: "pass_gate" },
  fails_segment: { type: "fail_gate" },
  target_app: { type: "target_app" },
  url: { type: "url" },
  javascript: { type: "javascript" },
};

const nestedKinds: Partial<Readonly<Record<ConditionType, "gate" | "segment">>> = {
  passes_gate: "gate",
  fails_gate: "gate",
  passes_segment: "segment",
  fails_segment: "segment",
};

/** Returns the kind of entity that a condition asks; undefined if it compares a value. */
export function nestedKindOf(type: ConditionType): "gate" | "segment" | undefined {
  return nestedKinds[type];
}

/** True for conditions that only SDKs in browsers can decide. */
export function isClientOnly(type: ConditionType): boolean {
  return type === "url" || type === "javascript";
}

/** Returns a target as SDKs compare with it. */
export function formedTarget(kind: TargetKind, target: unknown): unknown {
  return targetForms[kind](target);
}

/** Returns the conditions of a rule as SDKs read them. */
export function conditionSpecs(
  { conditions, environments }: Pick<Rule, "conditions" | "environments">,
  idType: string,
): readonly SpecCondition[] {
  const own = conditions.map((condition) => conditionSpec(condition, idType));
  if (environments === undefined || environments === null) return own;
  return [...own, environmentCondition("any", environments, idType)];
}

/** Returns the condition that the user's environment is one of some, or none of them. */
export function environmentCondition(
  operator: "any" | "none",
  environments: readonly string[],
  idType: string,
): SpecCondition {
  const source = { type: "environment_field", field: "tier" };
  return { ...source, operator, targetValue: environments, additionalValues: {}, idType };
}

function conditionSpec(condition: Condition, entityIdType: string): SpecCondition {
  const { type, targetValue = null, customID } = condition;
  const operator = condition.operator?.toLowerCase() ?? null;
  const { field = null, ...source } =
    type === "custom_field" ? { type: "user_field", field: condition.field } : sources[type];
  const idType = type === "unit_id" && customID ? customID : entityIdType;
  const rest = { ...source, field, additionalValues: {}, idType };
  const nestedKind = nestedKindOf(type);
  if (nestedKind !== undefined) {
    const target = single(targetValue);
    const isSegment = nestedKind === "segment";
    const isOne = typeof target === "string";
    // SDKs have no condition for several gates: they call this type unsupported.
    const nested = isOne ? rest : { ...rest, type: `multi_${source.type}` };
    const gate = isOne && isSegment ? segmentName(target) : target;
    return { ...nested, operator: null, targetValue: gate };
  }
  const kind = targetKindOf(operator ?? "");
  const formed = kind === undefined ? undefined : formedTarget(kind, targetValue);
  return { ...rest, operator: operator || null, targetValue: formed ?? targetValue };
}

/** A list of texts: SDKs do not compare with a single one, and differ about numbers in lists. */
function texts(target: unknown): readonly string[] {
  return [target].flat().flatMap((value) => (value === null ? [] : [String(value)]));
}

/** Returns the only value of a list: Terraform sends lists where the platform's console has one value. */
export function single(target: unknown): unknown {
  return Array.isArray(target) && target.length === 1 ? target[0] : target;
}

function singleText(target: unknown): unknown {
  const value = single(target);
  return typeof value === "number" ? String(value) : value;
}

/** Milliseconds since the epoch: SDKs differ about seconds and texts. */
function time(target: unknown): unknown {
  return timeOf(single(target)) ?? target;
}

/** Returns a time in ms since the epoch, or undefined for what is not a time. */
export function timeOf(value: unknown): number | undefined {
  if (typeof value !== "number" && typeof value !== "string") return undefined;
  const ms = targetTime(value);
  return Number.isNaN(ms) ? undefined : ms;
}

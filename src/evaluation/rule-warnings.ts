import type { EntityKind, Warning } from "../contract/common.js";
import type { Rule } from "../contract/rule.js";
import {
  formedTarget,
  isClientOnly,
  nestedKindOf,
  single,
  supportedOperators,
  type TargetKind,
  targetKindOf,
} from "./condition-spec.js";
import { expressionOf, isVersion, numberOf } from "./operators.js";

/** The entities beside the one that is written. */
export interface Surroundings {
  has(kind: EntityKind, id: string): boolean;
  /** Names of the project's environments, in lower case. */
  readonly environments: ReadonlySet<string>;
}

type WarnedRule = Pick<Rule, "conditions" | "environments">;
type Condition = Rule["conditions"][number];

/** The faults of targets, by what their operator compares with. */
const targetFaults: Readonly<Record<TargetKind, (target: unknown) => string | undefined>> = {
  list: (target) =>
    isEmptyList(target) ? "The list is empty: give at least one value" : undefined,
  value: (target) => (Array.isArray(target) ? "Must be one value, not a list" : undefined),
  number: mustBe((target) => numberOf(target) !== undefined, "a number"),
  version: mustBe(isVersion, "a version of numbers and dots, e.g. 1.10.2"),
  expression: mustBe((target) => expressionOf(target) !== undefined, "a regular expression"),
  time: mustBe(isTime, "a time: ms since the epoch, or ISO 8601"),
};

/** Returns what can never work as meant in rules. */
export function ruleWarnings(
  rules: readonly WarnedRule[],
  surroundings: Surroundings,
): readonly Warning[] {
  const found = rules.flatMap(({ conditions, environments }, index) => [
    ...conditions.flatMap((condition, position) =>
      conditionWarnings(condition, surroundings).map(({ property, message }) => ({
        property: `rules[${index}].conditions[${position}].${property}`,
        message,
      })),
    ),
    ...environmentWarnings(environments, surroundings, `rules[${index}].environments`),
  ]);
  return [...found, ...unreachedWarnings(rules)];
}

/** Returns a warning of the first rule that no unit reaches: the first rule that holds decides. */
function unreachedWarnings(rules: readonly WarnedRule[]): readonly Warning[] {
  const isForAll = ({ conditions, environments = null }: WarnedRule) =>
    environments === null && conditions.every(({ type }) => type === "public");
  const index = rules.findIndex(isForAll) + 1;
  if (index === 0 || index === rules.length) return [];
  const message =
    "Never reached: the rule before it holds for everybody, also beyond its percentage";
  return [{ property: `rules[${index}]`, message }];
}

/** Returns a warning if no entity has the id. `effect` says what follows. */
export function missingWarnings(
  kind: EntityKind,
  id: string | null | undefined,
  property: string,
  surroundings: Surroundings,
  effect: string,
): readonly Warning[] {
  if (id === null || id === undefined || id === "" || surroundings.has(kind, id)) return [];
  const message = `There is no ${kind.replace("_", " ")} ${id}: ${effect} until it is created`;
  return [{ property, message }];
}

/** Returns a warning for each environment that the project does not have, and for an empty list. */
export function environmentWarnings(
  environments: readonly string[] | null | undefined,
  surroundings: Surroundings,
  property: string,
): readonly Warning[] {
  if (environments === null || environments === undefined) return [];
  if (environments.length === 0) {
    const message = "The list is empty, so the rule holds for nobody: null means all environments";
    return [{ property, message }];
  }
  return environments.flatMap((name, index) =>
    surroundings.environments.has(name.toLowerCase())
      ? []
      : [{ property: `${property}[${index}]`, message: unknownEnvironment(name, surroundings) }],
  );
}

/** Returns the message about an environment that the project does not have. */
export function unknownEnvironment(name: string, { environments }: Surroundings): string {
  return `There is no environment ${name}; known: ${[...environments].join(", ")}`;
}

/** Returns the warnings of a condition. Each `property` is one of its fields. */
function conditionWarnings(condition: Condition, surroundings: Surroundings): readonly Warning[] {
  const { type, field } = condition;
  if (type === "public") return [];
  if (isClientOnly(type)) {
    const message = `Only browsers can decide ${type}: everybody gets the default of the whole entity`;
    return [{ property: "type", message }];
  }
  const nested = nestedKindOf(type);
  if (nested !== undefined) return nestedWarnings(nested, condition, surroundings);
  const hasField =
    type !== "custom_field" || (field !== undefined && field !== null && field !== "");
  return [
    ...(hasField ? [] : [{ property: "field", message: "Required to read a custom field" }]),
    ...comparisonWarnings(condition, surroundings),
  ];
}

function nestedWarnings(
  kind: "gate" | "segment",
  { type, targetValue }: Condition,
  surroundings: Surroundings,
): readonly Warning[] {
  const property = "targetValue";
  const target = single(targetValue);
  if (Array.isArray(target) && target.length > 1) {
    const message =
      `Several ${kind}s in one condition: everybody gets the default of the whole entity. ` +
      `Make one condition for each ${kind}`;
    return [{ property, message }];
  }
  if (typeof target !== "string" || target === "") {
    return [{ property, message: `Must be the id of a ${kind}` }];
  }
  const holds = type.startsWith("fails") ? "the condition holds for all" : "the condition fails";
  return missingWarnings(kind, target, property, surroundings, holds);
}

function comparisonWarnings(
  { type, operator, targetValue = null }: Condition,
  surroundings: Surroundings,
): readonly Warning[] {
  if (operator === undefined || operator === null || operator === "") {
    const message = `Required with ${type}: everybody gets the default of the whole entity`;
    return [{ property: "operator", message }];
  }
  const kind = targetKindOf(operator);
  if (kind === undefined) {
    const message =
      `SDKs do not know ${operator}: everybody gets the default of the whole entity; ` +
      `known: ${supportedOperators.join(", ")}`;
    return [{ property: "operator", message }];
  }
  const target = formedTarget(kind, targetValue);
  const fault = targetFaults[kind](target);
  if (fault !== undefined) return [{ property: "targetValue", message: fault }];
  if (type !== "environment_tier" || !Array.isArray(target)) return [];
  if (!/^(any|none)/.test(operator.toLowerCase())) return [];
  return target
    .filter((name: string) => !surroundings.environments.has(name.toLowerCase()))
    .map((name: string) => ({
      property: "targetValue",
      message: unknownEnvironment(name, surroundings),
    }));
}

function mustBe(isGood: (target: unknown) => boolean, what: string) {
  return (target: unknown) => (isGood(target) ? undefined : `Must be ${what}`);
}

function isEmptyList(target: unknown): boolean {
  return Array.isArray(target) && target.length === 0;
}

/** Numbers that no date has are other units, such as ns. */
function isTime(target: unknown): boolean {
  return typeof target === "number" && !Number.isNaN(new Date(target).getTime());
}

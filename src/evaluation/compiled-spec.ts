import type { EvaluationReason } from "../contract/evaluation.js";
import { bucketOf } from "./buckets.js";
import type { Evaluation, Exposure } from "./evaluation.js";
import { type Compare, compareWith } from "./operators.js";
import type { Spec, SpecCondition, SpecRule } from "./spec.js";
import type { EvaluationUser } from "./user.js";

/** The questions of conditions while a user is evaluated. */
export interface ConditionCall {
  readonly user: EvaluationUser;
  /** ms since the epoch. */
  readonly now: number;
  /** The app of the key; undefined for keys of every app. */
  readonly targetApp: string | undefined;
  /** Evaluates a nested gate. */
  gate(name: string): Evaluation;
  isListed(segmentID: string, unitID: string): boolean;
}

type Outcome = "holds" | "fails" | "unsupported";

/** Evaluates a condition, and adds the gates that it asks. */
type CompiledCondition = (call: ConditionCall, exposures: Exposure[]) => Outcome;

export interface CompiledRule {
  readonly rule: SpecRule;
  readonly conditions: readonly CompiledCondition[];
  /** Reads the value that a condition compares, for people who ask why. */
  shownValue(index: number, call: ConditionCall): unknown;
  /** The reason of an answer that this rule gives. */
  readonly reason: EvaluationReason;
}

/** A specification that is prepared to be evaluated for many users. */
export interface CompiledSpec {
  readonly spec: Spec;
  readonly rules: readonly CompiledRule[];
}

export function compileSpec(spec: Spec): CompiledSpec {
  return { spec, rules: spec.rules.map(compileRule) };
}

function compileRule(rule: SpecRule): CompiledRule {
  return {
    rule,
    conditions: rule.conditions.map(compileCondition),
    shownValue: (index, call) => shownValue(rule.conditions[index], call),
    reason: reasonOf(rule),
  };
}

function shownValue(condition: SpecCondition | undefined, call: ConditionCall): unknown {
  if (condition === undefined) return undefined;
  const { type, targetValue } = condition;
  if (type === "pass_gate" || type === "fail_gate") return call.gate(String(targetValue)).passes;
  return valueReader(condition)?.(call);
}

function reasonOf({ conditions, passPercentage }: SpecRule): EvaluationReason {
  const isSplit = conditions.some(({ type }) => type === "user_bucket");
  if (isSplit || (passPercentage > 0 && passPercentage < 100)) return "SPLIT";
  return conditions.every(({ type }) => type === "public") ? "STATIC" : "TARGETING_MATCH";
}

const unsupported: CompiledCondition = () => "unsupported";

/** Reads the value of a user that a type of conditions compares. */
type ReadValue = (call: ConditionCall) => unknown;

function compileCondition(condition: SpecCondition): CompiledCondition {
  const { type, operator, targetValue } = condition;
  if (type === "public") return () => "holds";
  if (type === "pass_gate" || type === "fail_gate") {
    return nestedGate(String(targetValue), type === "pass_gate");
  }
  const read = valueReader(condition);
  if (read === undefined) return unsupported;
  if (operator === "in_segment_list") return listed(read, String(targetValue));
  const compare = compareWith(operator, targetValue);
  return compare === undefined ? unsupported : compared(read, compare);
}

function compared(read: ReadValue, compare: Compare): CompiledCondition {
  return (call) => (compare(read(call)) ? "holds" : "fails");
}

function listed(read: ReadValue, segmentID: string): CompiledCondition {
  return (call) => {
    const unit = read(call);
    return unit !== undefined && call.isListed(segmentID, String(unit)) ? "holds" : "fails";
  };
}

function nestedGate(name: string, wanted: boolean): CompiledCondition {
  const isSegment = name.startsWith("segment:");
  return (call, exposures) => {
    const { passes, ruleID, reason, exposures: nested } = call.gate(name);
    if (reason === "ERROR") return "unsupported";
    exposures.push(...nested);
    if (!isSegment && ruleID !== "") {
      exposures.push({ gate: name, gateValue: passes ? "true" : "false", ruleID });
    }
    return passes === wanted ? "holds" : "fails";
  };
}

/** Returns what reads the value of a condition; undefined for types that SDKs on servers do not know. */
function valueReader({
  type,
  field,
  idType,
  additionalValues,
}: SpecCondition): ReadValue | undefined {
  const name = field ?? "";
  switch (type) {
    case "user_field":
      return ({ user }) => user.field(name);
    case "ua_based":
      return ({ user }) => user.agentField(name);
    case "ip_based":
      return ({ user }) => user.country();
    case "environment_field":
      return ({ user }) => user.environment(name);
    case "current_time":
      return ({ now }) => now;
    case "user_bucket": {
      const salt = additionalValues.salt ?? "";
      return ({ user }) => bucketOf(salt, user.unitID(idType) ?? "");
    }
    case "unit_id":
      return ({ user }) => user.unitID(idType);
    case "target_app":
      return ({ targetApp }) => targetApp;
    default:
      return undefined;
  }
}

import { setImmediate as nextTurn } from "node:timers/promises";
import { omitUndefined } from "../base/omit-undefined.js";
import type { DynamicConfig } from "../contract/dynamic-config.js";
import type { EvaluatedUser } from "../contract/evaluation.js";
import type { AnyObject } from "../contract/fields.js";
import type { Gate } from "../contract/gate.js";
import { allows } from "../contract/key-scopes.js";
import { objectOf } from "../contract/unit-id.js";
import type { Answer, Impact, ImpactSide, TriedRule, whatIfRoutes } from "../contract/what-if.js";
import { configSpec } from "../evaluation/config-spec.js";
import type { Evaluation } from "../evaluation/evaluation.js";
import { EvaluationTrace } from "../evaluation/evaluation-trace.js";
import { Evaluator, type SpecSource } from "../evaluation/evaluator.js";
import { holdoutName, type Spec, type SpecRule } from "../evaluation/spec.js";
import { EvaluationUser } from "../evaluation/user.js";
import type { HandlerAnswer, Handlers } from "../http/handler.js";
import { notFound } from "../http/service-error.js";
import { impactLimits } from "../http/service-limits.js";
import type { EventStore } from "../storage/event-store.js";
import type { KeyRecord } from "../storage/key-store.js";
import { dynamicConfigType, patchDynamicConfig } from "./dynamic-configs.js";
import type { EntityOperations } from "./entity-operations.js";
import { gateType, patchGate } from "./gates.js";
import type { CurrentCatalogue, LiveCatalogue } from "./live-catalogue.js";
import type { NewIdentifier } from "./new-entity.js";

interface WhatIfOptions {
  readonly live: LiveCatalogue;
  readonly operations: EntityOperations;
  readonly events: Pick<EventStore, "recentUsers">;
  readonly newIdentifier: NewIdentifier;
  /** Returns ms since the epoch. */
  now(): number;
}

type Part = "gate" | "config";

/** Titles of the entities that can be asked. An experiment hides a dynamic config with its id. */
const titles: Readonly<Partial<Record<Spec["entity"], string>>> = {
  feature_gate: "Gate",
  dynamic_config: "Dynamic Config",
  experiment: "Experiment",
};

/** A change that was not stored, and who asks for its effects. */
interface ProposedChange {
  readonly caller: KeyRecord;
  readonly proposed: (catalogue: CurrentCatalogue["catalogue"]) => Spec;
}

interface Asked {
  readonly user: EvaluatedUser;
  readonly environment?: string;
}

/** Evaluates for one user or many, also as if a change were stored. Stores nothing. */
export function whatIfHandlers(options: WhatIfOptions): Handlers<typeof whatIfRoutes> {
  const { live, operations, events, newIdentifier, now } = options;

  const gateWith = async (id: string, patch: Parameters<typeof patchGate>[1]) => {
    const current = await operations.get(gateType, id);
    return (catalogue: CurrentCatalogue["catalogue"]) =>
      catalogue.proposedGate(patchGate(current, patch, newIdentifier) as Gate);
  };
  const configWith = async (id: string, patch: Parameters<typeof patchDynamicConfig>[1]) => {
    const current = await operations.get(dynamicConfigType, id);
    return () => configSpec(patchDynamicConfig(current, patch, newIdentifier) as DynamicConfig);
  };

  async function evaluate(
    part: Part,
    id: string,
    title: string,
    { user, environment }: Asked,
    proposed?: (catalogue: CurrentCatalogue["catalogue"]) => Spec,
  ): Promise<HandlerAnswer> {
    const { catalogue } = await live.current();
    const source =
      proposed === undefined ? catalogue : withSpec(catalogue, part, id, proposed(catalogue));
    const spec = source[part](id);
    if (spec === undefined || titles[spec.entity] !== title) throw notFound(title);
    const tier = environment === undefined ? {} : { statsigEnvironment: { tier: environment } };
    const trace = new EvaluationTrace();
    const asked = new EvaluationUser({ ...user, ...tier });
    const evaluation = new Evaluator(source, asked, { now: now(), trace })[part](id);
    return { content: { data: answerOf(spec, evaluation, trace) } };
  }

  async function assess(
    part: Part,
    id: string,
    { users: count = impactLimits.users }: { readonly users?: number },
    { caller, proposed }: ProposedChange,
  ): Promise<HandlerAnswer> {
    const users = await events.recentUsers(count);
    const seesUsers = allows(caller.scopes, "events", "read");
    if (users.length === 0) return { content: { data: null } };
    const { catalogue } = await live.current();
    const after = withSpec(catalogue, part, id, proposed(catalogue));
    const data: Required<NonNullable<Impact>> = { users: users.length, changed: 0, examples: [] };
    for (const [index, user] of users.entries()) {
      if (index % impactLimits.usersPerTurn === 0) await nextTurn();
      const asked = evaluationUser(user);
      const [left, right] = [catalogue, after].map((source) =>
        sideOf(new Evaluator(source, asked, { now: now() })[part](id)),
      ) as [ImpactSide, ImpactSide];
      if (left.passes === right.passes && isSame(left.value, right.value)) continue;
      data.changed += 1;
      if (seesUsers && data.examples.length < impactLimits.examplesMax) {
        data.examples.push({ user, before: left, after: right });
      }
    }
    return { content: { data } };
  }

  return {
    evaluateGate: async ({ params: { id }, body: { proposed, ...asked } }) =>
      evaluate("gate", id, "Gate", asked, proposed && (await gateWith(id, proposed))),
    evaluateDynamicConfig: async ({ params: { id }, body: { proposed, ...asked } }) =>
      evaluate("config", id, "Dynamic Config", asked, proposed && (await configWith(id, proposed))),
    evaluateExperiment: async ({ params: { id }, body }) =>
      evaluate("config", id, "Experiment", body),
    assessGateChange: async ({ params: { id }, body, caller }) =>
      assess("gate", id, body, { caller, proposed: await gateWith(id, body.proposed) }),
    assessDynamicConfigChange: async ({ params: { id }, body, caller }) =>
      assess("config", id, body, { caller, proposed: await configWith(id, body.proposed) }),
  };
}

/** Returns a catalogue in which one entity has another specification. */
function withSpec(source: SpecSource, part: Part, id: string, spec: Spec): SpecSource {
  return {
    gate: (name) => (part === "gate" && name === id ? spec : source.gate(name)),
    config: (name) => (part === "config" && name === id ? spec : source.config(name)),
    layer: (name) => source.layer(name),
    isListed: (segmentID, unitID) => source.isListed(segmentID, unitID),
  };
}

/** Events have the id of a device in their user, SDKs among other ids. */
function evaluationUser(user: AnyObject): EvaluationUser {
  const { stableID } = user;
  const customIDs = { ...omitUndefined({ stableID }), ...objectOf(user["customIDs"]) };
  return new EvaluationUser({ ...user, customIDs });
}

function sideOf({ passes, value, ruleID }: Evaluation): ImpactSide {
  return { passes, value, ruleID };
}

function isSame(left: AnyObject, right: AnyObject): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}

function answerOf(spec: Spec, evaluation: Evaluation, trace: EvaluationTrace): Answer {
  const { passes, value, ruleID, groupName: group, reason } = evaluation;
  const rule = spec.rules.find(({ id }) => id === ruleID);
  return {
    passes,
    value,
    ruleID,
    ruleName: rule?.name ?? null,
    group,
    reason,
    isEnabled: spec.enabled,
    rules: spec.rules.map((one) => triedRule(one, trace)),
  };
}

function triedRule(rule: SpecRule, { rules, decision }: EvaluationTrace): TriedRule {
  const conditions = rules.get(rule);
  const holds = conditions?.every((one) => one.holds) ?? null;
  const percentage = decision?.rule === rule ? decision : undefined;
  return {
    id: rule.id,
    name: rule.name,
    kind: kindOf(rule),
    tried: conditions !== undefined,
    holds,
    conditions: (conditions ?? []).map(({ condition, ...facts }) => ({
      type: condition.type,
      operator: condition.operator,
      field: condition.field,
      targetValue: condition.targetValue,
      ...omitUndefined(facts),
    })) as TriedRule["conditions"],
    percentage: percentage
      ? { bucket: percentage.bucket, limit: percentage.limit, passes: percentage.passes }
      : null,
  };
}

const HOLDOUT = holdoutName("");

function kindOf({ id, conditions, isExperimentGroup }: SpecRule): TriedRule["kind"] {
  if (id.endsWith("override")) return "override";
  if (conditions.some(({ targetValue }) => String(targetValue).startsWith(HOLDOUT))) {
    return "holdout";
  }
  return isExperimentGroup === true ? "group" : "rule";
}

import type { EntityKind } from "../contract/entity-kind.js";
import type { Fault } from "../contract/faults.js";
import type { ConditionType, Rule, RuleRequest } from "../contract/rule.js";
import type { EntityKey } from "../storage/store.js";
import type { NewIdentifier } from "./new-entity.js";
import { invalid } from "./service-error.js";

/** Returns the `id` of a rule that has none; `position` counts from 1. */
type RuleIdentifier = (rule: RuleRequest & { baseID: string }, position: number) => string;

/** Gates and segments: the base ID itself. */
export const plainRuleIdentifier: RuleIdentifier = ({ baseID }) => baseID;

/** Dynamic configs: `<baseID>:<pass percentage>:<position>`, e.g. `5aTx…:10.00:1`. */
export const valueRuleIdentifier: RuleIdentifier = ({ baseID, passPercentage }, position) =>
  `${baseID}:${Number(passPercentage).toFixed(2)}:${position}`;

/**
 * Returns rules as they are stored, each with its identifiers; given identifiers stay. Throws a 400 if
 * two rules have the same name.
 */
export function identifyRules<Request extends RuleRequest>(
  rules: readonly Request[],
  identifierOf: RuleIdentifier,
  newIdentifier: NewIdentifier,
): (Request & Rule)[] {
  requireDistinctNames(rules);
  return rules.map((rule, index) => {
    const based = { ...rule, baseID: given(rule.baseID) ?? newIdentifier() };
    return { ...based, id: given(rule.id) ?? identifierOf(based, index + 1) };
  });
}

/** Returns undefined for an empty or null identifier: the service then creates one. */
function given(identifier: string | null | undefined): string | undefined {
  return identifier === null || identifier === "" ? undefined : identifier;
}

function requireDistinctNames(rules: readonly RuleRequest[]): void {
  const seen = new Set<string>();
  const faults = rules.flatMap(({ name }, index): Fault[] => {
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    return [{ property: `rules[${index}].name`, errorMessage: "Duplicate rule name(s) given" }];
  });
  if (faults.length > 0) throw invalid(faults, "Duplicate rule name(s) given");
}

const kindsByCondition: Partial<Record<ConditionType, EntityKind>> = {
  passes_gate: "gate",
  fails_gate: "gate",
  passes_segment: "segment",
  fails_segment: "segment",
};

/** Returns the gates and segments that the conditions of rules refer to, each once. */
export function ruleReferences(rules: readonly Pick<RuleRequest, "conditions">[]): EntityKey[] {
  const references = new Map<string, EntityKey>();
  for (const { conditions } of rules) {
    for (const { type, targetValue } of conditions) {
      const kind = kindsByCondition[type];
      if (kind === undefined) continue;
      for (const id of [targetValue].flat()) {
        if (typeof id === "string" && id !== "") references.set(`${kind}/${id}`, { kind, id });
      }
    }
  }
  return [...references.values()];
}

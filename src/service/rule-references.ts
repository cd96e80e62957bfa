import type { EntityKind } from "../contract/entity-kind.js";
import type { ConditionType, RuleRequest } from "../contract/rule.js";
import type { EntityKey } from "../storage/store.js";

const kindsByCondition: Partial<Record<ConditionType, EntityKind>> = {
  passes_gate: "gate",
  fails_gate: "gate",
  passes_segment: "segment",
  fails_segment: "segment",
};

/** Gates and segments that the conditions of rules ask for, each once. */
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

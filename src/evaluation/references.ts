import type { EntityKind } from "../contract/common.js";
import type { Rule } from "../contract/rule.js";
import { nestedKindOf } from "./condition-spec.js";

/** An entity that another one points at. */
export interface Reference {
  readonly kind: EntityKind;
  readonly id: string;
}

/** Returns the gates and segments that the conditions of rules refer to, each once. */
export function ruleReferences(rules: readonly Pick<Rule, "conditions">[]): readonly Reference[] {
  const references = new Map<string, Reference>();
  for (const { conditions } of rules) {
    for (const { type, targetValue } of conditions) {
      const kind = nestedKindOf(type);
      if (kind === undefined) continue;
      for (const id of [targetValue].flat()) {
        if (typeof id === "string" && id !== "") references.set(`${kind}/${id}`, { kind, id });
      }
    }
  }
  return [...references.values()];
}

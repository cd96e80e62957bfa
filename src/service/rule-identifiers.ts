import type { Fault } from "../contract/faults.js";
import type { Rule, RuleRequest } from "../contract/rule.js";
import type { NewIdentifier } from "./identifiers.js";
import { invalid } from "./service-error.js";

/** Makes the `id` of a rule that was given none; `place` counts from 1. */
export type RuleIdentifier = (rule: RuleRequest & { baseID: string }, place: number) => string;

/** Gates and segments: the base ID itself. */
export const plainRuleIdentifier: RuleIdentifier = ({ baseID }) => baseID;

/** Dynamic configs: `<baseID>:<pass percentage>:<place>`, e.g. `5aTx…:10.00:1`. */
export const valueRuleIdentifier: RuleIdentifier = ({ baseID, passPercentage }, place) =>
  `${baseID}:${Number(passPercentage).toFixed(2)}:${place}`;

/**
 * Rules as they are kept: each with its identifiers, given ones unchanged. Throws a 400 where two
 * have one name.
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

/** Empty or null means that one is to be made. */
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

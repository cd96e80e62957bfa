import type { Warning } from "../contract/common.js";
import type { Rule } from "../contract/rule.js";
import { missingWarnings, ruleWarnings, type Surroundings } from "./rule-warnings.js";

interface WarnedGate {
  readonly rules: readonly Rule[];
  readonly holdoutIDs: readonly string[];
}

/** Returns what can never work as meant in a gate. */
export function gateWarnings(
  { rules, holdoutIDs }: WarnedGate,
  surroundings: Surroundings,
): readonly Warning[] {
  return [...ruleWarnings(rules, surroundings), ...holdoutWarnings(holdoutIDs, surroundings)];
}

/** Returns a warning for each holdout that does not exist. */
export function holdoutWarnings(
  holdoutIDs: readonly string[],
  surroundings: Surroundings,
): readonly Warning[] {
  return holdoutIDs.flatMap((id, index) =>
    missingWarnings("holdout", id, `holdoutIDs[${index}]`, surroundings, "it holds nobody out"),
  );
}

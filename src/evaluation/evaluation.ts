import type { EvaluationReason } from "../contract/evaluation.js";
import type { AnyObject } from "../contract/fields.js";

/** A gate that was asked on the way. */
export interface Exposure {
  readonly gate: string;
  readonly gateValue: "true" | "false";
  readonly ruleID: string;
}

/** The answer of a specification for a user. */
export interface Evaluation {
  /** True if a rule holds and its percentage has the unit. */
  readonly passes: boolean;
  /** The value of the rule, or the default one; empty for gates. */
  readonly value: AnyObject;
  /** Empty if there is no such entity, or if it is unsupported. */
  readonly ruleID: string;
  readonly groupName: string | null;
  /** `UNKNOWN`: there is no such entity. `ERROR`: it has a condition that SDKs do not know. */
  readonly reason: EvaluationReason;
  readonly isExperimentGroup: boolean;
  /** The experiment of a layer that gave the value. */
  readonly delegate: string | undefined;
  /** Each gate once; segments are left out. */
  readonly exposures: readonly Exposure[];
  /** The exposures before the experiment of a layer was asked. */
  readonly undelegatedExposures: readonly Exposure[];
}

const nothing = {
  passes: false,
  value: {},
  ruleID: "",
  groupName: null,
  isExperimentGroup: false,
  delegate: undefined,
  exposures: [],
  undelegatedExposures: [],
} as const;

export const unknownEvaluation: Evaluation = { ...nothing, reason: "UNKNOWN" };

export const unsupportedEvaluation: Evaluation = { ...nothing, reason: "ERROR" };

/** Returns a list in which each exposure is once, in the order of the first ones. */
export function distinctExposures(exposures: readonly Exposure[]): readonly Exposure[] {
  if (exposures.length < 2) return exposures;
  const byText = new Map<string, Exposure>();
  for (const exposure of exposures) {
    const text = `${exposure.gate}|${exposure.gateValue}|${exposure.ruleID}`;
    if (!byText.has(text)) byText.set(text, exposure);
  }
  return [...byText.values()];
}

import { oncePer } from "../base/once.js";
import { isWithin, stepOf } from "./buckets.js";
import {
  type CompiledRule,
  type CompiledSpec,
  type ConditionCall,
  compileSpec,
} from "./compiled-spec.js";
import {
  distinctExposures,
  type Evaluation,
  type Exposure,
  unknownEvaluation,
  unsupportedEvaluation,
} from "./evaluation.js";
import type { EvaluationTrace } from "./evaluation-trace.js";
import { isOfApp, type Spec } from "./spec.js";
import type { EvaluationUser } from "./user.js";

/** Specifications by name, and the lists of segments. */
export interface SpecSource {
  /** Returns a gate, segment or holdout. */
  gate(name: string): Spec | undefined;
  /** Returns a dynamic config or an experiment. */
  config(name: string): Spec | undefined;
  layer(name: string): Spec | undefined;
  /** Returns true if the list of a segment has a unit. */
  isListed(segmentID: string, unitID: string): boolean;
}

/** Gates below each other. A cycle is refused when it is written, so that only old ones end here. */
const DEPTH_MAX = 100;

const compiled = oncePer(compileSpec);

interface EvaluatorOptions {
  /** ms since the epoch. */
  readonly now: number;
  /** The app of the key that asks. */
  readonly targetApp?: string | undefined;
  /** Gets the way to the answer of the first question. */
  readonly trace?: EvaluationTrace | undefined;
}

/**
 * Evaluates for one user at one time, as the platform's SDKs do (statsig-node `Evaluator.ts`): the first
 * rule whose conditions all hold decides, also if its percentage does not have the unit.
 */
export class Evaluator implements ConditionCall {
  readonly now: number;
  readonly targetApp: string | undefined;
  readonly #gates = new Map<string, Evaluation>();
  readonly #trace: EvaluationTrace | undefined;
  #depth = 0;

  constructor(
    private readonly specs: SpecSource,
    readonly user: EvaluationUser,
    { now, targetApp, trace }: EvaluatorOptions,
  ) {
    this.now = now;
    this.#trace = trace;
    this.targetApp = targetApp;
  }

  /** Evaluates what a client asks for: the key of an app does not see the entities of others. */
  asked(part: "gate" | "config" | "layer", name: string): Evaluation {
    const spec = this.specs[part](name);
    return spec !== undefined && isOfApp(spec, this.targetApp)
      ? this[part](name)
      : unknownEvaluation;
  }

  gate(name: string): Evaluation {
    const known = this.#gates.get(name);
    if (known !== undefined) return known;
    const evaluation = this.#evaluate(this.specs.gate(name));
    this.#gates.set(name, evaluation);
    return evaluation;
  }

  config(name: string): Evaluation {
    return this.#evaluate(this.specs.config(name));
  }

  layer(name: string): Evaluation {
    return this.#evaluate(this.specs.layer(name));
  }

  isListed(segmentID: string, unitID: string): boolean {
    return this.specs.isListed(segmentID, unitID);
  }

  #evaluate(spec: Spec | undefined): Evaluation {
    if (spec === undefined) return unknownEvaluation;
    if (!spec.enabled) return this.#defaultOf(spec, "disabled", []);
    if (this.#depth === DEPTH_MAX) return unsupportedEvaluation;
    this.#depth += 1;
    try {
      return this.#decide(compiled(spec));
    } finally {
      this.#depth -= 1;
    }
  }

  #decide({ spec, rules }: CompiledSpec): Evaluation {
    const exposures: Exposure[] = [];
    for (const rule of rules) {
      const outcome = this.#holds(rule, exposures);
      if (outcome === "unsupported") return unsupportedEvaluation;
      if (outcome === "holds") return this.#answer(spec, rule, distinctExposures(exposures));
    }
    return this.#defaultOf(spec, "default", distinctExposures(exposures));
  }

  /** Evaluates all conditions, also after one that fails: their exposures count. */
  #holds(rule: CompiledRule, exposures: Exposure[]) {
    let outcome: "holds" | "fails" = "holds";
    const trace = this.#depth === 1 ? this.#trace : undefined;
    for (const condition of rule.conditions) {
      const one = condition(this, exposures);
      trace?.tried(rule.rule, one === "holds", (index) => rule.shownValue(index, this));
      if (one === "unsupported") return one;
      if (one === "fails") outcome = one;
    }
    return outcome;
  }

  #answer(spec: Spec, { rule, reason }: CompiledRule, exposures: readonly Exposure[]): Evaluation {
    const { configDelegate: delegate } = rule;
    if (delegate !== undefined) {
      const delegated = this.config(delegate);
      if (delegated.reason !== "UNKNOWN") {
        const all = distinctExposures([...exposures, ...delegated.exposures]);
        return { ...delegated, delegate, exposures: all, undelegatedExposures: exposures };
      }
    }
    const unit = this.user.unitID(rule.idType) ?? "";
    const passes = isWithin(rule.passPercentage, spec.salt, rule.salt, unit);
    if (this.#trace !== undefined && this.#depth === 1) {
      this.#trace.decided(rule, stepOf(spec.salt, rule.salt, unit), passes);
    }
    const value = passes ? rule.returnValue : spec.defaultValue;
    return {
      passes,
      value: typeof value === "object" ? value : {},
      ruleID: rule.id,
      groupName: rule.groupName,
      reason,
      isExperimentGroup: rule.isExperimentGroup === true,
      delegate: undefined,
      exposures,
      undelegatedExposures: exposures,
    };
  }

  #defaultOf(
    { defaultValue }: Spec,
    ruleID: "default" | "disabled",
    exposures: readonly Exposure[],
  ): Evaluation {
    return {
      passes: false,
      value: typeof defaultValue === "object" ? defaultValue : {},
      ruleID,
      groupName: null,
      reason: ruleID === "disabled" ? "DISABLED" : "DEFAULT",
      isExperimentGroup: false,
      delegate: undefined,
      exposures,
      undelegatedExposures: exposures,
    };
  }
}

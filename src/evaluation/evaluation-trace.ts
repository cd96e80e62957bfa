import { limitOf } from "./buckets.js";
import type { SpecCondition, SpecRule } from "./spec.js";

/** A condition that was evaluated. */
interface TriedCondition {
  readonly condition: SpecCondition;
  readonly holds: boolean;
  /** The value that the user had. */
  readonly value: unknown;
}

/** The percentage of the rule that decided. */
interface Decision {
  readonly rule: SpecRule;
  /** 0 to 9,999; null for 0 % and 100 %, which need none. */
  readonly bucket: number | null;
  readonly limit: number;
  readonly passes: boolean;
}

/** The way to an answer: the evaluator writes it down where somebody asks why. */
export class EvaluationTrace {
  /** The rules that were tried. */
  readonly rules = new Map<SpecRule, TriedCondition[]>();
  decision: Decision | undefined;

  /** Called for each condition of a rule, in their order. */
  tried(rule: SpecRule, holds: boolean, shownValue: (index: number) => unknown): void {
    const known = this.rules.get(rule) ?? [];
    this.rules.set(rule, known);
    const condition = rule.conditions[known.length];
    if (condition === undefined) return;
    known.push({ condition, holds, value: shownValue(known.length) });
  }

  /** Called for the rule that decides. `step` is what the percentage of its units is compared with. */
  decided(rule: SpecRule, step: number, passes: boolean): void {
    const isCounted = rule.passPercentage !== 0 && rule.passPercentage !== 100;
    const limit = limitOf(rule.passPercentage);
    this.decision = { rule, bucket: isCounted ? step : null, limit, passes };
  }
}

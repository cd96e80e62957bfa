import { sum } from "../base/sum.js";
import {
  defaultQualityChecks,
  QUALITY_SCORES_MAX,
  type QualityScore,
} from "../contract/experiment-fields.js";
import type { Fault } from "../contract/faults.js";

/** A smaller difference between sums of weights is rounding: the weights stay unchanged. */
const WEIGHT_TOLERANCE = 1e-9;

const WEIGHTS_SUM = 100;

/** Digits of a scaled weight: 24.999999999999996 is 25. */
const WEIGHT_DIGITS = 12;

const defaultChecks: ReadonlySet<string> = new Set(defaultQualityChecks);

/**
 * Merges `given` quality scores into the `existing` ones. A score with a new name is appended; one with
 * a known name changes the fields that it has. A default check (for example `HYPOTHESIS_LENGTH`) keeps
 * only its weight, and a weight of 0 removes it; other scores may have the weight 0. Then all weights are
 * scaled to a sum of 100.
 *
 * The list has no results of default checks, only scores that were set by hand. So ten own scores fit,
 * and the listed weights add up to 100. A default check is listed once it has a weight.
 */
export function mergeQualityScores(
  existing: readonly QualityScore[],
  given: readonly QualityScore[],
): QualityScore[] {
  const merged = new Map(existing.map((score) => [score.criteriaName, score]));
  for (const score of given) {
    const { criteriaName, weight } = score;
    if (!defaultChecks.has(criteriaName)) {
      merged.set(criteriaName, { ...merged.get(criteriaName), ...score });
    } else if (Number(weight) === 0) {
      merged.delete(criteriaName);
    } else {
      merged.set(criteriaName, { criteriaName, weight });
    }
  }
  return renormalised([...merged.values()]);
}

/** Returns the faults of merged scores: too many scores, or only weights of 0. */
export function qualityScoreFaults(merged: readonly QualityScore[]): readonly Fault[] {
  const property = "manualQualityScores";
  if (merged.length > QUALITY_SCORES_MAX) {
    const errorMessage = `Must have at most ${QUALITY_SCORES_MAX} items together with the existing ones, not ${merged.length}`;
    return [{ property, errorMessage }];
  }
  if (merged.length > 0 && merged.every(({ weight }) => Number(weight) === 0)) {
    return [{ property, errorMessage: "Weights must not all be 0" }];
  }
  return [];
}

function renormalised(scores: QualityScore[]): QualityScore[] {
  const weights = scores.map(({ weight }) => Number(weight));
  // Shares of the largest weight have a finite sum, even if the weights have none.
  const largest = Math.max(...weights);
  if (!(largest > 0)) return scores;
  const shares = weights.map((weight) => weight / largest);
  const total = sum(shares, (share) => share);
  if (Math.abs(total * largest - WEIGHTS_SUM) < WEIGHT_TOLERANCE) return scores;
  return scores.map((score, index) => ({
    ...score,
    weight: Number((((shares[index] ?? 0) / total) * WEIGHTS_SUM).toPrecision(WEIGHT_DIGITS)),
  }));
}

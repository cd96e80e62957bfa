import {
  defaultQualityChecks,
  QUALITY_SCORES_MAX,
  type QualityScore,
} from "../contract/experiment-metrics.js";
import type { Fault } from "../contract/faults.js";

/** Sums of weights that differ by less are rounding: the weights stay as they came. */
const WEIGHT_TOLERANCE = 1e-9;

const WEIGHTS_SUM = 100;

const defaultChecks: ReadonlySet<string> = new Set(defaultQualityChecks);

/**
 * The quality scores of an experiment after `given` ones were added to the `existing` ones. One of a
 * new name goes to the end; one of a known name changes the fields that it gives. Of a default check
 * (`HYPOTHESIS_LENGTH` and the like) the weight alone is taken, and a weight of 0 takes the check out
 * of the list; a score of another name stays with the weight 0. Then all weights are multiplied so
 * that they add up to 100.
 *
 * Results of the default checks are no part of the list: it holds what was set by hand, so that ten
 * entries of one's own fit and the weights that show add up to 100. A default check is in it once it
 * was given a weight.
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

/** What is wrong with merged scores: too many of them, or no weight that could become 100. */
export function qualityScoreFaults(merged: readonly QualityScore[]): readonly Fault[] {
  const property = "manualQualityScores";
  if (merged.length > QUALITY_SCORES_MAX) {
    const errorMessage = `Must be at most ${QUALITY_SCORES_MAX} items together with the existing ones, not ${merged.length}`;
    return [{ property, errorMessage }];
  }
  if (merged.length > 0 && merged.every(({ weight }) => Number(weight) === 0)) {
    return [{ property, errorMessage: "Weights must not all be 0" }];
  }
  return [];
}

function renormalised(scores: QualityScore[]): QualityScore[] {
  const weights = scores.map(({ weight }) => Number(weight));
  // Shares of the largest weight: their sum is finite even where that of the weights is not.
  const largest = Math.max(...weights);
  if (!(largest > 0)) return scores;
  const shares = weights.map((weight) => weight / largest);
  const sum = shares.reduce((before, share) => before + share, 0);
  if (Math.abs(sum * largest - WEIGHTS_SUM) < WEIGHT_TOLERANCE) return scores;
  return scores.map((score, index) => ({
    ...score,
    weight: ((shares[index] ?? 0) / sum) * WEIGHTS_SUM,
  }));
}

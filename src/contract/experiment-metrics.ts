import { z } from "zod";
import { metricName } from "./common.js";
import { list, numeric, text, textList } from "./fields.js";

/** Quality scores that an experiment can have. */
export const QUALITY_SCORES_MAX = 10;

/** Checks that every experiment has; a quality score of such a name sets the check's weight. */
export const defaultQualityChecks = [
  "HYPOTHESIS_LENGTH",
  "BALANCED_EXPOSURE",
  "PRIMARY_METRICS_LENGTH",
  "COMPARISON_CORRECTION",
  "GUARDRAIL_METRIC_TAGS",
  "SUFFICIENT_SAMPLE",
  "POWER_ANALYSIS",
  "SEQUENTIAL_TESTING",
] as const;

const metricReference = metricName.extend({
  direction: text("Direction that is hoped for, e.g. `increase`.").exactOptional(),
  hypothesizedValue: numeric("Value that is expected.").exactOptional(),
});

const metrics = (description: string) => list(metricReference).describe(description);

const qualityScore = z.object({
  criteriaName: text(
    `What is judged. Default checks: ${defaultQualityChecks.join(", ")}; of these the weight alone is taken.`,
  ),
  status: text("Result, e.g. `PASSED`.").exactOptional(),
  criteriaDescription: text("What the criterion asks.").exactOptional(),
  score: numeric("Score that was reached.").exactOptional(),
  weight: numeric("Share of the whole; 0 removes a default check.", { min: 0 }),
});

export type QualityScore = z.output<typeof qualityScore>;

/** Fields that say what an experiment is measured and judged by, each once. */
export const metricFields = {
  primaryMetrics: metrics("Metrics that the experiment is decided by."),
  secondaryMetrics: metrics("Metrics that are watched beside them."),
  otherMetrics: metrics("Metrics that get none of the corrections of the others."),
  primaryMetricTags: textList("Tags whose metrics are primary."),
  secondaryMetricTags: textList("Tags whose metrics are secondary."),
  manualQualityScores: list(qualityScore)
    // Checked with the rules over several fields: after `max` those would not be asked any more.
    .meta({
      description:
        "Quality scores, added to the existing ones; weights are renormalised to 100 over all of them.",
      maxItems: QUALITY_SCORES_MAX,
    }),
};

/** Values of the fields above that a create or a full update leaves out. */
export const metricDefaults = {
  primaryMetrics: [],
  secondaryMetrics: [],
  otherMetrics: [],
  primaryMetricTags: [],
  secondaryMetricTags: [],
  manualQualityScores: [],
};

import { z } from "zod";
import { metricName } from "./common.js";
import { list, numeric, text, textList } from "./fields.js";

/** Maximum number of quality scores of an experiment. */
export const QUALITY_SCORES_MAX = 10;

/** The checks of every experiment. A quality score with the name of a check sets its weight. */
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
  direction: text("Desired direction, e.g. `increase`.").exactOptional(),
  hypothesizedValue: numeric("Expected value.").exactOptional(),
});

const metrics = (description: string) => list(metricReference).describe(description);

const qualityScore = z.object({
  criteriaName: text(
    `Name of the criterion. Default checks: ${defaultQualityChecks.join(", ")}; only the weight of these is used.`,
  ),
  status: text("Result, e.g. `PASSED`.").exactOptional(),
  criteriaDescription: text("Description of the criterion.").exactOptional(),
  score: numeric("Score reached.").exactOptional(),
  weight: numeric("Share of the whole; 0 removes a default check.", { min: 0 }),
});

export type QualityScore = z.output<typeof qualityScore>;

/** Fields for the metrics and quality scores of an experiment. */
export const metricFields = {
  primaryMetrics: metrics("Metrics that decide the experiment."),
  secondaryMetrics: metrics("Metrics that are also watched."),
  otherMetrics: metrics("Metrics without statistical corrections."),
  primaryMetricTags: textList("Tags whose metrics are primary."),
  secondaryMetricTags: textList("Tags whose metrics are secondary."),
  manualQualityScores: list(qualityScore)
    // Not `max`: if it failed, the rules across fields would not run.
    .meta({
      description:
        "Quality scores, merged into the existing ones. All weights are scaled to a sum of 100.",
      maxItems: QUALITY_SCORES_MAX,
    }),
};

/** Defaults of the fields above. */
export const metricDefaults = {
  primaryMetrics: [],
  secondaryMetrics: [],
  otherMetrics: [],
  primaryMetricTags: [],
  secondaryMetricTags: [],
  manualQualityScores: [],
};

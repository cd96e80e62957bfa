import { z } from "zod";
import { metricName } from "./common.js";
import { flag, list, numeric, text } from "./fields.js";

const confidenceIntervals = ["80", "90", "95", "98", "99"] as const;
const rollupWindows = [-1, 1, 7] as const;
const analyticsTypes = ["frequentist", "bayesian", "sprt"] as const;
const sprtBaselineModes = ["manual", "in_experiment_control"] as const;

const bayesianPrior = z.object({
  metric: metricName.describe("Metric of the prior."),
  priorMean: numeric("Mean of the prior."),
  priorStdDev: numeric("Standard deviation of the prior."),
});

const sprtGroupSetting = z.object({
  groupKey: text("Group of the setting."),
  mde: numeric("Minimum detectable effect.").exactOptional(),
  mean: numeric("Mean of the baseline.").exactOptional(),
  stdDev: numeric("Standard deviation of the baseline.").exactOptional(),
});

const sprtMetricSetting = z.object({
  metricKey: text("Metric of the setting."),
  groupSettings: list(sprtGroupSetting).describe("One setting for each group."),
});

const stratifiedSampling = z
  .object({
    status: text("State of the sampling, e.g. `pending`."),
    metric: z
      .object({
        name: text("Name of the metric."),
        startDate: text("First day."),
        endDate: text("Last day."),
      })
      .exactPartial()
      .describe("Metric that balances the strata."),
    entityPropertySource: z
      .object({
        propertySourceName: text("Name of the source."),
        column: text("Column with the stratum."),
      })
      .exactPartial()
      .describe("Property that defines the strata."),
    csv: z
      .object({
        original: text("Name of the file."),
        identifier: text("Identifier of the stored file."),
      })
      .exactPartial()
      .describe("File with the strata."),
  })
  .exactPartial()
  .describe("Assignment balanced over strata.");

/** Fields for the computation of results. */
export const statisticsFields = {
  sequentialTesting: flag("True if results may be read before the end."),
  bonferroniCorrection: flag("True to correct significance for the number of variants."),
  bonferroniCorrectionPerMetric: flag("True to correct significance for the number of metrics."),
  benjaminiHochbergPerVariant: flag("True to control the false discovery rate over variants."),
  benjaminiHochbergPerMetric: flag("True to control the false discovery rate over metrics."),
  benjaminiPrimaryMetricsOnly: flag("True to control it for primary metrics only."),
  defaultConfidenceInterval: z.enum(confidenceIntervals).describe("Confidence in percent."),
  defaultRollupWindow: numeric("Rollup window in days; -1 is cumulative.", {
    integer: true,
    oneOf: rollupWindows,
  }),
  defaultChanceToBeatThreshold: numeric("Threshold of the chance to beat, for Bayesian results."),
  bayesianPriors: list(bayesianPrior).describe("Priors of Bayesian results."),
  analyticsType: z.enum(analyticsTypes).describe("Kind of statistics."),
  defaultSPRTPowerParam: numeric("Power of sequential probability ratio tests, in percent."),
  defaultSPRTMDE: numeric("Minimum detectable effect of metrics without one."),
  sprtBaselineMode: z
    .enum(sprtBaselineModes)
    .describe(
      "Source of the baseline: given (mde, mean and stdDev of every metric) or measured (mde only).",
    ),
  sprtMDESettings: list(sprtMetricSetting).describe("Settings by metric and group."),
  cureCovariates: list(z.object({ name: text("Name."), type: text("Type.") })).describe(
    "Covariates for variance reduction.",
  ),
  stratifiedSampling,
};

/** Defaults of the fields above. Fields without a default stay unset. */
export const statisticsDefaults = {
  sequentialTesting: false,
  bonferroniCorrection: false,
  bonferroniCorrectionPerMetric: false,
  benjaminiHochbergPerVariant: false,
  benjaminiHochbergPerMetric: false,
  benjaminiPrimaryMetricsOnly: false,
  defaultConfidenceInterval: "95" as const,
  bayesianPriors: [],
  analyticsType: "frequentist" as const,
  sprtMDESettings: [],
  cureCovariates: [],
};

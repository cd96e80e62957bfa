import { z } from "zod";
import { metricName } from "./common.js";
import { flag, list, numeric, text } from "./fields.js";

const confidenceIntervals = ["80", "90", "95", "98", "99"] as const;
const rollupWindows = [-1, 1, 7] as const;
const analyticsTypes = ["frequentist", "bayesian", "sprt"] as const;
const sprtBaselineModes = ["manual", "in_experiment_control"] as const;

const bayesianPrior = z.object({
  metric: metricName.describe("Metric that the prior is for."),
  priorMean: numeric("Mean of the prior."),
  priorStdDev: numeric("Standard deviation of the prior."),
});

const sprtGroupSetting = z.object({
  groupKey: text("Group that the setting is for."),
  mde: numeric("Minimum detectable effect.").exactOptional(),
  mean: numeric("Mean of the baseline.").exactOptional(),
  stdDev: numeric("Standard deviation of the baseline.").exactOptional(),
});

const sprtMetricSetting = z.object({
  metricKey: text("Metric that the setting is for."),
  groupSettings: list(sprtGroupSetting).describe("One setting for each group."),
});

const stratifiedSampling = z
  .object({
    status: text("State of the sampling, e.g. `pending`."),
    metric: z
      .object({
        name: text("Name of the metric."),
        startDate: text("First day that is looked at."),
        endDate: text("Last day that is looked at."),
      })
      .exactPartial()
      .describe("Metric that the strata are balanced by."),
    entityPropertySource: z
      .object({
        propertySourceName: text("Name of the source."),
        column: text("Column of the stratum."),
      })
      .exactPartial()
      .describe("Property that the strata are made of."),
    csv: z
      .object({ original: text("Name of the file."), identifier: text("Where it is kept.") })
      .exactPartial()
      .describe("File that the strata come from."),
  })
  .exactPartial()
  .describe("Assignment balanced over strata.");

/** Fields that say how results are computed, each once. */
export const statisticsFields = {
  sequentialTesting: flag("Whether results may be looked at before the end."),
  bonferroniCorrection: flag("Whether significance is corrected for the number of variants."),
  bonferroniCorrectionPerMetric: flag(
    "Whether significance is corrected for the number of metrics.",
  ),
  benjaminiHochbergPerVariant: flag("Whether false discoveries are bounded over variants."),
  benjaminiHochbergPerMetric: flag("Whether false discoveries are bounded over metrics."),
  benjaminiPrimaryMetricsOnly: flag("Whether that bound is for primary metrics alone."),
  defaultConfidenceInterval: z.enum(confidenceIntervals).describe("Confidence in percent."),
  defaultRollupWindow: numeric("Days that results are rolled up over; -1 is cumulative.", {
    integer: true,
    oneOf: rollupWindows,
  }),
  defaultChanceToBeatThreshold: numeric("Chance to beat that decides Bayesian results."),
  bayesianPriors: list(bayesianPrior).describe("Priors of Bayesian results."),
  analyticsType: z.enum(analyticsTypes).describe("Kind of statistics."),
  defaultSPRTPowerParam: numeric("Power of sequential probability ratio tests, in percent."),
  defaultSPRTMDE: numeric("Minimum detectable effect of metrics that give none."),
  sprtBaselineMode: z
    .enum(sprtBaselineModes)
    .describe(
      "Where the baseline comes from: given by hand (mde, mean and stdDev of every metric), or measured (mde alone).",
    ),
  sprtMDESettings: list(sprtMetricSetting).describe("Settings by metric and group."),
  cureCovariates: list(z.object({ name: text("Name."), type: text("Type.") })).describe(
    "Covariates that variance is reduced by.",
  ),
  stratifiedSampling,
};

/** Values of the fields above that a create or a full update leaves out; the others stay unset. */
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

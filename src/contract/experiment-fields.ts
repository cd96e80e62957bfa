import { z } from "zod";
import {
  creatorEmail,
  creatorID,
  idType,
  metricName,
  tags,
  targetApps,
  team,
  teamID,
} from "./common.js";
import {
  descriptionText,
  flag,
  jsonObject,
  list,
  nameLike,
  numeric,
  text,
  textList,
} from "./fields.js";
import { jsonFault, VALUE_DEPTH_MAX } from "./json-text.js";

export const experimentStatuses = [
  "active",
  "setup",
  "decision_made",
  "abandoned",
  "archived",
  "experiment_stopped",
  "assignment_stopped",
] as const;

export type ExperimentStatus = (typeof experimentStatuses)[number];

/** The id that no experiment can have, because it is part of the path of qualifying events. */
export const RESERVED_EXPERIMENT_ID = "qualifying_events";

export const experimentID = nameLike(
  /^[a-zA-Z0-9_-]*$/,
  `Name ID; derived from the name by default. \`${RESERVED_EXPERIMENT_ID}\` is reserved.`,
);

export const layerID = z.string().nullable().describe("Layer of the experiment.");

/** Refuses values that JSON cannot represent: 1e400 would come back as null. */
const parameterValues = jsonObject("Values that the units of the group get.").check(
  ({ value, issues }) => {
    const fault = jsonFault(value, VALUE_DEPTH_MAX);
    if (fault !== undefined) issues.push({ code: "custom", message: fault, input: value });
  },
);

const groupRequest = z.object({
  name: text("Name of the group."),
  size: numeric("Percentage of the experiment's units.", { min: 0, max: 100 }),
  parameterValues: parameterValues.exactOptional(),
  id: text("Identifier of the group; generated if it is empty or absent.").exactOptional(),
  disabled: flag("True if the group gets no units.").exactOptional(),
  description: text("Purpose of the group.").exactOptional(),
  foreignGroupID: text("Identifier of the group in its source.").exactOptional(),
  highlighted: flag("True if the group is highlighted.").exactOptional(),
});

/** A group in a response: always with its identifier. */
export const group = groupRequest.extend({ id: text("Identifier of the group.") });

export type GroupRequest = z.output<typeof groupRequest>;
export type Group = z.output<typeof group>;

const days = (description: string) => numeric(description, { integer: true, above: 1 });

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

const identifierMappingModes = [
  "strictOneToOne",
  "firstTouchOneToMany",
  "lastTouchOneToMany",
] as const;

const scheduledReloadTypes = ["full", "incremental"] as const;

/** The fields that a create, a full update and a partial update share. */
export const experimentFields = {
  // Setup, units and state.
  name: nameLike(/^[a-zA-Z0-9_\- ]*$/, "Display name."),
  description: descriptionText,
  idType,
  hypothesis: text("Statement that the experiment tests."),
  links: list(
    z.object({ url: text("Address."), title: text("Title of the page.").exactOptional() }),
  ).describe("Links about the experiment."),
  externalEvents: list(
    z.object({
      name: text("Name of the event."),
      timestamp: numeric("Time of the event, in ms since the epoch.", { integer: true }),
    }),
  ).describe("External events that may affect the results."),
  groups: list(groupRequest).describe("Groups; their sizes add up to at most 100."),
  controlGroupID: text("Group that the other groups are compared with."),
  allocation: numeric("Percentage of the layer that is allocated.", { min: 0, max: 100 }),
  userBuckets: list(numeric("A bucket.", { min: 0, below: 1_000 })).describe(
    "Buckets of the units that take part.",
  ),
  targetApps,
  tags,
  duration: days("Expected length in days."),
  targetExposures: numeric("Expected number of exposures.", { integer: true, above: 1 }),
  targetingGateID: z
    .string()
    .nullable()
    .describe("Gate that units must pass to take part; null for all units."),
  status: z.enum(experimentStatuses).describe("State of the experiment."),
  launchedGroupID: z.string().nullable().describe("Launched group, or null."),
  creatorID,
  creatorEmail,
  team,
  teamID,
  fixedAnalysisDuration: days("Number of days to analyse."),
  isSidecar: flag("True for a sidecar experiment."),
  decisionReason: text("Notes on the decision."),
  enabledNonProdEnvironments: textList("Environments besides production."),
  // Metrics and quality scores.
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
  // Computation of results.
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
  // Analysis in a warehouse.
  secondaryIDType: z.string().nullable().describe("Second ID type, for identity resolution."),
  identifierMappingMode: z
    .enum(identifierMappingModes)
    .describe("Method to match identifiers of the two types."),
  identityResolutionSource: z
    .string()
    .nullable()
    .describe("Entity property source for identity resolution."),
  assignmentSourceName: text("Name of the assignment source."),
  assignmentSourceExperimentName: text("Name of the experiment in that source."),
  assignmentSourceFilters: list(
    z.object({
      condition: text("Comparison, e.g. `in`."),
      column: text("Column to compare."),
      values: textList("Values to compare with."),
    }),
  ).describe("Filters on the assignments of the source."),
  isAnalysisOnly: z
    .boolean()
    .nullable()
    .describe("True if units are assigned elsewhere and only results are computed here."),
  analysisEndTime: text("End of the analysis of an analysis-only experiment."),
  allocationDuration: days("Number of days in which units are allocated.").nullable(),
  cohortedAnalysisDuration: days("Number of days to analyse for each unit."),
  cohortedMetricsMatureAfterEnd: flag("True if cohorted metrics mature after the end."),
  cohortWaitUntilEndToInclude: flag("True if units count only after all their days of analysis."),
  scheduledReloadHour: numeric("Hour of scheduled reloads in UTC.", {
    integer: true,
    min: 0,
    max: 23,
  }).nullable(),
  scheduledReloadType: z.enum(scheduledReloadTypes).describe("Kind of scheduled reloads."),
  scheduledReloadDays: list(numeric("A weekday; 0 is Sunday.", { integer: true, min: 0, max: 6 }))
    .nullable()
    .describe("Weekdays of scheduled reloads; null for all days."),
  turboMode: flag("True if scheduled reloads run in turbo mode."),
  preComputedUserDimensions: list(
    z.object({ name: text("Name."), propertySource: text("Source of the dimension.") }),
  ).describe("User dimensions that are computed in advance."),
};

/** Fields without a default: absent from answers until a client sets them. */
export const unset = {
  controlGroupID: true,
  targetExposures: true,
  fixedAnalysisDuration: true,
  defaultRollupWindow: true,
  defaultChanceToBeatThreshold: true,
  defaultSPRTPowerParam: true,
  defaultSPRTMDE: true,
  sprtBaselineMode: true,
  stratifiedSampling: true,
  identifierMappingMode: true,
  assignmentSourceName: true,
  assignmentSourceExperimentName: true,
  analysisEndTime: true,
  cohortedAnalysisDuration: true,
  scheduledReloadType: true,
} as const;

export const unsetFields = Object.keys(unset) as readonly (keyof typeof unset)[];

/** Defaults of the other optional fields of a create and a full update. */
export const experimentDefaults: Omit<
  z.output<z.ZodObject<typeof experimentFields>>,
  keyof typeof unset | "name" | "groups" | "status" | "creatorID" | "creatorEmail"
> = {
  description: "",
  idType: "userID",
  hypothesis: "",
  links: [],
  externalEvents: [],
  allocation: 100,
  userBuckets: [],
  targetApps: [],
  tags: [],
  duration: 14,
  targetingGateID: null,
  launchedGroupID: null,
  team: null,
  teamID: null,
  isSidecar: false,
  decisionReason: "",
  enabledNonProdEnvironments: [],
  primaryMetrics: [],
  secondaryMetrics: [],
  otherMetrics: [],
  primaryMetricTags: [],
  secondaryMetricTags: [],
  manualQualityScores: [],
  sequentialTesting: false,
  bonferroniCorrection: false,
  bonferroniCorrectionPerMetric: false,
  benjaminiHochbergPerVariant: false,
  benjaminiHochbergPerMetric: false,
  benjaminiPrimaryMetricsOnly: false,
  defaultConfidenceInterval: "95",
  bayesianPriors: [],
  analyticsType: "frequentist",
  sprtMDESettings: [],
  cureCovariates: [],
  secondaryIDType: null,
  identityResolutionSource: null,
  assignmentSourceFilters: [],
  isAnalysisOnly: null,
  allocationDuration: null,
  cohortedMetricsMatureAfterEnd: false,
  cohortWaitUntilEndToInclude: false,
  scheduledReloadHour: null,
  scheduledReloadDays: null,
  turboMode: false,
  preComputedUserDimensions: [],
};

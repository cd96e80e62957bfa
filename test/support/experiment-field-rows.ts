import {
  aboveOne,
  at,
  each,
  type FieldRow,
  flags,
  nullableStrings,
  numbers,
  oneOf,
  type Refusal,
  type Rows,
  stringLists,
  strings,
  textItems,
  wrongType,
} from "./field-rows.js";

const metricLists = (...fields: readonly string[]) =>
  each(fields, (field) => {
    const metric = { name: "m", type: "t" };
    return {
      row: "array of Metric ref: name, type, direction, hypothesizedValue",
      valid: [
        [],
        [metric, { ...metric, direction: "increase", hypothesizedValue: 1.5 }],
        [{ ...metric, hypothesizedValue: "1.5" }],
      ],
      invalid: [
        ...wrongType(field, "array", "m"),
        ...at(
          field,
          [[{ type: "t" }], "[0].name", "Required"],
          [[{ name: "m" }], "[0].type", "Required"],
          [[{ ...metric, direction: 1 }], "[0].direction", "Expected string, received number"],
          [
            [metric, { ...metric, hypothesizedValue: "much" }],
            "[1].hypothesizedValue",
            "Expected number, received string",
          ],
        ),
      ],
    };
  });

const group = { name: "Control", size: 50, id: "c" };
const prior = { metric: { name: "m", type: "t" }, priorMean: 0, priorStdDev: "0.1" };
const sprt = (groupSetting: object) => [{ metricKey: "m", groupSettings: [groupSetting] }];

const rows: Rows = {
  name: {
    row: "3 to 100 chars, pattern ^[a-zA-Z0-9_\\- ]*$",
    valid: ["abc", "a".repeat(100), "A b_c-9"],
    invalid: [
      ["ab", "name", "Must be at least 3 characters"],
      ["", "name", "Must be at least 3 characters"],
      ["a".repeat(101), "name", "Must be at most 100 characters"],
      ...["a.b", "a\\b", "grün", "a/b", "ab\nc", "🙂🙂🙂"].map(
        (value): Refusal => [value, "name", "Must match /^[a-zA-Z0-9_\\- ]*$/"],
      ),
      ...wrongType("name", "string", 123, ["abc"]),
    ],
  },
  description: {
    row: "max 1000 chars",
    valid: ["", "a".repeat(1_000)],
    invalid: [
      ["a".repeat(1_001), "description", "Must be at most 1000 characters"],
      ...wrongType("description", "string", 1),
    ],
  },
  ...strings("", "idType", "hypothesis", "controlGroupID", "decisionReason"),
  ...strings(
    "; source of the assignment",
    "assignmentSourceName",
    "assignmentSourceExperimentName",
  ),
  ...strings("; warehouse-native", "analysisEndTime"),
  ...nullableStrings("", "secondaryIDType", "identityResolutionSource", "targetingGateID"),
  ...nullableStrings("; null when no group is launched", "launchedGroupID"),
  ...nullableStrings("", "creatorID", "creatorEmail", "team", "teamID"),
  ...oneOf("identifierMappingMode", "strictOneToOne", "firstTouchOneToMany", "lastTouchOneToMany"),
  ...textItems("links", { url: "https://acme.test", title: "Acme" }, "title"),
  externalEvents: {
    row: "array of {name: string, timestamp: integer}",
    valid: [[], [{ name: "sale", timestamp: 1_700_000_000_000 }], [{ name: "", timestamp: "-1" }]],
    invalid: [
      ...wrongType("externalEvents", "array", {}),
      ...at(
        "externalEvents",
        [[{ timestamp: 1 }], "[0].name", "Required"],
        [[{ name: "sale" }], "[0].timestamp", "Required"],
        [[{ name: "sale", timestamp: 1.5 }], "[0].timestamp", "Expected integer, received float"],
      ),
    ],
  },
  groups: {
    row: "Group: name, size (percent), parameterValues, id, disabled, description, foreignGroupID, highlighted",
    valid: [
      [],
      [{ ...group, size: 0 }],
      [{ ...group, size: "100" }],
      [
        { ...group, size: 33.33 },
        { ...group, size: 33.33, name: "B", id: "b" },
        { ...group, size: 33.34, name: "C", id: "" },
      ],
      [
        {
          ...group,
          parameterValues: { deep: { list: [1, null, "x"] } },
          disabled: true,
          description: "d",
          foreignGroupID: "f",
          highlighted: false,
        },
      ],
    ],
    invalid: [
      ...wrongType("groups", "array", group),
      ...at(
        "groups",
        [[{ size: 50 }], "[0].name", "Required"],
        [[{ name: "A" }], "[0].size", "Required"],
        [[{ ...group, size: -0.1 }], "[0].size", "Must be greater than or equal to 0"],
        [
          [{ ...group, parameterValues: [] }],
          "[0].parameterValues",
          "Expected object, received array",
        ],
        [[{ ...group, disabled: "no" }], "[0].disabled", "Expected boolean, received string"],
        [[{ ...group, highlighted: 0 }], "[0].highlighted", "Expected boolean, received number"],
        [[{ ...group, description: 1 }], "[0].description", "Expected string, received number"],
        [
          [{ ...group, foreignGroupID: 1 }],
          "[0].foreignGroupID",
          "Expected string, received number",
        ],
      ),
    ],
  },
  allocation: {
    row: "number (double); 0 <= x <= 100",
    valid: [0, 100, 12.5, "99.9"],
    invalid: [
      [-0.001, "allocation", "Must be greater than or equal to 0"],
      [100.001, "allocation", "Must be less than or equal to 100"],
      ["101", "allocation", "Must be less than or equal to 100"],
      ...wrongType("allocation", "number", "all", true),
    ],
  },
  userBuckets: {
    row: "array of number; each 0 <= x < 1000",
    valid: [[], [0, 999, 999.5, "7"]],
    invalid: [
      ...wrongType("userBuckets", "array", 1),
      ...at(
        "userBuckets",
        [[1_000], "[0]", "Must be less than 1000"],
        [[0, -1], "[1]", "Must be greater than or equal to 0"],
        [[null], "[0]", "Expected number, received null"],
      ),
    ],
  },
  ...metricLists("primaryMetrics", "secondaryMetrics", "otherMetrics"),
  ...stringLists("primaryMetricTags", "secondaryMetricTags", "tags", "enabledNonProdEnvironments"),
  targetApps: {
    row: "array of string, or one string",
    valid: [[], ["b", "a"], "web"],
    invalid: [1, [1], {}].map(
      (value): Refusal => [value, "targetApps", "Expected string or array of strings"],
    ),
  },
  ...aboveOne("", [], "duration", "targetExposures", "fixedAnalysisDuration"),
  ...aboveOne("; warehouse-native", [], "cohortedAnalysisDuration"),
  ...aboveOne(" or null", [null], "allocationDuration"),
  ...flags("sequentialTesting", "bonferroniCorrection", "bonferroniCorrectionPerMetric"),
  ...flags("benjaminiHochbergPerVariant", "benjaminiHochbergPerMetric"),
  ...flags("benjaminiPrimaryMetricsOnly", "turboMode", "isSidecar"),
  ...flags("cohortedMetricsMatureAfterEnd", "cohortWaitUntilEndToInclude"),
  isAnalysisOnly: {
    row: "boolean or null",
    valid: [true, false, null],
    invalid: wrongType("isAnalysisOnly", "boolean", "true", 0),
  },
  ...oneOf("defaultConfidenceInterval", "80", "90", "95", "98", "99"),
  defaultRollupWindow: {
    row: "integer (int64); only -1, 1 and 7",
    valid: [-1, 1, 7, "7"],
    invalid: [
      ...[0, 2, 14, "8", -7].map(
        (value): Refusal => [value, "defaultRollupWindow", "Expected one of -1, 1, 7"],
      ),
      ...wrongType("defaultRollupWindow", "integer", "week"),
    ],
  },
  ...numbers("defaultChanceToBeatThreshold", "defaultSPRTPowerParam", "defaultSPRTMDE"),
  bayesianPriors: {
    row: "items: metric ({name, type}), priorMean, priorStdDev",
    valid: [[], [prior]],
    invalid: [
      ...wrongType("bayesianPriors", "array", prior),
      ...at(
        "bayesianPriors",
        [[{ ...prior, metric: undefined }], "[0].metric", "Required"],
        [[{ ...prior, metric: { name: "m" } }], "[0].metric.type", "Required"],
        [[{ ...prior, priorMean: undefined }], "[0].priorMean", "Required"],
        [[{ ...prior, priorStdDev: null }], "[0].priorStdDev", "Expected number, received null"],
      ),
    ],
  },
  manualQualityScores: {
    row: "at most 10 items: criteriaName, status, criteriaDescription, score, weight",
    valid: [
      [],
      [{ criteriaName: "a", status: "PASSED", criteriaDescription: "d", score: 1, weight: 100 }],
      Array.from({ length: 10 }, (_, index) => ({ criteriaName: `score ${index}`, weight: "10" })),
    ],
    invalid: [
      ...wrongType("manualQualityScores", "array", {}, "more than ten characters"),
      [
        Array.from({ length: 11 }, (_, index) => ({ criteriaName: `score ${index}`, weight: 1 })),
        "manualQualityScores",
        "Must be at most 10 items",
      ],
      ...at(
        "manualQualityScores",
        [[{ weight: 1 }], "[0].criteriaName", "Required"],
        [[{ criteriaName: "a" }], "[0].weight", "Required"],
        [[{ criteriaName: "a", weight: -1 }], "[0].weight", "Must be greater than or equal to 0"],
        [
          [{ criteriaName: "a", weight: 1, score: "x" }],
          "[0].score",
          "Expected number, received string",
        ],
        [
          [{ criteriaName: "a", weight: 1, status: 1 }],
          "[0].status",
          "Expected string, received number",
        ],
        [
          [
            { criteriaName: "a", weight: 1 },
            { criteriaName: "a", weight: 1 },
          ],
          "[1].criteriaName",
          "Duplicate criteria name(s) given",
        ],
      ),
    ],
  },
  scheduledReloadHour: {
    row: "integer (int64) or null; UTC hour, 0 to 23",
    valid: [0, 23, "7", null],
    invalid: [
      [-1, "scheduledReloadHour", "Must be greater than or equal to 0"],
      [24, "scheduledReloadHour", "Must be less than or equal to 23"],
      [1.5, "scheduledReloadHour", "Expected integer, received float"],
      ...wrongType("scheduledReloadHour", "integer", "noon", true),
    ],
  },
  ...oneOf("scheduledReloadType", "full", "incremental"),
  scheduledReloadDays: {
    row: "array of integer or null; each 0 to 6",
    valid: [[], [0, 6, "3"], null],
    invalid: [
      ...wrongType("scheduledReloadDays", "array", "all", 1),
      ...at(
        "scheduledReloadDays",
        [[7], "[0]", "Must be less than or equal to 6"],
        [[0, -1], "[1]", "Must be greater than or equal to 0"],
        [[1.5], "[0]", "Expected integer, received float"],
      ),
    ],
  },
  ...textItems("assignmentSourceFilters", { condition: "in", column: "c", values: ["a"] }),
  ...oneOf("analyticsType", "frequentist", "bayesian", "sprt"),
  ...oneOf("sprtBaselineMode", "manual", "in_experiment_control"),
  sprtMDESettings: {
    row: "items: metricKey, groupSettings of {groupKey, mde, mean, stdDev}",
    valid: [
      [],
      [{ metricKey: "m", groupSettings: [] }],
      sprt({ groupKey: "g" }),
      sprt({ groupKey: "g", mde: 1, mean: "2.5", stdDev: 0 }),
    ],
    invalid: [
      ...wrongType("sprtMDESettings", "array", {}),
      ...at(
        "sprtMDESettings",
        [[{ groupSettings: [] }], "[0].metricKey", "Required"],
        [[{ metricKey: "m" }], "[0].groupSettings", "Required"],
        [sprt({ mde: 1 }), "[0].groupSettings[0].groupKey", "Required"],
      ),
    ],
  },
  ...textItems("preComputedUserDimensions", { name: "n", propertySource: "p" }),
  ...textItems("cureCovariates", { name: "n", type: "t" }),
  stratifiedSampling: {
    row: "status; metric {name, startDate, endDate}; entityPropertySource {propertySourceName, column}; csv {original, identifier}",
    valid: [
      {},
      {
        status: "pending",
        metric: { name: "m", startDate: "2026-01-01", endDate: "2026-01-31" },
        entityPropertySource: { propertySourceName: "p", column: "c" },
        csv: { original: "o.csv", identifier: "i" },
      },
    ],
    invalid: [
      ...wrongType("stratifiedSampling", "object", [], "x"),
      ...at(
        "stratifiedSampling",
        [{ status: 1 }, ".status", "Expected string, received number"],
        [{ metric: { startDate: 1 } }, ".metric.startDate", "Expected string, received number"],
        [{ csv: "o.csv" }, ".csv", "Expected object, received string"],
      ),
    ],
  },
};

/** The writable fields; `status` is not among them, as what it allows depends on the state. */
export const fieldRows: readonly FieldRow[] = Object.entries(rows).map(([field, row]) => ({
  field,
  ...row,
}));

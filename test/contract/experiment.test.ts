import { describe, expect, it } from "vitest";
import type { z } from "zod";
import {
  experiment,
  experimentCreate,
  experimentPatch,
  experimentReplace,
  healthCheck,
} from "../../src/contract/experiment.js";
import { faultsOf } from "../../src/contract/faults.js";
import { fullExperiment } from "../support/experiment-bodies.js";

const faults = (schema: z.ZodType, value: unknown) => {
  const { error } = schema.safeParse(value, { reportInput: true });
  return error === undefined ? [] : faultsOf(error);
};

const stringOrNull = ["creatorID", "creatorEmail", "secondaryIDType", "identityResolutionSource"];
const nullable = [
  ...stringOrNull,
  "targetingGateID",
  "launchedGroupID",
  "isAnalysisOnly",
  "team",
  "teamID",
  "allocationDuration",
  "scheduledReloadHour",
  "scheduledReloadDays",
];

describe("writable fields", () => {
  it("accept null only where the specification does", () => {
    const fields = Object.entries(experimentPatch.shape);
    const taking = fields.filter(([, field]) => field.safeParse(null).success);
    expect(taking.map(([name]) => name).sort()).toEqual([...nullable].sort());
  });

  it("are optional on create, except the name", () => {
    expect(faults(experimentCreate, {})).toEqual([{ property: "name", errorMessage: "Required" }]);
    expect(faults(experimentCreate, { name: "abc" })).toEqual([]);
  });

  it("are optional in a partial update", () => {
    expect(faults(experimentPatch, {})).toEqual([]);
  });

  it("are optional in a full update, except the nine that the endpoint requires", () => {
    const missing = faults(experimentReplace, {});
    expect(missing.map(({ property }) => property).sort()).toEqual(
      Object.keys(fullExperiment).sort(),
    );
    expect(faults(experimentReplace, fullExperiment)).toEqual([]);
  });

  it("have all their faults reported at once", () => {
    const group = { name: "a", size: 60 };
    const score = { criteriaName: "a", weight: "x" };
    const all = faults(experimentPatch, {
      description: "a".repeat(1_001),
      groups: [group, { ...group, name: "b" }],
      manualQualityScores: Array(11).fill(score),
      status: "none",
    });
    expect(new Set(all.map(({ property }) => property))).toEqual(
      new Set([
        "description",
        "groups",
        "status",
        "manualQualityScores",
        ...Array.from({ length: 11 }, (_, index) => `manualQualityScores[${index}].weight`),
        ...Array.from(
          { length: 10 },
          (_, index) => `manualQualityScores[${index + 1}].criteriaName`,
        ),
      ]),
    );
  });

  it.each(Object.keys(fullExperiment))("%s is required in a full update", (field) => {
    expect(faults(experimentReplace, { ...fullExperiment, [field]: undefined })).toEqual([
      { property: field, errorMessage: "Required" },
    ]);
  });
});

describe("fields that only the service writes", () => {
  const responseOnly = [
    "createdTime",
    "creatorName",
    "lastModifierID",
    "lastModifiedTime",
    "lastModifierEmail",
    "lastModifierName",
    "layerID",
    "startTime",
    "endTime",
    "decisionTime",
    "experimentType",
    "subtype",
    "healthCheckStatus",
    "isStale",
    "reviewSettings",
    "activeReview",
    "holdoutIDs",
    "version",
    "externalExperimentName",
    "owner",
    "inlineTargetingRulesJSON",
    "inlineTargetingRules",
    "summarySections",
    "healthChecks",
    "id",
    "archiveReason",
    "unarchiveReason",
  ];

  it("are in answers, with all writable fields", () => {
    const fields = [...Object.keys(experimentPatch.shape), ...responseOnly];
    expect(Object.keys(experiment.shape).sort()).toEqual(fields.sort());
  });

  it("are ignored in requests, with any value", () => {
    const body = Object.fromEntries(responseOnly.map((field) => [field, { not: "right" }]));
    expect(experimentPatch.parse(body)).toEqual({});
    expect(experimentReplace.parse({ ...body, ...fullExperiment })).toEqual(fullExperiment);
    const { id: _, layerID: __, ...created } = body;
    expect(experimentCreate.parse({ ...created, name: "abc" })).toEqual({ name: "abc" });
  });
});

describe("id and layerID on create", () => {
  it.each(["abc", "a".repeat(100), "A_b-9"])("accept %j as id", (id) => {
    expect(faults(experimentCreate, { name: "abc", id })).toEqual([]);
  });

  it.each([
    ["ab", "Must be at least 3 characters"],
    ["a".repeat(101), "Must be at most 100 characters"],
    ["a b", "Must match /^[a-zA-Z0-9_-]*$/"],
    ["a.b", "Must match /^[a-zA-Z0-9_-]*$/"],
    [null, "Expected string, received null"],
    [123, "Expected string, received number"],
  ])("refuse %j as id: %s", (id, errorMessage) => {
    const property = "id";
    expect(faults(experimentCreate, { name: "abc", id })).toEqual([{ property, errorMessage }]);
  });

  it("accept a string or null as layerID", () => {
    expect(faults(experimentCreate, { name: "abc", layerID: "l" })).toEqual([]);
    expect(faults(experimentCreate, { name: "abc", layerID: null })).toEqual([]);
    expect(faults(experimentCreate, { name: "abc", layerID: 1 })).toEqual([
      { property: "layerID", errorMessage: "Expected string, received number" },
    ]);
  });
});

describe("group sizes", () => {
  const withSizes = (...sizes: readonly unknown[]) =>
    faults(experimentPatch, {
      groups: sizes.map((size, index) => ({ name: `group ${index}`, size })),
    });

  it.each([
    [[100]],
    [[50, 50]],
    [[33.33, 33.33, 33.34]],
    [[14.8, 14.2, 14.2, 14.2, 14.2, 14.2, 14.2]],
    [["33.4", 66.6]],
    [[0, 0]],
    [Array.from({ length: 10 }, () => 10)],
  ])("may add up to at most 100: %j", (sizes) => {
    expect(withSizes(...sizes)).toEqual([]);
  });

  it.each([
    [[50, 50.01], "100.00999999999999"],
    [[60, "60"], "120"],
    [[33.34, 33.34, 33.34], "100.02000000000001"],
  ])("must not add up to more than 100: %j", (sizes, sum) => {
    expect(withSizes(...sizes)).toEqual([
      { property: "groups", errorMessage: `Group sizes must add up to at most 100, not ${sum}` },
    ]);
  });

  it("are added up even if single fields have faults", () => {
    const body = {
      duration: 1,
      groups: [
        { name: "A", size: 80, id: "same" },
        { name: "A", size: 80, id: "same" },
        { name: 5, size: "much" },
        null,
      ],
    };
    expect(
      faults(experimentPatch, body)
        .map(({ property }) => property)
        .sort(),
    ).toEqual([
      "duration",
      "groups",
      "groups[1].id",
      "groups[1].name",
      "groups[2].name",
      "groups[2].size",
      "groups[3]",
    ]);
  });

  it.each([[[]], [null], ["text"], [5], [true]])("are ignored in the body %j", (body) => {
    expect(faults(experimentPatch, body)).toHaveLength(1);
  });
});

describe("sprtBaselineMode", () => {
  const withMode = (sprtBaselineMode: string, groupSettings: unknown, more: object = {}) =>
    faults(experimentCreate, {
      name: "abc",
      sprtBaselineMode,
      sprtMDESettings: [{ metricKey: "m", groupSettings }],
      ...more,
    });
  const groups = "sprtMDESettings[0].groupSettings";
  const requiredWith = (mode: string, ...names: readonly string[]) =>
    names.map((name) => ({
      property: `${groups}[0].${name}`,
      errorMessage: `Required with sprtBaselineMode ${mode}`,
    }));

  it("manual requires mde, mean and stdDev for every metric", () => {
    expect(withMode("manual", [{ groupKey: "g", mde: 1, mean: 0, stdDev: 1 }])).toEqual([]);
    expect(withMode("manual", [{ groupKey: "g" }])).toEqual(
      requiredWith("manual", "mde", "mean", "stdDev"),
    );
    expect(withMode("manual", [])).toEqual([
      {
        property: groups,
        errorMessage: "Must give mde, mean, stdDev with sprtBaselineMode manual",
      },
    ]);
  });

  it("manual uses defaultSPRTMDE for metrics without mde", () => {
    expect(withMode("manual", [{ groupKey: "g" }], { defaultSPRTMDE: 5 })).toEqual(
      requiredWith("manual", "mean", "stdDev"),
    );
  });

  it("in_experiment_control requires only mde for every metric, or defaultSPRTMDE", () => {
    expect(withMode("in_experiment_control", [{ groupKey: "g", mde: 1 }])).toEqual([]);
    expect(withMode("in_experiment_control", [{ groupKey: "g" }])).toEqual(
      requiredWith("in_experiment_control", "mde"),
    );
    for (const groupSettings of [[{ groupKey: "g" }], []]) {
      expect(withMode("in_experiment_control", groupSettings, { defaultSPRTMDE: "5" })).toEqual([]);
    }
  });

  it("requires nothing without settings or mode", () => {
    expect(faults(experimentCreate, { name: "abc", sprtBaselineMode: "manual" })).toEqual([]);
    const sprtMDESettings = [{ metricKey: "m", groupSettings: [{ groupKey: "g" }] }];
    expect(faults(experimentCreate, { name: "abc", sprtMDESettings })).toEqual([]);
  });

  it("adds no fault if the settings are not a list", () => {
    expect(withMode("manual", "none")).toEqual([
      { property: groups, errorMessage: "Expected array, received string" },
    ]);
  });
});

it("a health check has the specification's members", () => {
  const check = {
    name: "Metrics",
    description: "Whether metrics have data.",
    status: "PASSED",
    type: "has_checks",
    metadata: {
      type: "metrics",
      primary_id_type: "userID",
      secondary_id_type: "stableID",
      assignmentSourceID: "a",
      assignmentSourceName: "b",
      foreignExperimentID: "c",
      lastUpdatedDs: "2026-01-01",
      lastPulseLoadTime: 1,
      crossoverPercent: 0.5,
      deduplication_rate: 0.1,
      deduplication_rates: [{ group_id: "g", rate: 0.1, group_name: "Control" }],
      missingMetrics: ["m"],
      metrics: [
        {
          metric_name: "m",
          earliest_date: "2026-01-01T00:00:00Z",
          latest_date: "2026-01-31T00:00:00.000+00:00",
        },
      ],
      groups: [
        {
          groupID: "g",
          groupName: "Control",
          status: "PASSED",
          metrics: [{ metricKey: "k", metricTitle: "t", status: "PASSED" }],
        },
      ],
    },
  };
  expect(healthCheck.parse(check)).toEqual(check);
  const metrics = [{ metric_name: "m", earliest_date: "yesterday" }];
  expect(faults(healthCheck, { metadata: { metrics } })).toHaveLength(1);
});

import { describe, expect, it } from "vitest";
import {
  type Experiment,
  type ExperimentPatch,
  type ExperimentReplace,
  experiment,
} from "../../src/contract/experiment.js";
import { ServiceError } from "../../src/http/service-error.js";
import { experimentType } from "../../src/service/experiment-states.js";
import {
  createExperiment,
  enableGroups,
  patchExperiment,
  replaceExperiment,
  restartExperiment,
} from "../../src/service/experiments.js";
import { defaultExperiment, fullExperiment } from "../support/experiment-bodies.js";
import { callerKey, countedIdentifiers, stamp, stampedFields } from "../support/stamp.js";

const later = { caller: callerKey, time: stamp.time + 1_000 };
const made = (): Experiment =>
  createExperiment({ name: "An Experiment" }, stamp, countedIdentifiers());
const patched = (current: Experiment, body: ExperimentPatch) =>
  patchExperiment(current, body, later, countedIdentifiers());
const full: ExperimentReplace = { ...fullExperiment, groups: [...fullExperiment.groups] };
const replaced = (current: Experiment, body: Partial<ExperimentReplace> = {}) =>
  replaceExperiment(current, { ...full, ...body }, later, countedIdentifiers());

function faultsOf(task: () => unknown) {
  try {
    task();
  } catch (error) {
    if (error instanceof ServiceError) return error.faults;
    throw error;
  }
  return [];
}

describe("a new experiment", () => {
  const group = { size: 50, parameterValues: {}, disabled: false, description: "" };

  it("has two default groups, and defaults for absent fields", () => {
    expect(made()).toEqual({
      ...defaultExperiment,
      ...stampedFields,
      id: "an_experiment",
      name: "An Experiment",
      groups: [
        { ...group, name: "Control", id: "identifier-1" },
        { ...group, name: "Test", id: "identifier-2" },
      ],
    });
  });

  it("fits the schema of answers", () => {
    expect(experiment.strict().parse(made())).toEqual(made());
  });

  it("keeps given fields: the creator, the layer, groups with their identifiers", () => {
    const given = {
      name: "e-1",
      id: "other",
      creatorID: "someone",
      creatorEmail: null,
      layerID: "layer",
      tags: ["b", "a"],
      groups: [
        { name: "A", size: "33.4", id: "mine" },
        { name: "B", size: 66.6, id: "" },
      ],
    };
    expect(createExperiment(given, stamp, countedIdentifiers())).toMatchObject({
      ...given,
      groups: [given.groups[0], { name: "B", size: 66.6, id: "identifier-1" }],
    });
  });

  it("has no groups if an empty list is given", () => {
    const { groups } = createExperiment({ name: "e-1", groups: [] }, stamp, countedIdentifiers());
    expect(groups).toEqual([]);
  });

  it("shares no list with the next one", () => {
    expect(made().tags).not.toBe(made().tags);
    expect(made().healthChecks).not.toBe(made().healthChecks);
  });

  it("cannot have the id that is a path", () => {
    expect(
      faultsOf(() => createExperiment({ name: "Qualifying Events" }, stamp, countedIdentifiers())),
    ).toEqual([
      {
        property: "name",
        errorMessage: "The id qualifying_events is reserved: choose another name",
      },
    ]);
    const body = { name: "fine", id: "qualifying_events" };
    expect(faultsOf(() => createExperiment(body, stamp, countedIdentifiers()))).toEqual([
      { property: "id", errorMessage: "The id qualifying_events is reserved: choose another id" },
    ]);
  });
});

describe("a full update", () => {
  it("resets absent fields to defaults, except the name and the service's own fields", () => {
    const before: Experiment = {
      ...made(),
      layerID: "layer",
      creatorID: "someone",
      tags: ["x"],
      team: "growth",
      duration: 30,
      launchedGroupID: "identifier-1",
      controlGroupID: "identifier-1",
      targetExposures: 7,
      defaultRollupWindow: 7,
      stratifiedSampling: { status: "pending" },
      manualQualityScores: [{ criteriaName: "a", weight: 100 }],
    };
    expect(replaced(before, { idType: "stableID" })).toEqual({
      ...made(),
      idType: "stableID",
      layerID: "layer",
      creatorID: "someone",
      groups: [{ name: "Control", size: 100, id: "identifier-1" }],
    });
  });

  it("merges given quality scores into the existing ones", () => {
    const before = { ...made(), manualQualityScores: [{ criteriaName: "a", weight: 100 }] };
    const body = { manualQualityScores: [{ criteriaName: "b", weight: 100 }] };
    expect(replaced(before, body).manualQualityScores).toEqual([
      { criteriaName: "a", weight: 50 },
      { criteriaName: "b", weight: 50 },
    ]);
  });

  it("changes nothing if it has the current values", () => {
    const {
      id: _,
      layerID: __,
      ...body
    } = patched(made(), {
      targetExposures: "1000",
      manualQualityScores: [{ criteriaName: "a", weight: 1 }],
    });
    const before = patched(made(), body);
    expect(replaced(before, body)).toEqual(before);
  });
});

describe("a partial update", () => {
  it("changes the given fields only", () => {
    expect(patched(made(), { tags: ["core"] })).toEqual({ ...made(), tags: ["core"] });
  });

  it("clears a nullable field with null", () => {
    expect(patched({ ...made(), team: "growth" }, { team: null }).team).toBeNull();
  });

  it("changes the state and its times", () => {
    const active = patched(made(), { status: "active" });
    expect(active).toEqual({ ...made(), status: "active", startTime: later.time });
    expect(patched(active, { tags: ["a"] })).toMatchObject({ startTime: later.time });
  });

  it("reports all faults that depend on the stored experiment at once", () => {
    const before: Experiment = {
      ...made(),
      sprtMDESettings: [{ metricKey: "m", groupSettings: [{ groupKey: "g", mde: 1, mean: 2 }] }],
    };
    const body: ExperimentPatch = {
      status: "abandoned",
      sprtBaselineMode: "manual",
      manualQualityScores: [{ criteriaName: "a", weight: 0 }],
    };
    expect(faultsOf(() => patched(before, body)).map(({ property }) => property)).toEqual([
      "status",
      "manualQualityScores",
      "sprtMDESettings[0].groupSettings[0].stdDev",
    ]);
  });
});

describe("groups of an update", () => {
  const before = (): Experiment => ({
    ...made(),
    groups: [
      { name: "A", size: 50, id: "a" },
      { name: "B", size: 50, id: "b" },
    ],
  });
  const identifiers = (groups: ExperimentPatch["groups"] & object) =>
    patched(before(), { groups }).groups.map(({ id }) => id);

  it("keep the identifier of the group with their name by default", () => {
    expect(
      identifiers([
        { name: "B", size: 40 },
        { name: "C", size: 40 },
        { name: "A", size: 20, id: "" },
      ]),
    ).toEqual(["b", "identifier-1", "a"]);
  });

  it("get a new one if another group has that of their name", () => {
    expect(
      identifiers([
        { name: "A", size: 50 },
        { name: "D", size: 50, id: "a" },
      ]),
    ).toEqual(["identifier-1", "a"]);
  });
});

describe("enabling groups", () => {
  const before = (): Experiment => ({
    ...made(),
    groups: [
      { name: "A", size: 30, id: "a", disabled: true },
      { name: "B", size: 30, id: "b", disabled: true },
      { name: "C", size: 30, id: "c" },
    ],
  });

  it("sets disabled to false only on the named groups, if it was true or not", () => {
    expect(enableGroups(before(), ["C", "A"])).toEqual({
      ...before(),
      groups: [
        { name: "A", size: 30, id: "a", disabled: false },
        { name: "B", size: 30, id: "b", disabled: true },
        { name: "C", size: 30, id: "c", disabled: false },
      ],
    });
  });

  it("reports all unknown groups", () => {
    expect(faultsOf(() => enableGroups(before(), ["x", "A", "b"]))).toEqual([
      { property: "group_names[0]", errorMessage: "There is no group x" },
      { property: "group_names[2]", errorMessage: "There is no group b" },
    ]);
  });
});

describe("restarting as new", () => {
  const original = (): Experiment => ({
    ...made(),
    version: 9,
    status: "decision_made",
    startTime: 1,
    endTime: 2,
    decisionTime: 3,
    launchedGroupID: "identifier-2",
    controlGroupID: "identifier-1",
    decisionReason: "It won.",
    creatorID: "someone",
    tags: ["x"],
    targetExposures: 5,
    layerID: "layer",
  });

  it("copies the settings under the new name, in setup, at version 1, made by the caller now", () => {
    expect(restartExperiment(original(), "Once More", later)).toEqual({
      ...made(),
      id: "once_more",
      name: "Once More",
      createdTime: later.time,
      lastModifiedTime: later.time,
      controlGroupID: "identifier-1",
      tags: ["x"],
      targetExposures: 5,
      layerID: "layer",
    });
  });

  it("leaves the original as it is", () => {
    const before = original();
    restartExperiment(before, "Once More", later);
    expect(before).toEqual(original());
  });

  it("cannot take the id that is a path", () => {
    expect(faultsOf(() => restartExperiment(original(), "qualifying events", later))).toEqual([
      {
        property: "name",
        errorMessage: "The id qualifying_events is reserved: choose another name",
      },
    ]);
  });
});

describe("references of an experiment", () => {
  const rule = { name: "r", passPercentage: 1, id: "i", baseID: "b" };

  it.each<[Pick<Experiment, "targetingGateID" | "inlineTargetingRules">, readonly unknown[]]>([
    [{ targetingGateID: null, inlineTargetingRules: [] }, []],
    [{ targetingGateID: "", inlineTargetingRules: [] }, []],
    [{ targetingGateID: "g", inlineTargetingRules: [] }, [{ kind: "gate", id: "g" }]],
    [
      {
        targetingGateID: "g",
        inlineTargetingRules: [
          {
            ...rule,
            conditions: [
              { type: "passes_segment", targetValue: "s" },
              { type: "fails_gate", targetValue: ["g", "h"] },
            ],
          },
        ],
      },
      [
        { kind: "gate", id: "g" },
        { kind: "segment", id: "s" },
        { kind: "gate", id: "h" },
      ],
    ],
  ])("with %j is %j", (fields, references) => {
    expect(experimentType.referencesOf({ ...made(), ...fields })).toEqual(references);
  });
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Experiment } from "../../src/contract/experiment.js";
import { fullExperiment } from "../support/experiment-bodies.js";
import { refusal } from "../support/refusal.js";
import {
  START_TIME,
  startTestService,
  type TestCall,
  type TestService,
} from "../support/service.js";

const path = "/console/v1/experiments";
const one = `${path}/an_experiment`;

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.close());

const call = (request: TestCall) => service.call<Experiment>(request);
const create = (body: object = {}) =>
  call({ method: "POST", path, body: { name: "An Experiment", ...body } });
const patch = (body: object) => call({ method: "PATCH", path: one, body });
const read = async () => (await call({ path: one })).json.data;

describe("manualQualityScores", () => {
  const scores = async () => (await read()).manualQualityScores;
  const set = (...manualQualityScores: readonly object[]) => patch({ manualQualityScores });
  const numbered = (count: number, first = 0) =>
    Array.from({ length: count }, (_, index) => ({
      criteriaName: `score ${first + index}`,
      weight: 1,
    }));

  it("are added to the existing ones, weights renormalised to 100", async () => {
    await create({ manualQualityScores: [{ criteriaName: "a", score: 1, weight: 10 }] });
    expect(await scores()).toEqual([{ criteriaName: "a", score: 1, weight: 100 }]);
    await set({ criteriaName: "b", status: "PASSED", score: 2, weight: 300 });
    expect(await scores()).toEqual([
      { criteriaName: "a", score: 1, weight: 25 },
      { criteriaName: "b", status: "PASSED", score: 2, weight: 75 },
    ]);
  });

  it("of a default check take the weight alone, and a weight of 0 removes it", async () => {
    await create();
    await set({ criteriaName: "POWER_ANALYSIS", status: "FAILED", weight: 20, score: 9 });
    expect(await scores()).toEqual([{ criteriaName: "POWER_ANALYSIS", weight: 100 }]);
    await set({ criteriaName: "a", weight: 5 }, { criteriaName: "POWER_ANALYSIS", weight: 0 });
    expect(await scores()).toEqual([{ criteriaName: "a", weight: 100 }]);
  });

  it("are at most 10 after merging", async () => {
    await create({ manualQualityScores: numbered(6) });
    expect(await set(...numbered(5, 6))).toMatchObject(
      refusal(
        "manualQualityScores",
        "Must have at most 10 items together with the existing ones, not 11",
      ),
    );
    expect(await set(...numbered(4, 6))).toMatchObject({ status: 200 });
    expect(await scores()).toHaveLength(10);
  });

  it("are added by a full update that gives them, and gone after one that does not", async () => {
    await create({ manualQualityScores: [{ criteriaName: "a", weight: 1 }] });
    const manualQualityScores = [{ criteriaName: "b", weight: 100 }];
    await call({ method: "POST", path: one, body: { ...fullExperiment, manualQualityScores } });
    expect(await scores()).toHaveLength(2);
    await call({ method: "POST", path: one, body: fullExperiment });
    expect(await scores()).toEqual([]);
  });
});

describe("POST /console/v1/experiments/{id}/enable_groups", () => {
  const groups = [
    { name: "A", size: 40, id: "a", disabled: true },
    { name: "B", size: 40, id: "b", disabled: true },
  ];
  const enable = (body: unknown) => call({ method: "POST", path: `${one}/enable_groups`, body });

  it("enables the named groups: 201, the next version", async () => {
    await create({ groups });
    expect(await enable({ group_names: ["B"] })).toMatchObject({
      status: 201,
      headers: { etag: '"2"' },
      json: {
        message: "Experiment updated successfully.",
        data: {
          version: 2,
          groups: [
            { name: "A", disabled: true },
            { name: "B", disabled: false },
          ],
        },
      },
    });
    expect(await enable({ group_names: ["B"] })).toMatchObject({ status: 201 });
  });

  it("names all groups that there are not, and enables none", async () => {
    await create({ groups });
    expect(await enable({ group_names: ["A", "C", "D"] })).toMatchObject({
      status: 400,
      json: {
        errors: [
          { property: "group_names[1]", errorMessage: "There is no group C" },
          { property: "group_names[2]", errorMessage: "There is no group D" },
        ],
      },
    });
    expect(await read()).toMatchObject({ version: 1, groups });
  });

  it.each([
    [{}, "group_names", "Required"],
    [{ group_names: "A" }, "group_names", "Expected array, received string"],
    [{ group_names: [1] }, "group_names[0]", "Expected string, received number"],
    [[], "", "Expected object, received array"],
    [undefined, "", "Required"],
  ])("refuses the body %j", async (body, property, errorMessage) => {
    await create({ groups });
    expect(await enable(body)).toMatchObject(refusal(property, errorMessage));
  });
});

describe("POST /console/v1/experiments/{id}/restart_as_new", () => {
  const restart = (body: unknown, headers = {}) =>
    call({ method: "POST", path: `${one}/restart_as_new`, body, headers });

  it("copies the settings to a new experiment in setup: 200, version 1; the original stays", async () => {
    await create({ tags: ["x"], hypothesis: "It helps.", targetExposures: 50 });
    await patch({ status: "active" });
    const original = (await patch({ status: "decision_made", launchedGroupID: "g" })).json.data;
    const answer = await restart({ name: "Once More" });
    expect(answer).toMatchObject({
      status: 200,
      headers: { etag: '"1"' },
      json: { message: "Restart As New Experiment Success" },
    });
    const { data } = answer.json;
    expect(data).toEqual({
      ...original,
      id: "once_more",
      name: "Once More",
      status: "setup",
      version: 1,
      startTime: null,
      endTime: null,
      decisionTime: null,
      launchedGroupID: null,
      createdTime: data.createdTime,
      lastModifiedTime: data.createdTime,
    });
    expect(data.createdTime).toBeGreaterThan(START_TIME);
    expect((await call({ path: `${path}/once_more` })).json.data).toEqual(data);
    expect(await read()).toEqual(original);
  });

  it("refuses a name in use, including that of the original", async () => {
    await create();
    expect(await restart({ name: "An Experiment" })).toMatchObject({
      status: 400,
      json: { message: "Name is already in use", errors: [{ property: "name" }] },
    });
  });

  it.each([
    [{}, "name", "Required"],
    [{ name: "ab" }, "name", "Must be at least 3 characters"],
    [{ name: "a".repeat(101) }, "name", "Must be at most 100 characters"],
    [{ name: "a.b" }, "name", "Must match /^[a-zA-Z0-9_\\- ]*$/"],
    [{ name: "Qualifying Events" }, "name", /reserved/],
  ])("refuses the body %j", async (body, property, errorMessage) => {
    await create();
    expect(await restart(body)).toMatchObject(refusal(property, errorMessage));
  });

  it("is refused if If-Match has another version of the original", async () => {
    await create();
    expect(await restart({ name: "Once More" }, { "if-match": '"2"' })).toMatchObject({
      status: 412,
    });
    expect(await restart({ name: "Once More" }, { "if-match": '"1"' })).toMatchObject({
      status: 200,
    });
  });
});

it("a targeting gate lists the experiment, and is not archived without force", async () => {
  const gates = "/console/v1/gates";
  await call({ method: "POST", path: gates, body: { name: "a-gate" } });
  await create({ targetingGateID: "a-gate" });
  const references = await service.call({ path: `${gates}/a-gate/gate_references` });
  expect(references.json.data).toMatchObject([
    { id: "an_experiment", name: "An Experiment", entityType: "experiment" },
  ]);
  const archive = (forceArchive: boolean) =>
    call({ method: "PUT", path: `${gates}/a-gate/archive`, body: { forceArchive } });
  expect(await archive(false)).toMatchObject({
    status: 400,
    json: { message: expect.stringContaining("experiment an_experiment") },
  });
  await patch({ targetingGateID: null });
  expect(await archive(false)).toMatchObject({ status: 200 });
});

it("a write with If-Match that does not match is a 412", async () => {
  await create();
  const headers = { "if-match": '"7"' };
  for (const request of [
    { method: "PATCH", path: one, body: {} },
    { method: "POST", path: one, body: fullExperiment },
    { method: "POST", path: `${one}/enable_groups`, body: { group_names: [] } },
    { method: "DELETE", path: one },
  ] as const) {
    expect(await call({ ...request, headers })).toMatchObject({ status: 412 });
  }
  expect((await read()).version).toBe(1);
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Experiment } from "../../src/contract/experiment.js";
import { experimentStatuses } from "../../src/contract/experiment-fields.js";
import { defaultExperiment, fullExperiment } from "../support/experiment-bodies.js";
import { refusal } from "../support/refusal.js";
import { startTestService, type TestCall, type TestService } from "../support/service.js";

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

describe("POST /console/v1/experiments", () => {
  it("creates: 201, two default groups of 50, allocation 100, duration 14, confidence 95, setup", async () => {
    const { status, headers, json } = await create();
    expect(status).toBe(201);
    expect(headers["etag"]).toBe('"1"');
    expect(json.message).toBe("Experiment created successfully.");
    expect(json.data).toMatchObject({
      ...defaultExperiment,
      id: "an_experiment",
      name: "An Experiment",
      version: 1,
      owner: { ownerType: "SDK_KEY", ownerEmail: "" },
      groups: [
        { name: "Control", size: 50, id: expect.stringMatching(/^[0-9A-Za-z]{22}$/) },
        { name: "Test", size: 50, id: expect.stringMatching(/^[0-9A-Za-z]{22}$/) },
      ],
    });
    expect(await read()).toEqual(json.data);
  });

  it("requires the name alone", async () => {
    expect(await call({ method: "POST", path, body: {} })).toMatchObject(
      refusal("name", "Required"),
    );
  });

  it("places the experiment in a layer", async () => {
    expect((await create({ layerID: "a_layer" })).json.data.layerID).toBe("a_layer");
  });

  it("takes no status but setup", async () => {
    for (const status of experimentStatuses.filter((status) => status !== "setup")) {
      expect(await create({ status })).toMatchObject(refusal("status", "Expected one of setup"));
    }
    expect(await create({ status: "setup" })).toMatchObject({ status: 201 });
  });

  it("refuses a name and an id in use, also of archived experiments", async () => {
    await create();
    await patch({ status: "archived" });
    const inUse = "Name is already in use";
    expect(await create({ id: "another" })).toMatchObject(refusal("name", inUse));
    expect(await create({ name: "Another", id: "an_experiment" })).toMatchObject(
      refusal("id", inUse),
    );
  });

  it("refuses the id qualifying_events, given or derived from the name", async () => {
    const reserved = /^The id qualifying_events is reserved/;
    expect(await create({ id: "qualifying_events" })).toMatchObject(refusal("id", reserved));
    expect(await create({ name: "Qualifying events" })).toMatchObject(refusal("name", reserved));
    expect(await create({ name: "Qualifying events", id: "fine" })).toMatchObject({ status: 201 });
  });

  it("copies an experiment from its answer with another name and id", async () => {
    const { data } = (await create({ tags: ["b", "a"], targetExposures: "500" })).json;
    const twin = await create({ ...data, name: "Twin", id: "twin" });
    expect(twin.json.data).toEqual({
      ...data,
      name: "Twin",
      id: "twin",
      createdTime: expect.any(Number),
      lastModifiedTime: expect.any(Number),
    });
  });
});

describe("POST /console/v1/experiments/{id}", () => {
  it("updates fully: 200, the next version, absent fields reset except name and creator", async () => {
    await create({ tags: ["x"], controlGroupID: "c", creatorEmail: "a@acme.test" });
    const answer = await call({ method: "POST", path: one, body: fullExperiment });
    expect(answer).toMatchObject({
      status: 200,
      headers: { etag: '"2"' },
      json: {
        message: "Experiment updated successfully.",
        data: { ...defaultExperiment, name: "An Experiment", creatorEmail: "a@acme.test" },
      },
    });
    expect(answer.json.data).not.toHaveProperty("controlGroupID");
    expect(answer.json.data.groups).toEqual([
      { name: "Control", size: 100, id: expect.stringMatching(/^[0-9A-Za-z]{22}$/) },
    ]);
  });

  it("accepts a whole answer, and returns the same", async () => {
    const { data } = (await create({ tags: ["b"], scheduledReloadDays: [1] })).json;
    const answer = await call({ method: "POST", path: one, body: data });
    expect(answer.json.data).toEqual({
      ...data,
      version: 2,
      lastModifiedTime: answer.json.data.lastModifiedTime,
    });
  });

  it("is refused with all missing fields at once", async () => {
    await create();
    const { status, json } = await call({ method: "POST", path: one, body: {} });
    expect(status).toBe(400);
    expect(json.errors.map(({ property }) => property).sort()).toEqual(
      Object.keys(fullExperiment).sort(),
    );
  });
});

describe("PATCH /console/v1/experiments/{id}", () => {
  it("changes only the given fields", async () => {
    const { data } = (await create()).json;
    const answer = await patch({ hypothesis: "It helps.", duration: 30 });
    expect(answer).toMatchObject({ status: 200, headers: { etag: '"2"' } });
    expect(answer.json.data).toEqual({
      ...data,
      hypothesis: "It helps.",
      duration: 30,
      version: 2,
      lastModifiedTime: expect.any(Number),
    });
  });

  it("adds a version even if nothing changes", async () => {
    await create();
    expect((await patch({})).json.data.version).toBe(2);
  });

  it("refuses a name in use", async () => {
    await create();
    await create({ name: "Other" });
    expect(await patch({ name: "Other" })).toMatchObject(refusal("name", "Name is already in use"));
  });

  it("checks the requirements of sprtBaselineMode with the stored experiment", async () => {
    const groupSettings = [{ groupKey: "g", mean: 1, stdDev: 1 }];
    await create({ sprtMDESettings: [{ metricKey: "m", groupSettings }] });
    const missing = refusal(
      "sprtMDESettings[0].groupSettings[0].mde",
      "Required with sprtBaselineMode manual",
    );
    expect(await patch({ sprtBaselineMode: "manual" })).toMatchObject(missing);
    expect(await patch({ sprtBaselineMode: "manual", defaultSPRTMDE: 1 })).toMatchObject({
      status: 200,
    });
  });

  it("follows the state machine, and refuses other steps with both states", async () => {
    await create();
    expect(await patch({ status: "decision_made" })).toMatchObject(
      refusal("status", /^Cannot change from setup to decision_made/),
    );
    const started = (await patch({ status: "active" })).json.data;
    expect(started.startTime).toBe(started.lastModifiedTime);
    expect(started).toMatchObject({ status: "active", endTime: null, decisionTime: null });
    const decided = (await patch({ status: "decision_made", launchedGroupID: "g" })).json.data;
    expect(decided).toMatchObject({
      status: "decision_made",
      launchedGroupID: "g",
      startTime: started.startTime,
      endTime: decided.lastModifiedTime,
      decisionTime: decided.lastModifiedTime,
    });
    expect(await patch({ status: "active" })).toMatchObject(
      refusal("status", /^Cannot change from decision_made to active/),
    );
    expect((await read()).version).toBe(3);
  });

  it("loses no field with concurrent writes", async () => {
    await create();
    const fields = ["hypothesis", "description", "decisionReason", "assignmentSourceName"];
    const answers = await Promise.all(fields.map((field) => patch({ [field]: "written" })));
    expect(answers.map(({ json }) => json.data.version).sort()).toEqual([2, 3, 4, 5]);
    expect(await read()).toMatchObject(Object.fromEntries(fields.map((f) => [f, "written"])));
  });
});

describe("lists", () => {
  it("GET /console/v1/experiments/{id}/versions has all versions, newest first", async () => {
    const first = (await create()).json.data;
    const second = (await patch({ duration: 30 })).json.data;
    const answer = await service.call({ path: `${one}/versions` });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      message: "Experiments listed successfully.",
      data: [second, first],
      pagination: { totalItems: 2, all: `${one}/versions` },
    });
    const page = await service.call({ path: `${one}/versions?limit=1&page=2` });
    expect(page.json).toMatchObject({ data: [first], pagination: { itemsPerPage: 1 } });
  });

  it("GET /console/v1/experiments has all experiments, newest first", async () => {
    await create();
    await create({ name: "Newer" });
    expect((await service.call({ path })).json).toMatchObject({
      message: "Experiments listed successfully.",
      data: [{ id: "newer" }, { id: "an_experiment" }],
    });
  });

  it.each(["page=0", "limit=0", "limit=1001", "limit=x"])("refuse ?%s", async (query) => {
    await create();
    expect((await service.call({ path: `${path}?${query}` })).status).toBe(400);
    expect((await service.call({ path: `${one}/versions?${query}` })).status).toBe(400);
  });
});

describe("reading and deleting", () => {
  it("GET /console/v1/experiments/{id} reads one", async () => {
    const { data } = (await create()).json;
    expect(await call({ path: one })).toMatchObject({
      status: 200,
      headers: { etag: '"1"' },
      json: { message: "Experiment read successfully.", data },
    });
  });

  it("DELETE /console/v1/experiments/{id} deletes one, and answers without data", async () => {
    await create();
    const deleted = await call({ method: "DELETE", path: one });
    expect(deleted.status).toBe(200);
    expect(deleted.json).toEqual({ message: "Experiment deleted successfully." });
    expect((await call({ path: one })).status).toBe(404);
  });
});

it.each<Pick<TestCall, "method" | "path" | "body">>([
  { method: "GET", path: one },
  { method: "DELETE", path: one },
  { method: "PATCH", path: one, body: {} },
  { method: "POST", path: one, body: fullExperiment },
  { method: "GET", path: `${one}/versions` },
  { method: "POST", path: `${one}/enable_groups`, body: { group_names: [] } },
  { method: "POST", path: `${one}/restart_as_new`, body: { name: "Once More" } },
])("$method $path is a 404 if the experiment does not exist", async (request) => {
  expect(await call(request)).toMatchObject({
    status: 404,
    json: { message: "Experiment not found.", errors: [] },
  });
});

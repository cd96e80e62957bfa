import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AnyObject } from "../../src/contract/fields.js";
import { startTestService, type TestService } from "../support/service.js";

const experiment = "/console/v1/experiments/one";
const overrides = `${experiment}/overrides`;
const everywhere = { environment: null };
const users = { ...everywhere, unitType: "userID" };

let service: TestService;

beforeEach(async () => {
  service = await startTestService();
  const groups = [
    { id: "a", name: "Control", size: 50, parameterValues: { pages: 3 } },
    { id: "b", name: "Test", size: 50, parameterValues: { pages: 1 } },
  ];
  await call("POST", "/console/v1/experiments", { name: "one", groups });
});

afterEach(() => service.close());

async function call(method: string, path: string, body?: unknown, headers = {}) {
  const answer = await service.call<AnyObject>({
    method: method as "GET",
    path,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  return { ...answer.json, status: answer.status, etag: answer.headers["etag"] };
}

describe("the overrides of an experiment", () => {
  it("are empty before the first write, as version 0", async () => {
    expect(await call("GET", overrides)).toMatchObject({
      message: "Experiment Overrides read successfully.",
      etag: '"0"',
      data: { id: "one", overrides: [], userIDOverrides: [], version: 0 },
    });
  });

  it("are replaced, added to and removed from; groups have a name or an identifier", async () => {
    const first = await call("POST", overrides, {
      overrides: [{ type: "gate", id: "a_gate", groupID: "Test" }],
      userIDOverrides: [{ groupID: "b", ids: ["u1", "u2"] }],
    });
    const gate = { type: "gate", id: "a_gate", groupID: "b", ...everywhere };
    expect(first).toMatchObject({
      status: 200,
      message: "Experiment Overrides updated successfully.",
      data: {
        overrides: [gate],
        userIDOverrides: [{ groupID: "b", ids: ["u1", "u2"], ...users }],
        version: 1,
      },
    });
    const segment = { type: "segment", id: "staff", groupID: "a", environment: "development" };
    const devices = { groupID: "Control", ids: ["d1"], unitType: "stableID" };
    const added = await call("PATCH", overrides, {
      overrides: [segment],
      userIDOverrides: [{ groupID: "Test", ids: ["u3"], unitType: null }, devices],
    });
    expect(added.data).toMatchObject({
      overrides: [gate, segment],
      userIDOverrides: [
        { groupID: "b", ids: ["u1", "u2", "u3"], ...users },
        { groupID: "a", ids: ["d1"], unitType: "stableID", ...everywhere },
      ],
    });
    const removed = await call("DELETE", overrides, {
      overrides: [gate],
      userIDOverrides: [devices, { groupID: "b", ids: ["u1", "nobody"] }],
    });
    expect(removed.data).toMatchObject({
      overrides: [segment],
      userIDOverrides: [{ groupID: "b", ids: ["u2", "u3"], ...users }],
      version: 3,
    });
    expect((await call("POST", overrides, {})).data).toMatchObject({
      overrides: [],
      userIDOverrides: [],
    });
  });

  it.each([
    [{ userIDOverrides: [{ groupID: "c", ids: [] }] }, "userIDOverrides[0].groupID"],
    [{ overrides: [{ type: "gate", id: "g", groupID: "c" }] }, "overrides[0].groupID"],
    [{ overrides: [{ type: "config", id: "g", groupID: "a" }] }, "overrides[0].type"],
    [
      {
        userIDOverrides: [
          { groupID: "a", ids: ["u1"] },
          { groupID: "b", ids: ["u1"] },
        ],
      },
      "userIDOverrides[1].ids",
    ],
    [
      {
        overrides: [
          { type: "gate", id: "g", groupID: "a" },
          { type: "gate", id: "g", groupID: "b" },
        ],
      },
      "overrides[1].id",
    ],
  ])("refuse %j", async (body, property) => {
    const { status, errors } = await call("POST", overrides, body);
    expect({ status, errors }).toMatchObject({ status: 400, errors: [{ property }] });
  });

  it("keep If-Match and dry runs, and are a 404 without the experiment", async () => {
    const body = { userIDOverrides: [{ groupID: "a", ids: ["u1"] }] };
    expect(await call("POST", overrides, body, { "if-match": '"1"' })).toMatchObject({
      status: 412,
    });
    expect(await call("POST", `${overrides}?dryRun=true`, body)).toMatchObject({ etag: '"1"' });
    expect(await call("GET", overrides)).toMatchObject({ etag: '"0"' });
    expect(await call("POST", "/console/v1/experiments/two/overrides", body)).toMatchObject({
      status: 404,
      message: "Experiment not found.",
    });
  });

  it("reference their gates, and go with their experiment", async () => {
    await call("POST", "/console/v1/gates", { name: "a_gate" });
    const gate = { type: "gate", id: "a_gate", groupID: "a" };
    await call("POST", overrides, { overrides: [gate] });
    expect(await call("GET", "/console/v1/gates/a_gate/gate_references")).toMatchObject({
      data: [{ id: "one", entityType: "experiment_override" }],
    });
    await call("DELETE", experiment);
    expect((await call("GET", "/console/v1/gates/a_gate/gate_references")).data).toEqual([]);
  });

  it("decide the group of a unit", async () => {
    await call("POST", "/console/v1/gates", {
      name: "staff",
      rules: [
        {
          name: "by address",
          passPercentage: 100,
          conditions: [{ type: "email", operator: "any", targetValue: ["s@acme.test"] }],
        },
      ],
    });
    await call("PUT", `${experiment}/start`);
    await call("POST", overrides, {
      overrides: [{ type: "gate", id: "staff", groupID: "Test" }],
      userIDOverrides: [{ groupID: "Control", ids: ["u1"] }],
    });
    const groupOf = async (user: AnyObject) => {
      const body = { configName: "one", user };
      const { json } = await service.call({
        method: "POST",
        path: "/v1/get_config",
        key: service.keys.server,
        body,
      });
      return (json as unknown as AnyObject)["value"];
    };
    for (const userID of ["u1", "u2", "u3", "u4", "u5"]) {
      const isUnit = userID === "u1";
      expect(await groupOf({ userID, email: "s@acme.test" })).toEqual({ pages: isUnit ? 3 : 1 });
    }
  });
});

describe("POST /console/v1/experiments/{id}/disable_groups", () => {
  it("disables the named groups: 201, and again is the same", async () => {
    for (const version of [2, 3]) {
      const { status, data } = await call("POST", `${experiment}/disable_groups`, {
        group_names: ["Test"],
      });
      expect({ status, data }).toMatchObject({
        status: 201,
        data: { groups: [{ name: "Control" }, { name: "Test", disabled: true }], version },
      });
      expect((data["groups"] as AnyObject[])[0]).not.toMatchObject({ disabled: true });
    }
  });

  it("refuses unknown names", async () => {
    const body = { group_names: ["Test", "Third"] };
    expect(await call("POST", `${experiment}/disable_groups`, body)).toMatchObject({
      status: 400,
      errors: [{ property: "group_names[1]", errorMessage: "There is no group Third" }],
    });
  });
});

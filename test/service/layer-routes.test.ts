import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AnyObject } from "../../src/contract/fields.js";
import { startTestService, type TestService } from "../support/service.js";

let service: TestService;

beforeEach(async () => {
  service = await startTestService();
});

afterEach(() => service.close());

async function call(method: string, path: string, body?: unknown, headers = {}) {
  const { status, json } = await service.call<AnyObject & AnyObject[]>({
    method: method as "GET",
    path: `/console/v1/${path}`,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  return { ...json, status };
}

const parameters = [
  { name: "model", type: "string", defaultValue: "v2" },
  { name: "size", type: "number", defaultValue: 7 },
  { name: "isNew", type: "boolean", defaultValue: false },
  { name: "extra", type: "object", defaultValue: { a: [1] } },
  { name: "more", type: "array", defaultValue: [] },
];

describe("layers", () => {
  it("are created with defaults: 201, and their parameters give the default value", async () => {
    expect(
      await call("POST", "layers", { name: "The Best Layer", idType: "stableID" }),
    ).toMatchObject({
      status: 201,
      message: "Layer created successfully.",
      data: {
        id: "the_best_layer",
        idType: "stableID",
        parameters: [],
        defaultValue: {},
        isImplicitLayer: false,
        holdoutIDs: [],
        version: 1,
      },
    });
    const patched = await call("PATCH", "layers/the_best_layer", { parameters });
    expect(patched.data).toMatchObject({
      parameters,
      defaultValue: { model: "v2", size: 7, isNew: false, extra: { a: [1] }, more: [] },
      version: 2,
    });
  });

  it("are replaced by POST: what is left out returns to its default, the ID type stays", async () => {
    const body = { name: "one", idType: "stableID", tags: ["a"], parameters };
    await call("POST", "layers", body);
    const full = { description: "d", parameters: parameters.slice(0, 1) };
    expect((await call("POST", "layers/one", full)).data).toMatchObject({
      name: "one",
      idType: "stableID",
      tags: [],
      defaultValue: { model: "v2" },
    });
    expect(await call("POST", "layers/one", {})).toMatchObject({
      status: 400,
      errors: [{ property: "description" }, { property: "parameters" }],
    });
  });

  it.each([
    [{ type: "number", defaultValue: "7" }, "defaultValue", "Expected number, received string"],
    [{ type: "object", defaultValue: [] }, "defaultValue", "Expected object, received array"],
    [{ type: "text", defaultValue: "" }, "type", expect.any(String)],
    [{ type: "string" }, "defaultValue", expect.any(String)],
    [{ type: "string", defaultValue: "x", name: "model" }, "name", "Duplicate name given"],
  ])("refuse the parameter %j", async (parameter, field, errorMessage) => {
    const list = [parameters[0], { name: "other", ...parameter }];
    const { status, errors } = await call("POST", "layers", { name: "one", parameters: list });
    const property = `parameters[1].${field}`;
    expect({ status, errors }).toMatchObject({ status: 400, errors: [{ property, errorMessage }] });
  });
});

describe("holdouts", () => {
  const full = {
    isEnabled: true,
    description: "d",
    passPercentage: 5,
    gateIDs: ["g"],
    experimentIDs: ["e"],
    layerIDs: ["l"],
    isGlobal: false,
    targetingGateID: null,
  };

  it("are created with defaults, and updated", async () => {
    expect(await call("POST", "holdouts", { name: "A Holdout" })).toMatchObject({
      status: 200,
      message: "Holdout created successfully.",
      data: { id: "a_holdout", idType: "userID", isEnabled: true, passPercentage: 0, gateIDs: [] },
    });
    const replaced = await call("POST", "holdouts/a_holdout", full);
    expect(replaced.data).toMatchObject({ ...full, version: 2 });
    const patched = await call("PATCH", "holdouts/a_holdout", { isEnabled: false });
    expect(patched.data).toMatchObject({ ...full, isEnabled: false, version: 3 });
  });

  it.each([
    ["POST", "holdouts/one", { ...full, passPercentage: undefined }, "passPercentage"],
    ["PATCH", "holdouts/one", { passPercentage: 101 }, "passPercentage"],
    ["PATCH", "holdouts/one", { gateIDs: "g" }, "gateIDs"],
  ])("%s %s refuses %j", async (method, path, body, property) => {
    const { status, errors } = await call(method, path, body);
    expect({ status, errors }).toMatchObject({ status: 400, errors: [{ property }] });
  });

  it("reference their targeting gate", async () => {
    await call("POST", "gates", { name: "one" });
    await call("POST", "holdouts", { name: "A Holdout", targetingGateID: "one" });
    expect((await call("GET", "gates/one/gate_references")).data).toMatchObject([
      { id: "a_holdout", entityType: "holdout" },
    ]);
    expect((await call("PUT", "gates/one/archive")).message).toBe(
      "Gate is referenced by holdout a_holdout: remove the references, or archive it with forceArchive.",
    );
  });
});

describe("what a holdout names", () => {
  const everybody = [{ name: "all", passPercentage: 100, conditions: [{ type: "public" }] }];
  const all = { name: "out", passPercentage: 100 };

  async function asked(path: string, body: AnyObject) {
    const { json } = await service.call({
      method: "POST",
      path: `/v1/${path}`,
      key: service.keys.server,
      body: { ...body, user: { userID: "u1" } },
    });
    return (json as unknown as AnyObject)["value"];
  }

  it("is withheld from the units that are held out, as long as the holdout is enabled", async () => {
    const passes = () => asked("check_gate", { gateName: "one" });
    await call("POST", "gates", { name: "one", rules: everybody });
    expect(await passes()).toBe(true);
    await call("POST", "holdouts", { ...all, gateIDs: ["one"] });
    expect(await passes()).toBe(false);
    await call("PATCH", "holdouts/out", { targetingGateID: "nothing" });
    expect(await passes()).toBe(true);
    await call("PATCH", "holdouts/out", { targetingGateID: null, isEnabled: false });
    expect(await passes()).toBe(true);
    await call("PATCH", "holdouts/out", { isEnabled: true });
    expect(await passes()).toBe(false);
    await call("PUT", "holdouts/out/archive");
    expect(await passes()).toBe(true);
    await call("PUT", "holdouts/out/unarchive");
    await call("PATCH", "holdouts/out", { gateIDs: [] });
    expect(await passes()).toBe(true);
    await call("PATCH", "holdouts/out", { gateIDs: ["one"] });
    expect(await passes()).toBe(false);
    await call("DELETE", "holdouts/out");
    expect(await passes()).toBe(true);
  });

  it("may be experiments and layers, which may be made later", async () => {
    const groups = [{ name: "A", size: 100, parameterValues: { pages: 1 } }];
    const value = () => asked("get_config", { configName: "exp" });
    const parameters = [{ name: "pages", type: "number", defaultValue: 3 }];
    await call("POST", "holdouts", { ...all, experimentIDs: ["exp"] });
    await call("POST", "layers", { name: "pages", parameters });
    await call("POST", "experiments", { name: "exp", layerID: "pages", groups });
    await call("PUT", "experiments/exp/start");
    expect(await value()).toEqual({ pages: 3 });
    await call("PATCH", "holdouts/out", { experimentIDs: [] });
    expect(await value()).toEqual({ pages: 1 });
    const layerValue = () => asked("get_layer", { layerName: "pages" });
    expect(await layerValue()).toEqual({ pages: 1 });
    await call("PATCH", "holdouts/out", { layerIDs: ["pages"] });
    expect(await layerValue()).toEqual({ pages: 3 });
  });
});

describe("facts of the project", () => {
  it("are a company that stores its events here, and a project", async () => {
    expect((await call("GET", "company")).data).toEqual({
      companyID: "switchyard",
      companyName: "Switchyard",
      isWarehouseNative: false,
      orgID: null,
      orgName: null,
    });
    expect((await call("GET", "project")).data).toEqual({ id: "switchyard" });
  });

  it("list keys without their secrets, newest first, and no users", async () => {
    const { data, pagination } = await call("GET", "keys?limit=2&page=1");
    expect(data).toHaveLength(2);
    expect(pagination.totalItems).toBe(5);
    const all = await call("GET", "keys");
    expect(all.data.map(({ type, scopes, status }) => [type, scopes, status]).sort()).toEqual([
      ["CLIENT", [], "active"],
      ["CONSOLE", ["read"], "active"],
      ["CONSOLE", ["write"], "active"],
      ["CONSOLE", ["write"], "deactivated"],
      ["SERVER", [], "active"],
    ]);
    const text = JSON.stringify(all.data);
    for (const key of Object.values(service.keys)) expect(text).not.toContain(key.slice(0, 12));
    expect((await call("GET", "users")).data).toEqual([]);
  });
});

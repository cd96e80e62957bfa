import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AnyObject } from "../../src/contract/fields.js";
import { startTestService, type TestService } from "../support/service.js";

let service: TestService;

beforeEach(async () => {
  service = await startTestService();
});

afterEach(() => service.close());

const root = "/console/v1";

/** Each resource: its path, the path of one entity, a body that creates it, and its parts. */
const resources: readonly (readonly [string, string, AnyObject])[] = [
  ["gates", "one", { name: "one" }],
  ["dynamic_configs", "one", { name: "one" }],
  ["experiments", "one", { name: "one" }],
  ["segments", "one", { name: "one", type: "id_list" }],
  ["prompts", "one", { name: "one" }],
  ["layers", "one", { name: "one" }],
  ["holdouts", "one", { name: "one" }],
  [
    "experiments/qualifying_events",
    "one",
    { name: "one", sql: "select 1", timestampColumn: "t", idTypeMapping: [] },
  ],
];

async function call(method: string, path: string, body?: unknown) {
  const { status, json } = await service.call<AnyObject & AnyObject[]>({
    method: method as "GET",
    path: `${root}/${path}`,
    ...(body === undefined ? {} : { body }),
  });
  return { ...json, status };
}

async function idsIn(path: string): Promise<unknown[]> {
  const { data } = await call("GET", path);
  return data.map((item) => item["name"]);
}

describe.each(resources)("%s", (path, id, body) => {
  const one = `${path}/${id}`;

  beforeEach(async () => {
    await call("POST", path, { ...body, tags: ["a", "b"] });
    await call("POST", path, { ...body, name: "two", tags: ["c"] });
  });

  it("are listed by tags, and not at all for a tag that none has", async () => {
    expect(await idsIn(`${path}?tags=b`)).toEqual(["one"]);
    expect(await idsIn(`${path}?tags=b&tags=c`)).toHaveLength(2);
    expect(await idsIn(`${path}?tags=b,c`)).toHaveLength(2);
    expect(await idsIn(`${path}?tags=zzz`)).toEqual([]);
    expect(await idsIn(`${path}?tags=`)).toEqual([]);
    expect(await idsIn(`${path}?search=ON`)).toEqual(["one"]);
    expect(await idsIn(`${path}?creatorName=CONSOLE%20API&tags=c`)).toEqual(["two"]);
  });

  it("find a tag with a comma exactly if the parameter is repeated", async () => {
    await call("POST", path, { ...body, name: "three", tags: ["b,c"] });
    expect(await idsIn(`${path}?tags=b,c&tags=zzz`)).toEqual(["three"]);
    expect(await idsIn(`${path}?tags=b,c`)).toHaveLength(3);
  });

  it("refuse a state that none can have, and name the possible ones", async () => {
    for (const query of ["status=unknown", "status=", "status=archived&status=gone"]) {
      const { status, errors } = await call("GET", `${path}?${query}`);
      expect([status, errors[0]?.property], query).toEqual([400, "status"]);
      expect(errors[0]?.errorMessage).toMatch(/^Expected one of .*archived.*; received "/i);
    }
    expect(await call("GET", `${path}?status=ARCHIVED`)).toMatchObject({ status: 200 });
  });

  it("refuse names of blanks, and with outer blanks", async () => {
    for (const name of ["    ", " outer", "outer "]) {
      const { status, errors } = await call("POST", path, { ...body, name });
      expect([status, errors[0]?.property], name).toEqual([400, "name"]);
    }
  });

  it("answer 304 to the ETag of the version that the client has", async () => {
    const read = (tags?: string) =>
      service.call({
        path: `${root}/${one}`,
        headers: tags === undefined ? {} : { "if-none-match": tags },
      });
    const { etag = "" } = (await read()).headers;
    for (const tags of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
      const { status, headers, json } = await read(tags);
      expect([status, headers["etag"], json], tags).toEqual([304, etag, undefined]);
    }
    await call("PUT", `${one}/archive`, {});
    expect((await read(etag)).status).toBe(200);
  });

  it("answer 304 to the ETag of a list while nothing is written", async () => {
    const list = (tag?: string) =>
      service.call({
        path: `${root}/${path}?limit=1`,
        headers: tag === undefined ? {} : { "if-none-match": tag },
      });
    const { etag = "" } = (await list()).headers;
    expect(etag).toMatch(/^W\/"\d+"$/);
    expect(await list(etag)).toMatchObject({ status: 304, headers: { etag }, json: undefined });
    await call("PUT", `${one}/archive`, {});
    const after = await list(etag);
    expect(after.status).toBe(200);
    expect(after.headers["etag"]).not.toBe(etag);
  });

  it("refuse a query parameter that they do not know, and name the known ones", async () => {
    const { status, message, errors } = await call("GET", `${path}?tag=b`);
    expect({ status, message }).toEqual({ status: 400, message: "Unknown query parameter" });
    expect(errors[0]).toMatchObject({ property: "tag" });
    expect(errors[0]?.errorMessage).toContain("limit, offset, page, search, status, tags");
  });

  it("are left out of lists while archived, keep the reason in the version, and come back", async () => {
    await call("PUT", `${one}/archive`, { archiveReason: "done" });
    expect(await idsIn(path)).toEqual(["two"]);
    expect(await idsIn(`${path}?includeArchived=true`)).toHaveLength(2);
    expect(await idsIn(`${path}?status=archived`)).toEqual(["one"]);
    await call("PUT", `${one}/unarchive`, { unarchiveReason: "not done" });
    expect(await idsIn(path)).toHaveLength(2);
    const { data } = await call("GET", `${one}/versions`);
    expect(data).toMatchObject([
      { version: 3, unarchiveReason: "not done" },
      { version: 2, archiveReason: "done" },
      { version: 1 },
    ]);
    expect(data[0]).not.toHaveProperty("archiveReason");
  });

  it("take the settings of an older version, as a new version", async () => {
    await call("PATCH", one, { tags: ["new"] });
    const { data } = await call("PUT", `${one}/restore`, { version: 1 });
    expect(data).toMatchObject({ version: 3, tags: ["a", "b"] });
    expect(await call("PUT", `${one}/restore`, { version: 9 })).toMatchObject({ status: 404 });
  });

  it("are not changed by a dry run, which answers as the real call", async () => {
    const dry = await call("PATCH", `${one}?dryRun=true`, { tags: ["dry"] });
    expect(dry.data).toMatchObject({ version: 2, tags: ["dry"] });
    await call("PUT", `${one}/archive?dryRun=true`);
    await call("DELETE", `${one}?dryRun=true`);
    await call("POST", `${path}?dryRun=true`, { ...body, name: "three" });
    expect(await idsIn(path)).toHaveLength(2);
    expect((await call("GET", one)).data).toMatchObject({ version: 1, tags: ["a", "b"] });
    expect(await call("DELETE", `${path}/nobody?dryRun=true`)).toMatchObject({ status: 404 });
  });

  it("take null for a field that may be absent", async () => {
    const { status, data } = await call("PATCH", one, { description: null, tags: null });
    expect({ status, tags: data["tags" as never] }).toEqual({ status: 200, tags: ["a", "b"] });
  });
});

describe("the ids of a segment", () => {
  beforeEach(() => call("POST", "segments", { name: "one", type: "id_list" }));

  it("are added, listed in pages, removed and replaced, with a true count", async () => {
    const list = "segments/one/id_list";
    const added = await call("PATCH", list, { ids: ["b", "a", "b", "\ud800"] });
    expect(added.data).toMatchObject({ count: 3, version: 2 });
    expect(await call("PATCH", list, { ids: ["a", "c"] })).toMatchObject({ data: { count: 4 } });
    expect(await call("GET", `${list}?limit=2`)).toMatchObject({
      data: ["a", "b"],
      pagination: { totalItems: 4, nextPage: `${root}/${list}?page=2&limit=2` },
    });
    expect(await call("DELETE", list, { ids: ["a", "x"] })).toMatchObject({ data: { count: 3 } });
    expect(await call("DELETE", `${list}?dryRun=true`, { ids: ["b"] })).toMatchObject({
      data: { count: 2 },
    });
    expect((await call("GET", list)).data).toHaveLength(3);
    const replaced = await call("POST", `${list}/reset`, { ids: ["z"] });
    expect(replaced.data).toMatchObject({ count: 1 });
    expect(await call("POST", `${list}/reset`)).toMatchObject({ data: { count: 0 } });
    expect((await call("GET", "segments/one")).data).toMatchObject({ count: 0, version: 6 });
  });

  it("are added to and removed from a segment of some version, as public clients do", async () => {
    await call("POST", "segments", { name: "store", type: "user_store_id_list" });
    const added = await call("PATCH", "segments/store/add_ids", { ids: ["a", "b"], version: 1 });
    expect(added.data).toMatchObject({ count: 2, version: 2 });
    const late = await call("PATCH", "segments/store/remove_ids", { ids: ["a"], version: 1 });
    expect(late).toMatchObject({ status: 412 });
    const removed = await call("PATCH", "segments/store/remove_ids", { ids: ["a"] });
    expect(removed.data).toMatchObject({ count: 1, version: 3 });
    expect((await call("GET", "segments/store/id_list")).data).toEqual(["b"]);
  });

  it("belong to segments of type id_list only", async () => {
    await call("POST", "segments", { name: "rules", type: "rule_based" });
    expect(await call("PATCH", "segments/rules/id_list", { ids: ["a"] })).toMatchObject({
      status: 400,
      message: expect.stringContaining("rule_based"),
    });
  });
});

describe("the rules of a segment", () => {
  const rules = [{ name: "A", passPercentage: 10, conditions: [] }];

  it("are replaced under `conditional`, and the rest stays", async () => {
    const body = { name: "one", type: "rule_based", description: "d", tags: ["a"] };
    await call("POST", "segments", { ...body, rules: [{ ...rules[0], name: "old" }] });
    const { data } = await call("POST", "segments/one/conditional", rules);
    expect(data).toMatchObject({ ...body, rules, version: 2 });
    const conditions = [{ type: "public" }];
    const refused = await call("POST", "segments/one/conditional", [{ ...rules[0], conditions }]);
    expect(refused.errors).toMatchObject([{ property: "[0].conditions[0].type" }]);
  });

  it("belong to segments of type rule_based", async () => {
    await call("POST", "segments", { name: "one", type: "id_list" });
    expect(await call("POST", "segments/one/conditional", rules)).toMatchObject({
      status: 400,
      message: "Segment one is of type id_list: only rule_based have rules.",
    });
  });
});

describe("the references of a gate", () => {
  it("are listed by kind: whole dynamic configs, and whole experiments", async () => {
    const conditions = [{ type: "passes_gate", targetValue: "g_1" }];
    const body = { rules: [{ name: "A", passPercentage: 10, conditions }] };
    await call("POST", "gates", { name: "g_1" });
    for (const name of ["one", "two"]) {
      await call("POST", "dynamic_configs", { name: `config ${name}`, ...body });
      await call("POST", "experiments", { name: `experiment ${name}`, targetingGateID: "g_1" });
    }
    expect(await call("GET", "gates/g_1/dynamic_config_references?limit=1")).toMatchObject({
      message: "Dynamic Configs listed successfully.",
      data: [{ id: "config_two", defaultValue: {} }],
      pagination: { totalItems: 2, nextPage: expect.stringContaining("page=2") },
    });
    expect(await call("GET", "gates/g_1/experiment_references")).toMatchObject({
      message: "Experiments listed successfully.",
      data: [{ id: "experiment_two", groups: [{}, {}] }, { id: "experiment_one" }],
      pagination: { totalItems: 2 },
    });
    expect((await call("GET", "gates/g_1/gate_references")).data).toHaveLength(4);
    expect(await call("GET", "gates/nothing/experiment_references")).toMatchObject({
      status: 404,
      message: "Gate not found.",
    });
  });
});

describe("a dynamic config", () => {
  it("is enabled and disabled, to the version that If-Match names", async () => {
    await call("POST", "dynamic_configs", { name: "one", description: "d" });
    expect((await call("PUT", "dynamic_configs/one/disable")).data).toMatchObject({
      isEnabled: false,
      description: "d",
      version: 2,
    });
    expect(await call("PUT", "dynamic_configs/one/enable?dryRun=true")).toMatchObject({
      data: { isEnabled: true },
    });
    expect((await call("GET", "dynamic_configs/one")).data).toMatchObject({ isEnabled: false });
    expect((await call("PUT", "dynamic_configs/one/enable")).data).toMatchObject({
      isEnabled: true,
      version: 3,
    });
    expect(await call("PUT", "dynamic_configs/nothing/enable")).toMatchObject({ status: 404 });
  });
});

describe("the steps of an experiment", () => {
  it("start, decide, reset and abandon it, within its states", async () => {
    const groups = [
      { name: "A", size: 50, id: "a" },
      { name: "B", size: 50, id: "b" },
    ];
    await call("POST", "experiments", { name: "one", groups, targetingGateID: "g" });
    const unfinished = await call("PUT", "experiments/one/make_decision", { id: "a" });
    expect(unfinished).toMatchObject({ status: 400, errors: [{ property: "status" }] });
    expect(await call("PUT", "experiments/one/start")).toMatchObject({
      data: { status: "active" },
    });
    const unknown = await call("PUT", "experiments/one/make_decision", { id: "x" });
    expect(unknown).toMatchObject({ status: 400, errors: [{ property: "id" }] });
    const decision = { id: "b", decisionReason: "better", removeTargeting: true };
    expect(await call("PUT", "experiments/one/make_decision", decision)).toMatchObject({
      data: { status: "decision_made", launchedGroupID: "b", targetingGateID: null },
    });
    expect(await call("PUT", "experiments/one/reset")).toMatchObject({
      data: { status: "setup", launchedGroupID: null, startTime: null, decisionReason: "" },
    });
    await call("PUT", "experiments/one/start");
    expect(await call("PUT", "experiments/one/abandon")).toMatchObject({
      data: { status: "abandoned" },
    });
  });
});

describe("rules", () => {
  const rule = (name: string, others: AnyObject = {}) => ({
    name,
    passPercentage: 10,
    conditions: [],
    ...others,
  });
  const rulesOf = async (path: string) => {
    const { data } = await call("GET", path);
    return (data as AnyObject)["rules"] as { id: string; baseID: string }[];
  };

  it("of segments keep the ids of their name", async () => {
    const create = { name: "one", type: "rule_based", rules: [rule("x"), rule("y")] };
    await call("POST", "segments", create);
    const [x, y] = await rulesOf("segments/one");
    await call("PATCH", "segments/one", { rules: [rule("new"), rule("y"), rule("x")] });
    const after = await rulesOf("segments/one");
    expect(after.slice(1).map(({ id }) => id)).toEqual([y?.id, x?.id]);
  });

  it("take their percentage from their variants", async () => {
    const variants = [
      { name: "a", passPercentage: 30, returnValue: {} },
      { name: "b", passPercentage: 20, returnValue: {} },
    ];
    const rules = [{ name: "x", conditions: [], variants }];
    await call("POST", "dynamic_configs", { name: "one", rules });
    expect(await rulesOf("dynamic_configs/one")).toMatchObject([
      { passPercentage: 50, id: expect.stringMatching(/:50\.00:1$/) },
    ]);
  });
});

it("an empty text of JSON5 is as good as none", async () => {
  const body = { name: "one", defaultValue: { a: 1 }, defaultValueJson5: "", schemaJson5: "" };
  expect((await call("POST", "dynamic_configs", body)).data).toMatchObject({
    defaultValue: { a: 1 },
    defaultValueJson5: '{"a":1}',
    schemaJson5: null,
  });
});

describe("statsigUnitID of a qualifying event", () => {
  const path = "experiments/qualifying_events";
  const create = (...idTypeMapping: AnyObject[]) =>
    call("POST", path, { name: "one", sql: "select 1", timestampColumn: "t", idTypeMapping });

  it("is answered beside serviceUnitID where it was sent, and can be sent back", async () => {
    const { data } = await create(
      { statsigUnitID: "userID", column: "u" },
      { serviceUnitID: "stableID", column: "s" },
    );
    const { idTypeMapping } = data as AnyObject;
    expect(idTypeMapping).toEqual([
      { serviceUnitID: "userID", statsigUnitID: "userID", column: "u" },
      { serviceUnitID: "stableID", column: "s" },
    ]);
    const again = await call("POST", `${path}/one`, data);
    expect(again).toMatchObject({ status: 200, data: { idTypeMapping } });
  });

  it("is refused if it differs from serviceUnitID", async () => {
    const { status, errors } = await create({
      statsigUnitID: "a",
      serviceUnitID: "b",
      column: "u",
    });
    const property = "idTypeMapping[0].statsigUnitID";
    expect({ status, errors }).toMatchObject({ status: 400, errors: [{ property }] });
  });
});

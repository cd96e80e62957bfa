import { afterEach, beforeEach, expect, test } from "vitest";
import { keyRecord, newKeyText } from "../../src/http/key-text.js";
import { startTestService, type TestService } from "../support/service.js";

const log = "/console/v1/audit_logs";
const gates = "/console/v1/gates";
let service: TestService;
let ci: string;

beforeEach(async () => {
  service = await startTestService();
  ci = newKeyText("console");
  await service.store.keys.insert({
    ...keyRecord(ci, { kind: "console", name: "CI", createdTime: 0 }),
    id: "key_ci",
  });
});
afterEach(() => service.close());

type Entry = Readonly<Record<string, unknown>>;

async function entries(query = ""): Promise<readonly Entry[]> {
  const { json, status } = await service.call<readonly Entry[]>({ path: `${log}${query}` });
  expect(status).toBe(200);
  return json.data ?? [];
}

async function write(
  method: "POST" | "PATCH" | "PUT" | "DELETE",
  path: string,
  body?: object,
  key?: string,
  request = "r",
): Promise<number> {
  const headers = { "x-request-id": request };
  const answer = await service.call({
    method,
    path,
    headers,
    ...(body && { body }),
    ...(key && { key }),
  });
  return answer.status;
}

test("every accepted write has an entry with its writer, versions and request", async () => {
  const rules = [{ name: "all", passPercentage: 10, conditions: [{ type: "public" }] }];
  expect(await write("POST", gates, { name: "a_gate", rules }, ci, "first")).toBe(201);
  expect(await write("PATCH", `${gates}/a_gate`, { description: "x" }, undefined, "second")).toBe(
    200,
  );
  // None of these is accepted, or stores anything.
  expect(await write("POST", gates, { name: "a_gate" })).toBe(400);
  expect(await write("PATCH", `${gates}/a_gate`, { unknown: 1, rules: "none" })).toBe(400);
  expect(await write("PATCH", `${gates}/a_gate?dryRun=true`, { description: "y" })).toBe(200);
  expect(await write("DELETE", `${gates}/none`)).toBe(404);
  expect(await write("DELETE", `${gates}/a_gate`, undefined, ci, "third")).toBe(200);

  const common = { time: expect.any(Number), entityType: "gate", entityID: "a_gate" };
  const byCI = { updatedBy: "CI", updatedByKeyID: "key_ci" };
  const first = { ...common, ...byCI, id: "1", actionType: "create", requestID: "first" };
  const third = { ...common, ...byCI, id: "3", actionType: "delete", requestID: "third" };
  expect(await entries()).toEqual([
    { ...third, fromVersion: 2, toVersion: null },
    {
      ...common,
      id: "2",
      actionType: "update",
      fromVersion: 1,
      toVersion: 2,
      updatedBy: "CONSOLE API",
      updatedByKeyID: expect.stringMatching(/^key_/),
      requestID: "second",
    },
    { ...first, fromVersion: null, toVersion: 1 },
  ]);
});

test("parts, documents and lists of ids are writes too", async () => {
  expect(await write("POST", gates, { name: "a_gate" })).toBe(201);
  const overrides = { passingUserIDs: ["u1"], failingUserIDs: [] };
  expect(await write("POST", `${gates}/a_gate/overrides`, overrides)).toBe(200);
  const segment = { name: "a_list", type: "id_list", idType: "userID" };
  expect(await write("POST", "/console/v1/segments", segment)).toBe(201);
  const ids = Array.from({ length: 2_000 }, (_, index) => `user-${index}`);
  expect(await write("PATCH", "/console/v1/segments/a_list/add_ids", { ids }, ci)).toBe(200);
  expect(await write("DELETE", `${gates}/a_gate`)).toBe(200);
  const found = (await entries()).map(({ entityType, actionType, updatedBy }) =>
    [entityType, actionType, updatedBy].join(" "),
  );
  expect(found.sort()).toEqual([
    "gate create CONSOLE API",
    "gate delete CONSOLE API",
    "gate_override create CONSOLE API",
    "gate_override delete CONSOLE API",
    "segment create CONSOLE API",
    "segment update CI",
  ]);
});

test("filters narrow the list, alone and together", async () => {
  await write("POST", gates, { name: "one" }, ci, "req-1");
  await write("POST", gates, { name: "two" });
  await write("PATCH", `${gates}/one`, { description: "x" });
  await write("POST", "/console/v1/tags", { name: "one" }, ci);
  const ids = async (query: string) => (await entries(query)).map(({ id }) => id);
  expect(await ids("?entityType=gate")).toEqual(["3", "2", "1"]);
  expect(await ids("?entityType=tag,GATE&entityID=one")).toEqual(["4", "3", "1"]);
  expect(await ids("?actionType=update")).toEqual(["3"]);
  expect(await ids("?updatedBy=CI")).toEqual(["4", "1"]);
  expect(await ids("?updatedBy=key_ci&actionType=create&entityType=gate")).toEqual(["1"]);
  expect(await ids("?updatedBy=CI&updatedBy=nobody")).toEqual(["4", "1"]);
  expect(await ids("?requestID=req-1")).toEqual(["1"]);
  const [newest] = await entries();
  expect(await ids(`?startDate=${newest?.["time"]}`)).toEqual(["4"]);
  expect(await ids(`?endDate=${newest?.["time"]}&limit=2`)).toEqual(["3", "2"]);
  expect(await ids("?startDate=2000-01-01&endDate=2001-01-01T00:00:00Z")).toEqual([]);
  expect(await ids("?limit=1&page=2")).toEqual(["3"]);
});

test.each([
  ["?entityType=gates", "entityType"],
  ["?actionType=remove", "actionType"],
  ["?startDate=yesterday", "startDate"],
  ["?endDate=2026-02-31", "endDate"],
  ["?user=x", "user"],
])("%s is refused", async (query, property) => {
  const { status, json } = await service.call({ path: `${log}${query}` });
  expect(status).toBe(400);
  expect(JSON.stringify(json)).toContain(property);
});

test("an entry tells what its write changed", async () => {
  const read = async (id: string) => {
    const { json } = await service.call<Entry>({ path: `${log}/${id}` });
    return json.data?.["changes"];
  };
  await write("POST", gates, { name: "a_gate" });
  await write("PATCH", `${gates}/a_gate`, { description: "x", tags: ["q3"] });
  expect(await read("2")).toEqual([
    { property: "description", before: "", after: "x" },
    { property: "tags", before: [], after: ["q3"] },
  ]);
  expect(await read("1")).toContainEqual({ property: "name", after: "a_gate" });
  await write("DELETE", `${gates}/a_gate`);
  expect(await read("3")).toContainEqual({ property: "description", before: "x" });
  // The versions of a removed entity are gone, also if another one has its name.
  expect(await read("2")).toBeNull();
  await write("POST", gates, { name: "a_gate" });
  await write("PATCH", `${gates}/a_gate`, { description: "other" });
  expect(await read("2")).toBeNull();
  expect(await read("5")).toEqual([{ property: "description", before: "", after: "other" }]);
  for (const id of ["6", "0", "x", "1e3"]) {
    expect((await service.call({ path: `${log}/${id}` })).status).toBe(404);
  }
});

test("two versions of anything are compared", async () => {
  await write("POST", "/console/v1/tags", { name: "q3" });
  await write("PATCH", "/console/v1/tags/q3", { description: "x" });
  await write("PATCH", "/console/v1/tags/q3", { isCore: true });
  const compare = (query: string) => service.call({ path: `${log}/compare?${query}` });
  expect((await compare("entityType=tag&id=q3&from=1&to=3")).json.data).toEqual([
    { property: "description", before: "", after: "x" },
    { property: "isCore", before: false, after: true },
  ]);
  expect((await compare("entityType=tag&id=q3&from=3&to=1")).json.data).toEqual([
    { property: "description", before: "x", after: "" },
    { property: "isCore", before: true, after: false },
  ]);
  expect((await compare("entityType=tag&id=q3&from=2&to=2")).json.data).toEqual([]);
  const missing = await compare("entityType=tag&id=q3&from=1&to=4");
  expect([missing.status, missing.json.message]).toEqual([404, "Version 4 of tag q3 not found."]);
  expect((await compare("entityType=gate&id=q3&from=1&to=2")).status).toBe(404);
  expect((await compare("entityType=tag&id=q3&from=0&to=2")).status).toBe(400);
});

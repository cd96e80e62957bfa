import { afterEach, beforeEach, expect, test } from "vitest";
import type { AnyObject } from "../../src/contract/fields.js";
import { startTestService, type TestService } from "../support/service.js";

const root = "/console/v1/experiments";
let service: TestService;

beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.close());

async function call(method: string, path: string, body?: object) {
  const { json, status } = await service.call<AnyObject>({
    method: method as "GET",
    path,
    ...(body && { body }),
  });
  return { ...json, status };
}

async function create(name: string, allocation: number): Promise<void> {
  const groups = [
    { name: "Control", size: 50 },
    { name: "Test", size: 50 },
  ];
  const body = { name, groups, allocation, layerID: "a_layer", idType: "userID" };
  expect((await call("POST", root, body)).status).toBe(201);
}

const start = (id: string) => call("PUT", `${root}/${id}/start`);

/** The experiment that each of 300 users is in, by user. */
async function experimentsOf(ids: readonly string[]): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  for (let user = 0; user < 300; user += 1) {
    for (const configName of ids) {
      const body = { configName, user: { userID: `u${user}` } };
      const { json } = await service.call({
        method: "POST",
        path: "/v1/get_config",
        body,
        key: service.keys.server,
      });
      const { group } = json as { readonly group?: string };
      if (group === undefined || group === "" || /Assignment|default/i.test(group)) continue;
      expect(found.has(user)).toBe(false);
      found.set(user, configName);
    }
  }
  return found;
}

test("no user of an experiment moves when another one of its layer starts, grows or ends", async () => {
  await create("one", 20);
  await create("two", 30);
  await create("three", 40);
  expect((await start("one")).data?.["userBuckets"]).toHaveLength(200);
  await start("two");
  const before = await experimentsOf(["one", "two"]);
  expect(before.size).toBeGreaterThan(100);
  await start("three");
  await call("PATCH", `${root}/one`, { allocation: 30 });
  const grown = await experimentsOf(["one", "two", "three"]);
  for (const [user, id] of before) expect(grown.get(user)).toBe(id);
  await call("PUT", `${root}/one/abandon`);
  await create("four", 30);
  await start("four");
  const after = await experimentsOf(["two", "three", "four"]);
  for (const [user, id] of grown) if (id !== "one") expect(after.get(user)).toBe(id);
});

test("an experiment does not start in a layer without free buckets", async () => {
  await create("one", 100);
  await create("two", 10);
  expect((await start("one")).status).toBe(200);
  const { status, errors } = await start("two");
  expect({ status, errors }).toMatchObject({
    status: 400,
    errors: [
      { property: "allocation", errorMessage: expect.stringContaining("has no free buckets") },
    ],
  });
  await call("PUT", `${root}/one/reset`);
  expect((await start("two")).data).toMatchObject({ status: "active" });
  expect((await start("two")).data?.["userBuckets"]).toHaveLength(100);
});

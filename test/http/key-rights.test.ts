import { afterAll, beforeAll, expect, test } from "vitest";
import { keyRecord, type NewKeyFacts, newKeyText } from "../../src/http/key-text.js";
import { startTestService, type TestService } from "../support/service.js";

const START = 1_800_000_000_000;
let now = START;
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ currentTime: () => now });
});
afterAll(() => service.close());

async function newKey(facts: Partial<NewKeyFacts>): Promise<string> {
  const kind = facts.kind ?? "console";
  const key = newKeyText(kind);
  await service.store.keys.insert(keyRecord(key, { kind, createdTime: START, ...facts }));
  return key;
}

const gates = "/console/v1/gates";

test("scopes open parts of the console API", async () => {
  const key = await newKey({ scopes: ["gates:write", "segments:read"] });
  const statusOf = async (method: "GET" | "POST" | "DELETE", path: string, body?: object) =>
    (await service.call({ method, path, key, body })).status;
  expect(await statusOf("POST", gates, { name: "a_gate" })).toBe(201);
  expect(await statusOf("GET", `${gates}/a_gate`)).toBe(200);
  expect(await statusOf("GET", `${gates}/a_gate/versions`)).toBe(200);
  expect(await statusOf("GET", "/console/v1/segments")).toBe(200);
  expect(await statusOf("POST", "/console/v1/segments", { name: "seg" })).toBe(403);
  expect(await statusOf("GET", "/console/v1/experiments")).toBe(403);
  expect(await statusOf("DELETE", `${gates}/a_gate`)).toBe(200);
  const { json } = await service.call({ path: "/console/v1/tags", key });
  expect(json.message).toBe(
    "The key that begins with console- has the scopes gates:write, segments:read; this is a GET that needs tags:read.",
  );
});

test("a scope for the whole console API includes its parts", async () => {
  const reader = await newKey({ scopes: ["read"] });
  const writer = await newKey({ scopes: ["write"] });
  expect((await service.call({ path: gates, key: reader })).status).toBe(200);
  expect((await service.call({ path: gates, key: writer })).status).toBe(200);
  const body = { name: "by_reader" };
  const { status, json } = await service.call({ method: "POST", path: gates, body, key: reader });
  expect([status, json.message]).toEqual([
    403,
    "The key that begins with console- is read-only, but this is a POST.",
  ]);
});

test("a key is refused from its expiry on", async () => {
  now = START;
  const key = await newKey({ expiresTime: START + 1_000 });
  expect((await service.call({ path: gates, key })).status).toBe(200);
  now = START + 1_000;
  const { status, json } = await service.call({ path: gates, key });
  expect(status).toBe(401);
  expect(json.message).toBe(
    "The key that begins with console- expired at 2027-01-15T08:00:01.000Z.",
  );
});

test("entities show the name of the key that wrote them, and the list its last use", async () => {
  now = START + 123;
  const key = await newKey({ name: "CI", owner: "ops@example.com", expiresTime: START + 1e9 });
  const { json } = await service.call({
    method: "POST",
    path: gates,
    body: { name: "by_ci" },
    key,
  });
  expect(json.data).toMatchObject({ creatorName: "CI", lastModifierName: "CI" });
  const other = { method: "PATCH", path: `${gates}/by_ci`, body: { description: "x" } } as const;
  expect((await service.call(other)).json.data).toMatchObject({
    creatorName: "CI",
    lastModifierName: "CONSOLE API",
  });
  const listed = await service.call<readonly object[]>({ path: "/console/v1/keys?limit=100" });
  expect(listed.json.data).toContainEqual(
    expect.objectContaining({
      description: "CI",
      owner: "ops@example.com",
      scopes: ["write"],
      expiresTime: START + 1e9,
      lastUsedTime: START + 123,
    }),
  );
  const found = await service.call<readonly { id: string }[]>({ path: `${gates}?creatorName=CI` });
  expect(found.json.data?.map(({ id }) => id)).toEqual(["by_ci"]);
});

test("a key with a limit waits, the others do not", async () => {
  now = START;
  const key = await newKey({ requestsPerMinuteMax: 2 });
  const call = () => service.call({ path: gates, key });
  expect([(await call()).status, (await call()).status]).toEqual([200, 200]);
  const refused = await call();
  expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "30"]);
  expect(refused.json.message).toContain("is limited to 2 requests per minute");
  expect((await service.call({ path: gates })).status).toBe(200);
  now = START + 30_000;
  expect((await call()).status).toBe(200);
});

test("a client key with a limit is refused as each kind of route refuses", async () => {
  now = START;
  const key = await newKey({ kind: "client", requestsPerMinuteMax: 1 });
  const check = (path: string, body: object) => service.call({ method: "POST", path, body, key });
  expect((await check("/v1/check_gate", { gateName: "a", user: {} })).status).toBe(200);
  const ofrep = await check("/ofrep/v1/evaluate/flags", { context: { targetingKey: "u" } });
  expect([ofrep.status, ofrep.headers["retry-after"]]).toEqual([429, "60"]);
});

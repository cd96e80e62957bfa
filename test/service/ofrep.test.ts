import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startTestService, type TestService } from "../support/service.js";

let service: TestService;

beforeEach(async () => {
  service = await startTestService();
  const staff = {
    name: "staff",
    id: "staff",
    passPercentage: 100,
    conditions: [{ type: "email", operator: "str_ends_with_any", targetValue: ["@corp.com"] }],
  };
  await create("gates", { name: "beta", rules: [staff] });
  const groups = [{ name: "Test", size: 100, parameterValues: { color: "red" } }];
  await create("experiments", { name: "colors", groups, idType: "companyID" });
  await service.call({ method: "PUT", path: "/console/v1/experiments/colors/start" });
});

afterEach(() => service.close());

async function create(kind: string, body: object) {
  const { status } = await service.call({ method: "POST", path: `/console/v1/${kind}`, body });
  expect(status).toBe(201);
}

function evaluate(key: string | undefined, body: unknown, headers: Record<string, string> = {}) {
  const path = `/ofrep/v1/evaluate/flags${key === undefined ? "" : `/${key}`}`;
  return service.call({ method: "POST", path, key: service.keys.client, body, headers });
}

describe("one flag", () => {
  it("is true or false for a gate, with rule and reason", async () => {
    const context = { targetingKey: "u1", email: "ann@corp.com" };
    expect(await evaluate("beta", { context })).toMatchObject({
      status: 200,
      json: {
        key: "beta",
        value: true,
        reason: "TARGETING_MATCH",
        variant: "on",
        metadata: { ruleID: "staff", groupName: "staff" },
      },
    });
    expect(await evaluate("beta", { context: { targetingKey: "u1" } })).toMatchObject({
      json: { value: false, reason: "DEFAULT", variant: "off", metadata: { ruleID: "default" } },
    });
  });

  it("is an object for an experiment; the targeting key stands for ids that the context lacks", async () => {
    expect(await evaluate("colors", { context: { targetingKey: "u1" } })).toMatchObject({
      json: { value: { color: "red" }, reason: "SPLIT", variant: "Test" },
    });
  });

  it.each([
    ["absent", { context: { targetingKey: "u" } }, 404, "FLAG_NOT_FOUND"],
    ["segment:a", { context: { targetingKey: "u" } }, 404, "FLAG_NOT_FOUND"],
    ["beta", { context: {} }, 400, "TARGETING_KEY_MISSING"],
    ["beta", {}, 400, "TARGETING_KEY_MISSING"],
    ["beta", { context: { targetingKey: 7 } }, 400, "INVALID_CONTEXT"],
    ["beta", { context: [] }, 400, "INVALID_CONTEXT"],
    ["beta", [], 400, "PARSE_ERROR"],
    ["beta", "{", 400, "PARSE_ERROR"],
  ])("%s with %j is %d %s", async (key, body, status, errorCode) => {
    expect(await evaluate(key, body)).toMatchObject({ status, json: { key, errorCode } });
  });

  it("needs a key", async () => {
    const path = "/ofrep/v1/evaluate/flags/beta";
    const { status } = await service.call({ method: "POST", path, key: null, body: {} });
    expect(status).toBe(401);
  });
});

it("private attributes are evaluated and never stored", async () => {
  const context = { targetingKey: "u1", privateAttributes: { email: "ann@corp.com" } };
  expect(await evaluate("beta", { context })).toMatchObject({ json: { value: true } });
  await service.call({ method: "PUT", path: "/console/v1/gates/beta/disable" });
  await vi.waitFor(async () => {
    const { json } = await service.call<readonly object[]>({ path: "/v1/events" });
    expect(json.data).toMatchObject([{ user: { userID: "u1", custom: {} } }]);
    expect(JSON.stringify(json.data)).not.toContain("corp.com");
  }, 5_000);
});

describe("all flags", () => {
  const context = { targetingKey: "u1", email: "ann@corp.com" };

  it("are answered once, until the state or the context changes", async () => {
    const first = await evaluate(undefined, { context });
    expect(first.json).toMatchObject({ flags: [{ key: "beta", value: true }, { key: "colors" }] });
    const known = { "if-none-match": String(first.headers["etag"]) };
    expect((await evaluate(undefined, { context }, known)).status).toBe(304);
    const other = { context: { ...context, targetingKey: "u2" } };
    expect((await evaluate(undefined, other, known)).status).toBe(200);
    await service.call({ method: "PUT", path: "/console/v1/gates/beta/disable" });
    const second = await evaluate(undefined, { context }, known);
    expect([second.status, second.json]).toMatchObject([200, { flags: [{ value: false }, {}] }]);
  });
});

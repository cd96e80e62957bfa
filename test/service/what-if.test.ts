import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Answer, Impact } from "../../src/contract/what-if.js";
import { startTestService, type TestService } from "../support/service.js";

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.close());

const post = async <Data>(path: string, body: object, key?: string) =>
  service.call<Data>({ method: "POST", path: `/console/v1/${path}`, body, ...(key && { key }) });

const email = (ending: string) => ({
  type: "email",
  operator: "str_contains_any",
  targetValue: [ending],
});

const gate = {
  name: "new_checkout",
  isEnabled: true,
  rules: [
    { name: "Staff", passPercentage: 100, conditions: [email("@acme.test")] },
    {
      name: "Half of Germany",
      passPercentage: 50,
      conditions: [
        { type: "country", operator: "any", targetValue: ["DE"] },
        { type: "custom_field", field: "plan", operator: "any", targetValue: ["pro"] },
      ],
    },
    { name: "Nobody", passPercentage: 0, conditions: [{ type: "public" }] },
  ],
};

async function storeUsers(count: number, of: (index: number) => object): Promise<void> {
  const day = "1970-01-01";
  const events = Array.from({ length: count }, (_, index) => ({
    day,
    event: "open",
    timestamp: index,
    body: JSON.stringify({ event: "open", user: of(index), timestamp: index }),
  }));
  await service.store.events.append({ events, idempotencyKey: undefined });
}

describe("asking why", () => {
  beforeEach(() => post("gates", gate));

  it("tells which rules were tried, with the values of the user", async () => {
    const user = { userID: "u", email: "ann@example.com", country: "DE", custom: { plan: "pro" } };
    const { status, json } = await post<Answer>("gates/new_checkout/evaluate", { user });
    expect(status).toBe(200);
    const { rules, passes, ...answer } = json.data;
    expect(answer).toMatchObject({ ruleName: "Half of Germany", isEnabled: true, reason: "SPLIT" });
    expect(rules.map(({ name, kind, tried, holds }) => [name, kind, tried, holds])).toEqual([
      ["Staff", "rule", true, false],
      ["Half of Germany", "rule", true, true],
      ["Nobody", "rule", false, null],
    ]);
    expect(rules[0]?.conditions).toEqual([
      expect.objectContaining({ field: "email", value: "ann@example.com", holds: false }),
    ]);
    expect(rules[1]?.conditions.map(({ value, holds }) => [value, holds])).toEqual([
      ["DE", true],
      ["pro", true],
    ]);
    const percentage = rules[1]?.percentage;
    expect(percentage).toMatchObject({ limit: 5_000, passes });
    expect(Number(percentage?.bucket) < 5_000).toBe(passes);
    expect(rules[0]?.percentage).toBeNull();
  });

  it("agrees with what SDKs get, for many users", async () => {
    for (let index = 0; index < 40; index += 1) {
      const user = { userID: `u${index}`, country: "DE", custom: { plan: "pro" } };
      const told = await post<Answer>("gates/new_checkout/evaluate", { user });
      const { json } = await service.call({
        method: "POST",
        path: "/v1/check_gate",
        body: { gateName: "new_checkout", user },
        key: service.keys.server,
      });
      const { passes: value, ruleID: rule_id } = told.json.data;
      expect(json).toMatchObject({ value, rule_id });
    }
  });

  it("shows overrides, holdouts and nested gates", async () => {
    await post("holdouts", { name: "Quarter", passPercentage: 100, isEnabled: true });
    await post("gates", {
      name: "asking",
      isEnabled: true,
      holdoutIDs: ["quarter"],
      rules: [
        {
          name: "Nested",
          passPercentage: 100,
          conditions: [{ type: "passes_gate", targetValue: "new_checkout" }],
        },
      ],
    });
    await post("gates/asking/overrides", { failingUserIDs: ["x"] });
    const { json } = await post<Answer>("gates/asking/evaluate", { user: { userID: "u" } });
    expect(json.data.rules.map(({ kind, holds }) => [kind, holds])).toEqual([
      ["override", false],
      ["holdout", true],
      ["rule", null],
    ]);
    expect(json.data.rules[1]?.conditions[0]).toMatchObject({ value: true, holds: true });
    expect(json.data).toMatchObject({ passes: false });
  });

  it("answers as if a change were stored, in an environment, and stores nothing", async () => {
    const rule = { name: "All", passPercentage: 100, conditions: [{ type: "public" }] };
    const proposed = { rules: [{ ...rule, environments: ["staging"] }] };
    const asked = (body: object) => post<Answer>("gates/new_checkout/evaluate", body);
    const user = { userID: "u" };
    const staging = await asked({ user, environment: "staging", proposed });
    expect(staging.json.data).toMatchObject({ passes: true, ruleName: "All" });
    expect((await asked({ user, environment: "production", proposed })).json.data.passes).toBe(
      false,
    );
    expect((await asked({ user })).json.data.passes).toBe(false);
    const off = await asked({ user, proposed: { isEnabled: false } });
    expect(off.json.data).toMatchObject({ isEnabled: false, ruleID: "disabled", rules: [] });
    const { json } = await service.call({ path: "/console/v1/gates/new_checkout" });
    expect(json.data).toMatchObject({ version: 1, isEnabled: true });
  });

  it("works for dynamic configs and experiments, with a read-only key", async () => {
    await post("dynamic_configs", { name: "copy_texts", isEnabled: true, defaultValue: { a: 1 } });
    const { readOnly } = service.keys;
    const user = { userID: "u" };
    const config = await post<Answer>(
      "dynamic_configs/copy_texts/evaluate",
      { user, proposed: { defaultValue: { a: 2 } } },
      readOnly,
    );
    expect(config.json.data).toMatchObject({ value: { a: 2 }, ruleID: "default", ruleName: null });
    await post("experiments", {
      name: "pages",
      groups: [{ name: "A", size: 100, parameterValues: { p: 1 } }],
    });
    await service.call({ method: "PUT", path: "/console/v1/experiments/pages/start" });
    const experiment = await post<Answer>("experiments/pages/evaluate", { user }, readOnly);
    expect(experiment.json.data).toMatchObject({ value: { p: 1 }, group: "A" });
    expect(experiment.json.data.rules.at(-1)).toMatchObject({ kind: "group", holds: true });
    expect((await post("gates/nowhere/evaluate", { user })).status).toBe(404);
  });
});

describe("the impact of a change", () => {
  const proposed = {
    rules: [
      {
        name: "Pro",
        passPercentage: 100,
        conditions: [
          { type: "custom_field", field: "plan", operator: "any", targetValue: ["pro"] },
        ],
      },
    ],
  };
  const impact = (body: object) => post<Impact>("gates/new_checkout/impact", body);
  beforeEach(() => post("gates", gate));

  it("counts each recent user once, and shows some", async () => {
    await storeUsers(250, (index) => ({
      userID: `u${index % 50}`,
      plan: index % 50 < 30 ? "pro" : "free",
    }));
    const { json } = await impact({ proposed });
    expect(json.data).toMatchObject({ users: 50, changed: 30 });
    expect(json.data?.examples).toHaveLength(20);
    expect(json.data?.examples[0]).toMatchObject({
      user: { userID: "u29", plan: "pro" },
      before: { passes: false },
      after: { passes: true },
    });
    expect((await impact({ proposed, users: 10 })).json.data).toMatchObject({
      users: 10,
      changed: 0,
    });
    expect((await impact({ proposed: {} })).json.data).toMatchObject({ users: 50, changed: 0 });
  });

  it("shows users only to keys that may read events", async () => {
    await storeUsers(3, (index) => ({ userID: `u${index}`, plan: "pro" }));
    const keyWith = async (...scopes: readonly string[]) => {
      const body = { kind: "console", scopes };
      const { json } = await service.call<{ readonly key: string }>({
        method: "POST",
        path: "/console/v1/keys",
        body,
      });
      return json.data.key;
    };
    const path = "/console/v1/gates/new_checkout/impact";
    const asked = async (key: string) =>
      (await service.call<Impact>({ method: "POST", path, key, body: { proposed } })).json.data;
    const blind = await asked(await keyWith("gates:read"));
    expect(blind).toEqual({ users: 3, changed: 3, examples: [] });
    expect((await asked(await keyWith("gates:read", "events:read")))?.examples).toHaveLength(3);
  });

  it("is null without users, and refuses more than 10,000", async () => {
    await storeUsers(2, () => ({}));
    expect((await impact({ proposed })).json.data).toBeNull();
    expect((await impact({ proposed, users: 10_001 })).status).toBe(400);
    expect((await post("gates/nowhere/impact", { proposed })).status).toBe(404);
  });

  it("of a dynamic config compares values; devices count without a user", async () => {
    await post("dynamic_configs", { name: "copy_texts", isEnabled: true, defaultValue: { a: 1 } });
    await storeUsers(3, (index) => ({ stableID: `d${index}` }));
    const path = "dynamic_configs/copy_texts/impact";
    const { json } = await post<Impact>(path, { proposed: { defaultValue: { a: 2 } } });
    expect(json.data).toMatchObject({ users: 3, changed: 3 });
  });
});

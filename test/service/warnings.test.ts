import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AnyObject } from "../../src/contract/fields.js";
import { startTestService, type TestService } from "../support/service.js";

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.close());

async function call(method: string, path: string, body?: unknown) {
  const answer = await service.call({
    method: method as "GET",
    path: `/console/v1/${path}`,
    ...(body === undefined ? {} : { body }),
  });
  const { warnings = [], ...json } = answer.json as typeof answer.json & { warnings?: AnyObject[] };
  return { status: answer.status, warned: warnings.map(({ property }) => property), json };
}

const ruleOf = (...conditions: AnyObject[]) => ({ name: "one", passPercentage: 100, conditions });
const bad = { type: "email", operator: "like", targetValue: ["a"] };
const sound = { type: "email", operator: "any", targetValue: ["a"] };

describe("warnings of rules", () => {
  it.each([
    ["gates", { name: "one" }, { isEnabled: true, description: "" }],
    ["dynamic_configs", { name: "one" }, { isEnabled: true, description: "", defaultValue: {} }],
    ["segments", { name: "one", type: "rule_based" }, { description: "" }],
  ])("are in the answers of create, update, patch and dry runs: %s", async (path, made, full) => {
    const property = "rules[0].conditions[1].operator";
    const rules = [ruleOf(sound, bad)];
    const created = await call("POST", path, { ...made, rules });
    expect(created).toMatchObject({ status: 201, warned: [property] });
    for (const [method, body] of [
      ["POST", { ...full, rules }],
      ["PATCH", { rules }],
      // The entity still has them.
      ["PATCH", { description: "two" }],
    ] as const) {
      const real = await call(method, `${path}/one`, body);
      expect(real).toMatchObject({ status: 200, warned: [property] });
      expect(await call(method, `${path}/one?dryRun=true`, body)).toMatchObject({
        warned: [property],
      });
    }
    expect(await call("GET", `${path}/one`)).toMatchObject({ warned: [] });
    const fixed = await call("PATCH", `${path}/one`, { rules: [ruleOf(sound)] });
    expect(fixed).toMatchObject({ status: 200, warned: [] });
    expect(fixed.json).not.toHaveProperty("warnings");
  });

  it.each(["gates", "dynamic_configs"])("are in the answers of single rules: %s", async (path) => {
    await call("POST", path, { name: "one" });
    const added = await call("POST", `${path}/one/rule`, { ...ruleOf(bad), baseID: "r" });
    expect(added.warned).toEqual(["rules[0].conditions[0].operator"]);
    const several = [{ ...ruleOf({ type: "url" }), name: "two" }];
    expect((await call("POST", `${path}/one/rules`, { rules: several })).warned).toEqual([
      "rules[0].conditions[0].operator",
      "rules[1].conditions[0].type",
    ]);
    const patch = { conditions: [sound] };
    const patched = await call("PATCH", `${path}/one/rules/r?dryRun=true`, patch);
    expect(patched.warned).toEqual(["rules[1].conditions[0].type"]);
    expect((await call("DELETE", `${path}/one/rules/r`)).warned).toEqual([
      "rules[0].conditions[0].type",
    ]);
  });

  it("are in the answers about all rules of a segment", async () => {
    await call("POST", "segments", { name: "one", type: "rule_based" });
    const conditional = await call("POST", "segments/one/conditional", [ruleOf(bad)]);
    expect(conditional.warned).toEqual(["rules[0].conditions[0].operator"]);
  });

  it("end when what a rule names is created", async () => {
    const rules = [
      { ...ruleOf({ type: "passes_gate", targetValue: "two" }), environments: ["Latest"] },
    ];
    const paths = ["rules[0].conditions[0].targetValue", "rules[0].environments[0]"];
    expect((await call("POST", "gates", { name: "one", rules })).warned).toEqual(paths);
    await call("POST", "gates", { name: "two" });
    expect((await call("PATCH", "gates/one", { rules })).warned).toEqual(paths.slice(1));
    await call("POST", "environments", { environments: [{ name: "latest", isProduction: false }] });
    expect((await call("PATCH", "gates/one", { rules })).warned).toEqual([]);
  });

  it("name holdouts of a new gate that do not exist", async () => {
    const created = await call("POST", "gates", { name: "one", holdoutIDs: ["nobody"] });
    expect(created).toMatchObject({ status: 201, warned: ["holdoutIDs[0]"] });
  });

  it("say that a gate of an earlier version requires reviews, until a write says that it does not", async () => {
    const property = "reviewSettings.requiredReview";
    await call("POST", "gates", { name: "one" });
    await service.store.entities.write({ kind: "gate", id: "one" }, (stored) => {
      if (stored === undefined) throw new Error("the gate is not stored");
      const reviewSettings = { requiredReview: true, allowedReviewers: [] };
      return { ...stored, version: 2, body: { ...stored.body, version: 2, reviewSettings } };
    });
    const patched = await call("PATCH", "gates/one", { description: "still changes" });
    expect(patched).toMatchObject({ status: 200, warned: [property] });
    expect(patched.json.data).toMatchObject({ reviewSettings: { requiredReview: true } });
    const again = await call("PATCH", "gates/one", { reviewSettings: { requiredReview: true } });
    expect(again).toMatchObject({ status: 400, json: { errors: [{ property }] } });
    const cleared = { reviewSettings: { requiredReview: false } };
    expect(await call("PATCH", "gates/one", cleared)).toMatchObject({ status: 200, warned: [] });
  });

  it("name what a holdout holds out of and does not exist", async () => {
    await call("POST", "gates", { name: "one" });
    const body = { gateIDs: ["one", "two"], experimentIDs: ["three"] };
    const created = await call("POST", "holdouts", { name: "all", ...body });
    expect(created.warned).toEqual(["gateIDs[1]", "experimentIDs[0]"]);
    await call("POST", "gates", { name: "two" });
    const changed = await call("PATCH", "holdouts/all", { description: "" });
    expect(changed.warned).toEqual(["experimentIDs[0]"]);
  });

  it("name the targeting gate of a holdout that does not exist", async () => {
    const created = await call("POST", "holdouts", { name: "one", targetingGateID: "two" });
    expect(created).toMatchObject({ status: 200, warned: ["targetingGateID"] });
    await call("POST", "gates", { name: "two" });
    expect((await call("PATCH", "holdouts/one", { description: "" })).warned).toEqual([]);
  });

  it.each([
    ["dynamic_configs", "experiments"],
    ["experiments", "dynamic_configs"],
  ])(
    "say at its creation that a new entity has the id of another kind: %s, %s",
    async (first, second) => {
      expect((await call("POST", first, { name: "one" })).warned).toEqual([]);
      expect(await call("POST", second, { name: "one" })).toMatchObject({
        status: 201,
        warned: ["id"],
      });
      expect((await call("PATCH", `${second}/one`, { description: "" })).warned).toEqual([]);
    },
  );

  it("end after a hundred, with one that says so", async () => {
    const rules = [ruleOf(...Array.from({ length: 102 }, () => bad))];
    const { warned } = await call("POST", "gates", { name: "one", rules });
    expect(warned).toHaveLength(101);
    expect(warned.at(-1)).toBe("");
  });
});

describe("warnings of experiments", () => {
  const groups = (...sizes: number[]) =>
    sizes.map((size, index) => ({ name: `g${index}`, id: `g${index}`, size }));
  const patch = (body: object) => call("PATCH", "experiments/one", body);

  it("tell that units move when sizes of groups change while it is active", async () => {
    await call("POST", "experiments", { name: "one", groups: groups(20, 30) });
    expect((await patch({ groups: groups(30, 30) })).warned).toEqual([]);
    expect((await call("PUT", "experiments/one/start")).warned).toEqual([]);
    const same = [...groups(30), { name: "none", size: 0 }, { name: "G1", id: "g1", size: "30" }];
    expect((await patch({ groups: same })).warned).toEqual([]);
    expect((await patch({ groups: groups(40, 30) })).warned).toEqual(["groups"]);
    expect((await patch({ groups: groups(40, 30).reverse() })).warned).toEqual(["groups"]);
    expect((await patch({ description: "two" })).warned).toEqual([]);
    await call("PUT", "experiments/one/abandon");
    expect((await patch({ groups: groups(10, 30) })).warned).toEqual([]);
  });

  it("tell that the targeting gate does not exist", async () => {
    const created = await call("POST", "experiments", { name: "one", targetingGateID: "two" });
    expect(created).toMatchObject({ status: 201, warned: ["targetingGateID"] });
    await call("POST", "gates", { name: "two" });
    expect((await patch({ description: "two" })).warned).toEqual([]);
  });

  it("tell that the layer does not exist", async () => {
    const created = await call("POST", "experiments", { name: "one", layerID: "two" });
    expect(created).toMatchObject({ status: 201, warned: ["layerID"] });
    const holdout = await call("POST", "holdouts", { name: "all", layerIDs: ["two"] });
    expect(holdout).toMatchObject({ status: 200, warned: ["layerIDs[0]"] });
    await call("POST", "layers", { name: "two" });
    expect((await patch({ description: "two" })).warned).toEqual([]);
    expect((await call("PATCH", "holdouts/all", { description: "" })).warned).toEqual([]);
  });

  it.each(["controlGroupID", "launchedGroupID"])("tell of an unknown group: %s", async (field) => {
    const body = { name: "one", groups: groups(20, 30), [field]: "g0" };
    expect((await call("POST", "experiments", body)).warned).toEqual([]);
    expect((await patch({ [field]: "g9" })).warned).toEqual([field]);
    expect((await patch({ groups: [...groups(20, 30), { name: "g9", id: "g9" }] })).warned).toEqual(
      [],
    );
  });

  it("tell of an environment that the project does not have", async () => {
    const enabledNonProdEnvironments = ["Staging", "moon"];
    const created = await call("POST", "experiments", { name: "one", enabledNonProdEnvironments });
    expect(created.warned).toEqual(["enabledNonProdEnvironments[1]"]);
  });

  it("tell what overrides name and does not exist", async () => {
    await call("POST", "experiments", { name: "one", groups: groups(20, 30) });
    const overrides = [{ type: "segment", id: "vip", groupID: "g0", environment: "moon" }];
    const userIDOverrides = [{ groupID: "g1", ids: ["a"], environment: "moon" }];
    const body = { overrides, userIDOverrides };
    expect((await call("POST", "experiments/one/overrides", body)).warned).toEqual([
      "overrides[0].id",
      "overrides[0].environment",
      "userIDOverrides[0].environment",
    ]);
    await call("POST", "gates", { name: "one" });
    const environmentOverrides = [
      { environment: "moon", unitID: null, passingIDs: ["a"], failingIDs: [] },
    ];
    expect((await call("POST", "gates/one/overrides", { environmentOverrides })).warned).toEqual([
      "environmentOverrides[0].environment",
    ]);
  });

  it("are refusals where it would start without groups", async () => {
    const errors = [{ property: "groups", errorMessage: expect.stringMatching(/to start/) }];
    const refused = { status: 400, json: { errors } };
    await call("POST", "experiments", { name: "one", groups: [] });
    expect(await call("PUT", "experiments/one/start")).toMatchObject(refused);
    expect(await patch({ status: "active" })).toMatchObject(refused);
    const scheduledTime = Date.UTC(2030, 0, 1);
    const schedule = ["POST", "experiments/one/schedule_start", { scheduledTime }] as const;
    expect(await call(...schedule)).toMatchObject(refused);
    const started = await patch({ status: "active", groups: groups(100) });
    expect(started).toMatchObject({ status: 200, warned: [] });
    expect(await patch({ groups: [] })).toMatchObject({ status: 200, warned: ["groups"] });
  });
});

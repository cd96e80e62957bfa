import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Rule } from "../../src/contract/rule.js";
import { startTestService, type TestService } from "../support/service.js";

interface WithRules {
  readonly rules: readonly Rule[];
}

const rule = (name: string, others: object = {}) => ({
  name,
  passPercentage: 10,
  conditions: [],
  ...others,
});

let service: TestService;

beforeEach(async () => {
  service = await startTestService();
});

afterEach(() => service.close());

describe.each([
  ["gates", (base: string) => base],
  [
    "dynamic_configs",
    (base: string, percent: number, position: number) =>
      `${base}:${percent.toFixed(2)}:${position}`,
  ],
])("rules of %s", (collection, idOf) => {
  const write = async (method: "POST" | "PATCH", path: string, rules: readonly object[]) => {
    const full = { name: "An Entity", isEnabled: true, description: "", rules };
    const body = method === "PATCH" ? { rules } : full;
    const answer = await service.call<WithRules>({
      method,
      path: `/console/v1/${collection}${path}`,
      body,
    });
    return answer;
  };
  const rulesAfter = async (...call: Parameters<typeof write>) => {
    const { status, json } = await write(...call);
    expect(status, JSON.stringify(json)).toBeLessThan(300);
    return json.data.rules;
  };

  it("keep their ids when they come back by name, without ids, in any order", async () => {
    const [a, b] = await rulesAfter("POST", "", [rule("a"), rule("b")]);
    const [baseA, baseB] = [a?.baseID ?? "", b?.baseID ?? ""];
    for (const method of ["PATCH", "POST"] as const) {
      const rules = [rule("c"), rule("b", { passPercentage: 75, id: "" }), rule("a")];
      const after = await rulesAfter(method, "/an_entity", rules);
      expect(after.slice(1).map(({ id, baseID }) => [id, baseID])).toEqual([
        [idOf(baseB, 75, 2), baseB],
        [idOf(baseA, 10, 3), baseA],
      ]);
      expect([baseA, baseB]).not.toContain(after[0]?.baseID);
    }
  });

  it("keep the ids that come back, also under a new name", async () => {
    const [a] = await rulesAfter("POST", "", [rule("a")]);
    const [renamed] = await rulesAfter("PATCH", "/an_entity", [{ ...a, name: "renamed" }]);
    expect(renamed).toEqual({ ...a, name: "renamed" });
    const [byID] = await rulesAfter("PATCH", "/an_entity", [rule("again", { id: a?.id })]);
    expect([byID?.id, byID?.baseID]).toEqual([a?.id, a?.baseID]);
  });

  it("do not share an id", async () => {
    const [a] = await rulesAfter("POST", "", [rule("a")]);
    const rules = [rule("a"), rule("b", { baseID: a?.baseID })];
    const { status, json } = await write("PATCH", "/an_entity", rules);
    if (collection === "gates") {
      const errorMessage = "Duplicate rule id(s) given";
      expect(json.errors).toEqual([{ property: "rules[1].id", errorMessage }]);
    } else {
      expect(new Set(json.data.rules.map(({ id }) => id)).size, `${status}`).toBe(2);
    }
  });
});

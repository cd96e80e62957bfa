import { describe, expect, it } from "vitest";
import type { Rule } from "../../src/contract/rule.js";
import { ruleWarnings, type Surroundings } from "../../src/evaluation/rule-warnings.js";

const surroundings: Surroundings = {
  has: (kind, id) => id === `a_${kind}`,
  environments: new Set(["development", "production"]),
};

type Condition = Rule["conditions"][number];

const warningsOf = (rule: Partial<Rule>) =>
  ruleWarnings([{ conditions: [], ...rule }], surroundings);
const conditionWarnings = (condition: Condition) => warningsOf({ conditions: [condition] });

describe("ruleWarnings", () => {
  it.each<Condition>([
    { type: "public" },
    { type: "public", operator: "is_null" },
    { type: "email", operator: "str_contains_any", targetValue: ["@example.com"] },
    { type: "email", operator: "ANY", targetValue: "a@example.com" },
    { type: "custom_field", field: "level", operator: "gt", targetValue: "3" },
    { type: "custom_field", field: "level", operator: "eq", targetValue: [3] },
    { type: "custom_field", field: "roles", operator: "array_contains_all", targetValue: ["a"] },
    { type: "unit_id", operator: "any", targetValue: ["a"] },
    { type: "app_version", operator: "version_gte", targetValue: "1.10.0-beta" },
    { type: "app_version", operator: "version_gte", targetValue: ["2"] },
    { type: "app_version", operator: "version_gte", targetValue: 2 },
    { type: "email", operator: "str_matches", targetValue: "^a+$" },
    { type: "time", operator: "after", targetValue: "2026-01-01T00:00:00Z" },
    { type: "time", operator: "before", targetValue: ["1767225600000"] },
    { type: "passes_gate", targetValue: "a_gate" },
    { type: "passes_gate", operator: "is_null", targetValue: ["a_gate"] },
    { type: "fails_segment", targetValue: "a_segment" },
    { type: "environment_tier", operator: "any", targetValue: ["Production"] },
    { type: "environment_tier", operator: "str_contains_any", targetValue: ["prod"] },
  ])("finds nothing in %j", (condition) => {
    expect(conditionWarnings(condition)).toEqual([]);
  });

  it.each<[Condition, string, RegExp]>([
    [{ type: "email", operator: "like", targetValue: ["a"] }, "operator", /do not know like/],
    [{ type: "email", operator: "is_null" }, "operator", /do not know is_null/],
    [{ type: "email", operator: "is_not_null" }, "operator", /known: any, none/],
    [{ type: "email", operator: "encoded_any", targetValue: ["a"] }, "operator", /encoded_any/],
    [{ type: "email", targetValue: ["a"] }, "operator", /Required with email/],
    [{ type: "email", operator: null, targetValue: ["a"] }, "operator", /Required/],
    [{ type: "email", operator: "", targetValue: ["a"] }, "operator", /Required/],
    [{ type: "url", operator: "any", targetValue: ["a"] }, "type", /Only browsers can decide url/],
    [{ type: "javascript" }, "type", /Only browsers can decide javascript/],
    [{ type: "custom_field", operator: "any", targetValue: ["a"] }, "field", /Required/],
    [{ type: "custom_field", field: "", operator: "any", targetValue: ["a"] }, "field", /Required/],
    [{ type: "passes_gate", targetValue: ["a_gate", "b"] }, "targetValue", /Several gates in one/],
    [{ type: "fails_segment", targetValue: ["a", "b"] }, "targetValue", /Several segments in one/],
    [{ type: "passes_gate" }, "targetValue", /Must be the id of a gate/],
    [{ type: "passes_gate", targetValue: [] }, "targetValue", /Must be the id of a gate/],
    [{ type: "passes_segment", targetValue: "" }, "targetValue", /Must be the id of a segment/],
    [
      { type: "passes_gate", targetValue: "b" },
      "targetValue",
      /There is no gate b: the condition fa/,
    ],
    [
      { type: "fails_segment", targetValue: "b" },
      "targetValue",
      /There is no segment b: .* for all/,
    ],
    [{ type: "time", operator: "after", targetValue: "soon" }, "targetValue", /Must be a time/],
    [{ type: "time", operator: "on" }, "targetValue", /Must be a time/],
    [
      { type: "time", operator: "on", targetValue: "1704067200000000000" },
      "targetValue",
      /Must be a time/,
    ],
    [
      { type: "email", operator: "str_matches", targetValue: "(" },
      "targetValue",
      /Must be a regular/,
    ],
    [{ type: "email", operator: "str_matches", targetValue: ["a", "b"] }, "targetValue", /regular/],
    [
      { type: "os_version", operator: "version_gt", targetValue: "1.x" },
      "targetValue",
      /a version/,
    ],
    [{ type: "user_id", operator: "gt", targetValue: "ten" }, "targetValue", /Must be a number/],
    [{ type: "user_id", operator: "lte", targetValue: [1, 2] }, "targetValue", /Must be a number/],
    [{ type: "user_id", operator: "eq", targetValue: ["1", "2"] }, "targetValue", /one value/],
    [{ type: "email", operator: "any", targetValue: [] }, "targetValue", /The list is empty/],
    [{ type: "email", operator: "any" }, "targetValue", /The list is empty/],
    [
      { type: "environment_tier", operator: "any", targetValue: ["latest"] },
      "targetValue",
      /There is no environment latest; known: development, production/,
    ],
  ])("warns of %j at its %s", (condition, field, message) => {
    const property = `rules[0].conditions[0].${field}`;
    expect(conditionWarnings(condition)).toEqual([
      { property, message: expect.stringMatching(message) },
    ]);
  });

  it("warns of environments that are not the project's, whatever their case, and of none", () => {
    expect(warningsOf({ environments: null })).toEqual([]);
    expect(warningsOf({ environments: ["DEVELOPMENT"] })).toEqual([]);
    expect(warningsOf({ environments: ["production", "latest"] })).toEqual([
      {
        property: "rules[0].environments[1]",
        message: "There is no environment latest; known: development, production",
      },
    ]);
    expect(warningsOf({ environments: [] })).toMatchObject([{ property: "rules[0].environments" }]);
  });

  it("warns of the first rule after one that holds for everybody", () => {
    type Ruled = Pick<Rule, "conditions" | "environments">;
    const some: Ruled = { conditions: [{ type: "email", operator: "any", targetValue: ["a"] }] };
    const all: Ruled = { conditions: [{ type: "public" }], environments: null };
    const none: Ruled = { conditions: [] };
    const somewhere: Ruled = { ...all, environments: ["production"] };
    const of = (...rules: Ruled[]) =>
      ruleWarnings(rules, surroundings).map(({ property }) => property);
    expect(of(some, all)).toEqual([]);
    expect(of(somewhere, some)).toEqual([]);
    expect(of(some, all, some, some)).toEqual(["rules[2]"]);
    expect(of(none, all)).toEqual(["rules[1]"]);
  });

  it("names the path of each rule and condition, in their order", () => {
    const bad: Condition = { type: "url" };
    const rules = [
      { conditions: [{ type: "public" } as const], environments: ["production"] },
      { conditions: [{ type: "public" } as const, bad, bad] },
    ];
    const paths = ruleWarnings(rules, surroundings).map(({ property }) => property);
    expect(paths).toEqual(["rules[1].conditions[1].type", "rules[1].conditions[2].type"]);
  });
});

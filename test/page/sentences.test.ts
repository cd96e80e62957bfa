import { expect, test } from "vitest";
import { targetOf, targetTime } from "../../src/base/target-time.js";
import type { Rule } from "../../src/contract/rule.js";
import { timeOf } from "../../src/evaluation/condition-spec.js";
import { editChanges } from "../../src/page/editing/edit-changes.js";
import { conditionText, operatorsOf, ruleText } from "../../src/page/editing/sentences.js";

type Condition = Rule["conditions"][number];

test.each<[Condition, string]>([
  [{ type: "public" }, "everyone"],
  [{ type: "country", operator: "any", targetValue: ["DE"] }, "the country is DE"],
  [
    { type: "country", operator: "none", targetValue: ["DE", "AT"] },
    "the country is not DE and AT",
  ],
  [
    { type: "custom_field", field: "plan", operator: "any", targetValue: ["a", "b", "c"] },
    "plan is a, b or c",
  ],
  [
    { type: "user_id", operator: "any", targetValue: Array.from({ length: 9 }, (_, i) => `u${i}`) },
    "the user ID is u0, u1, u2, u3, u4 or 4 more",
  ],
  [
    { type: "custom_field", field: "a\u202Eb", operator: "any", targetValue: ["", "\u202Eevil"] },
    "a\\u202eb is (empty text) or \\u202eevil",
  ],
  [
    { type: "time", operator: "after", targetValue: Date.UTC(2026, 0, 2, 3, 4) },
    "the time is after 2026-01-02 03:04 UTC",
  ],
  [
    { type: "time", operator: "before", targetValue: 4_102_444_800 },
    "the time is before 2100-01-01 00:00 UTC",
  ],
  [
    { type: "time", operator: "on", targetValue: "2026-01-02T03:04:05.060Z" },
    "the time is on the day of 2026-01-02 03:04:05.060 UTC",
  ],
  [
    { type: "time", operator: "after", targetValue: "1704067200000000000" },
    "the time is after 1704067200000000000",
  ],
  [
    { type: "unit_id", customID: "companyID", operator: "any", targetValue: ["c1"] },
    "the companyID is c1",
  ],
  [{ type: "passes_gate", targetValue: "beta" }, "the gate beta is on"],
  [{ type: "fails_segment", targetValue: "staff" }, "the user is not in the segment staff"],
  [{ type: "custom_field", operator: "is_null" }, "(no field) is missing"],
  [{ type: "email", operator: "strange", targetValue: 7 }, "the email strange 7"],
])("%j reads %j", (condition, text) => {
  expect(conditionText(condition)).toBe(text);
});

test.each(["", "0", "-5", "4102444800", "1704067200000", "9999999999.5", "2026-01-02", "soon"])(
  "the time of the target %j is the one that is evaluated",
  (target) => {
    expect(targetTime(target)).toBe(timeOf(target) ?? Number.NaN);
  },
);

test.each([Date.UTC(1970, 1, 17), Date.UTC(2026, 0, 2), Date.UTC(1960, 0, 1)])(
  "the time %d becomes a target that is evaluated as it",
  (time) => {
    expect(timeOf(targetOf(time))).toBe(time);
  },
);

test("conditions and environments of a rule are one sentence", () => {
  const country: Condition = { type: "country", operator: "any", targetValue: ["DE"] };
  const email: Condition = { type: "email", operator: "str_ends_with_any", targetValue: [".edu"] };
  expect(ruleText({ conditions: [country, email], environments: ["staging", "dev"] })).toBe(
    "If the country is DE, and the email ends with .edu in staging or dev",
  );
  expect(ruleText({ conditions: [], environments: null })).toBe("Everyone");
});

test("a menu of comparisons has those that can hold for the type", () => {
  expect(operatorsOf("app_version")).toContain("version_gt");
  expect(operatorsOf("email")).not.toContain("gt");
  expect(operatorsOf("custom_field")).toContain("array_contains_all");
  expect(operatorsOf("public")).toEqual([]);
});

test("edits of rules are told rule by rule, as sentences", () => {
  const rule = (name: string, passPercentage: number, fields: Partial<Rule> = {}): Rule => ({
    id: name,
    baseID: name,
    name,
    passPercentage,
    conditions: [{ type: "public" }],
    ...fields,
  });
  const stored = { rules: [rule("a", 10), rule("b", 20), rule("c", 30)] };
  const { baseID: _, id: __, ...fresh } = rule("d", 0);
  expect(editChanges(stored, { rules: [rule("c", 30), rule("a", 100), fresh] })).toEqual([
    { property: "rule b", before: "Everyone → on for 20 % of them, off for the others" },
    {
      property: "rule a",
      before: "Everyone → on for 10 % of them, off for the others",
      after: "Everyone → on",
    },
    { property: "rule d", after: "Everyone → off" },
    { property: "order of the rules", before: "a, c", after: "c, a" },
  ]);
  expect(editChanges(stored, { rules: stored.rules })).toEqual([]);
  const segment = { rules: [rule("a", 0)], count: 0 };
  expect(editChanges(segment, { rules: [rule("a", 100)] })).toEqual([
    { property: "rule a", before: "Everyone → not in it", after: "Everyone → in the segment" },
  ]);
});

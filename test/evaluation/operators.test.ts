import { describe, expect, it } from "vitest";
import { compareWith } from "../../src/evaluation/operators.js";

const holds = (operator: string, target: unknown, value: unknown) =>
  compareWith(operator, target)?.(value);

describe("operators", () => {
  it.each([
    ["any", ["A", "b"], "a", true],
    ["any", [1], 1, true],
    ["any", ["true"], true, true],
    ["any", [""], undefined, false],
    ["none", ["a"], undefined, true],
    ["any_case_sensitive", ["A"], "a", false],
    ["none_case_sensitive", ["A"], "a", true],
    ["str_contains_any", ["", "x"], undefined, false],
    ["str_contains_none", ["x"], undefined, true],
    ["str_starts_with_any", ["AB"], "abc", true],
    ["str_ends_with_any", ["bc", "z"], "ABC", true],
    ["gt", "9", "10", true],
    ["lte", 5, "", false],
    ["lte", 5, true, false],
    ["gte", "x", 5, false],
    ["eq", "1", 1, true],
    ["neq", "a", undefined, true],
    ["version_gte", "1.9.9", "1.10", true],
    ["version_eq", "1.10", "1.10.0-beta", true],
    ["version_neq", "1.10", "1.x", false],
    ["version_lt", "2.0", "1..2", true],
    ["version_lt", "1.1", "1..2", false],
    ["version_gt", "1", 2, false],
    ["before", 1_700_000_000_000, 1_600_000_000, true],
    ["after", 1_700_000_000_000, "2024-01-01T00:00:00Z", true],
    ["after", 1_700_000_000_000, "soon", false],
    ["on", Date.UTC(2024, 0, 1, 23, 59), "2024-01-01T00:00:00Z", true],
    ["on", Date.UTC(2024, 0, 1, 23, 59), "2024-01-02T00:00:00Z", false],
    ["array_contains_any", ["1", "x"], [1], true],
    ["array_contains_none", ["x"], "a", false],
    ["array_contains_none", ["x"], ["a"], true],
    ["array_contains_all", ["a", "b"], ["b", "a", "c"], true],
    ["not_array_contains_all", ["a", "b"], ["a"], true],
    ["str_matches", "^a.*@corp", "ann@corp.com", true],
    ["str_matches", "^A", "ann", false],
    ["str_matches", "(", "(", false],
    ["str_matches", "a", "a".repeat(1_000), false],
    ["str_matches", ".*", undefined, false],
  ])("%s %j of %j is %j", (operator, target, value, expected) => {
    expect(holds(operator, target, value)).toBe(expected);
  });

  it.each(["is_null", "encoded_any", "constructor", ""])("%j is not known", (operator) => {
    expect(compareWith(operator, [])).toBeUndefined();
  });

  it("do not wait for an expression that needs exponential time", () => {
    for (const expression of ["(a|a)*$", "(a+)+$", "^(\\w+\\s?)*$", "a*a*a*a*a*b"]) {
      expect(holds("str_matches", expression, `${"a".repeat(900)}!`)).toBe(false);
    }
    expect(holds("str_matches", "(ab)+$", "ababab")).toBe(true);
    expect(holds("str_matches", "x.*y.*z", `${"x".repeat(400)}yz`)).toBe(true);
  });
});

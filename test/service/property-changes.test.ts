import fc from "fast-check";
import { expect, test } from "vitest";
import type { AnyObject } from "../../src/contract/fields.js";
import { propertyChanges } from "../../src/service/property-changes.js";

const rule = (id: string, passPercentage: number, more: object = {}) => ({
  id,
  name: id,
  passPercentage,
  ...more,
});

test("names the deepest property that differs, and not the stamp of the write", () => {
  const before = {
    id: "a",
    version: 1,
    lastModifiedTime: 1,
    lastModifierName: "x",
    tags: ["a"],
    rules: [rule("one", 10, { conditions: [{ type: "public" }] }), rule("two", 5)],
    reviewSettings: { requiredReview: false, allowedReviewers: [] },
  };
  const after = {
    ...before,
    version: 2,
    lastModifiedTime: 2,
    lastModifierName: "y",
    tags: ["a", "b"],
    description: "new",
    rules: [rule("zero", 1), rule("one", 20, { conditions: [{ type: "user_id" }] })],
    reviewSettings: { requiredReview: true, allowedReviewers: [] },
  };
  expect(propertyChanges(before, after)).toEqual([
    { property: "tags", before: ["a"], after: ["a", "b"] },
    { property: "rules[one].passPercentage", before: 10, after: 20 },
    {
      property: "rules[one].conditions",
      before: [{ type: "public" }],
      after: [{ type: "user_id" }],
    },
    { property: "rules[two]", before: rule("two", 5) },
    { property: "rules[zero]", after: rule("zero", 1) },
    { property: "reviewSettings.requiredReview", before: false, after: true },
    { property: "description", after: "new" },
  ]);
});

test("another order of rules is a change", () => {
  const [one, two] = [rule("one", 1), rule("two", 2)];
  expect(propertyChanges({ rules: [one, two] }, { rules: [two, one] })).toEqual([
    { property: "rules", before: ["one", "two"], after: ["two", "one"] },
  ]);
});

const value = fc.letrec((tie) => ({
  leaf: fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant(null)),
  items: fc.array(fc.record({ id: fc.constantFrom("a", "b", "c"), x: tie("leaf") }), {
    maxLength: 3,
  }),
  node: fc.oneof(
    { depthSize: "small" },
    tie("leaf"),
    tie("items"),
    fc.array(tie("node"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("p", "q", "r"), tie("node")),
  ),
})).node;

test("there are changes exactly where the states differ, for any two states", () => {
  const body = fc.dictionary(fc.constantFrom("a", "b", "version"), value);
  fc.assert(
    fc.property(body, body, (before, after) => {
      const { version: _, ...left } = before as AnyObject;
      const { version: __, ...right } = after as AnyObject;
      const changes = propertyChanges(before as AnyObject, after as AnyObject);
      const isEqual = JSON.stringify(sorted(left)) === JSON.stringify(sorted(right));
      expect(changes.length === 0).toBe(isEqual);
      const mirrored = propertyChanges(after as AnyObject, before as AnyObject);
      expect(new Set(mirrored.map(({ property }) => property))).toEqual(
        new Set(changes.map(({ property }) => property)),
      );
    }),
  );
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return Object.is(value, -0) ? "-0" : value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([name, one]) => [name, sorted(one)]));
}

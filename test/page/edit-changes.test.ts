import { expect, test } from "vitest";
import { editChanges, versionChanges } from "../../src/page/editing/edit-changes.js";

const users = Array.from({ length: 1_000 }, (_, index) => `user-${index}`);
const rule = (targetValue: readonly string[], name = "Beta") => ({
  name,
  baseID: "b1",
  passPercentage: 100,
  conditions: [{ type: "user_id", operator: "any", targetValue }],
});

test("a value that is replaced in a long list is named", () => {
  const after = [...users.slice(0, 500), "intruder", ...users.slice(501)];
  const changes = editChanges({ rules: [rule(users)] }, { rules: [rule(after)] });
  expect(changes).toEqual([
    { property: "rule Beta, values of the user ID", before: "user-500", after: "intruder" },
  ]);
});

test("a value that is added to a long list is named beside the sentences", () => {
  const changes = editChanges({ rules: [rule(users)] }, { rules: [rule([...users, "one more"])] });
  expect(changes).toHaveLength(2);
  expect(changes[1]).toEqual({ property: "rule Beta, values of the user ID", after: "one more" });
});

test("a new name of a rule is shown", () => {
  const changes = editChanges({ rules: [rule(["u1"])] }, { rules: [rule(["u1"], "Alpha")] });
  expect(changes).toEqual([{ property: "name of a rule", before: "Beta", after: "Alpha" }]);
});

test("versions are compared with rules as sentences, and other properties as they are", () => {
  const found = [
    { property: "description", before: "a", after: "b" },
    { property: "rules[b1].conditions[0].targetValue", before: ["u1"], after: ["u2"] },
  ];
  expect(versionChanges({ rules: [rule(["u1"])] }, { rules: [rule(["u2"])] }, found)).toEqual([
    {
      property: "rule Beta",
      before: "If the user ID is u1 → on",
      after: "If the user ID is u2 → on",
    },
    found[0],
  ]);
  expect(versionChanges({}, {}, found)).toEqual(found);
});

test("variants of a dynamic config are told with their shares and values", () => {
  const split = (share: number) => ({
    name: "Split",
    baseID: "b1",
    passPercentage: 80,
    conditions: [{ type: "public" }],
    variants: [
      { name: "red", passPercentage: 50, returnValueJson5: "{ color: 'red' }" },
      { name: "blue", passPercentage: share, returnValue: { color: "blue" } },
    ],
  });
  const stored = { defaultValue: {}, rules: [split(30)] };
  expect(editChanges(stored, { rules: [split(20)] })).toEqual([
    {
      property: "rule Split",
      before: `Everyone → red (50 %): { color: 'red' }; blue (30 %): {"color":"blue"}`,
      after: `Everyone → red (50 %): { color: 'red' }; blue (20 %): {"color":"blue"}`,
    },
  ]);
});

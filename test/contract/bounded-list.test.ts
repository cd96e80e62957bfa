import { expect, it } from "vitest";
import { z } from "zod";
import { faultsOf } from "../../src/contract/faults.js";
import { FAULTS_MAX, list, unitIDs } from "../../src/contract/fields.js";

const item = z.object({ name: z.string(), parts: list(z.number()) });
const items = list(item).min(1).describe("Items.");

function pathsOf(value: unknown): readonly string[] {
  const { error } = items.safeParse(value, { reportInput: true });
  return error === undefined ? [] : faultsOf(error).map(({ property }) => property);
}

it("returns the same as an array of the same items", () => {
  const good = [{ name: "a", parts: [1, 2], unknown: true }];
  expect(items.parse(good)).toEqual([{ name: "a", parts: [1, 2] }]);
  expect(items.description).toBe("Items.");
  expect(z.toJSONSchema(list(item))).toEqual(z.toJSONSchema(z.array(item)));
  for (const bad of [undefined, null, {}, "x", [], [{ name: 1, parts: [1, "x"] }, 2]]) {
    expect(items.safeParse(bad).error?.issues).toEqual(
      z.array(item).min(1).safeParse(bad).error?.issues,
    );
  }
});

it("reports faults with their paths, also in nested lists", () => {
  expect(pathsOf([{ name: "a", parts: [1, "x"] }, { parts: [] }])).toEqual([
    "[0].parts[1]",
    "[1].name",
  ]);
});

it("stops after more faults than an answer lists", () => {
  let looked = 0;
  const counted = z.unknown().check(({ value, issues }) => {
    looked += 1;
    issues.push({ code: "custom", message: "bad", input: value });
  });
  const nested = list(z.object({ parts: list(counted) }));
  const parts = Array(1_000).fill(0);
  const { error } = nested.safeParse(Array(1_000).fill({ parts }));
  expect(error?.issues).toHaveLength(FAULTS_MAX + 1);
  expect(looked).toBe(FAULTS_MAX + 1);
});

it("reports the same faults of ids, and returns good ones as they are", () => {
  const plain = z.array(z.string().min(1).max(1_000));
  for (const ids of [["a", "x".repeat(1_000)], [], ["a", ""], [1, "b"], ["x".repeat(1_001)], "a"]) {
    const [received, expected] = [unitIDs("IDs.").safeParse(ids), plain.safeParse(ids)];
    expect(received.error?.issues).toEqual(expected.error?.issues);
    expect(received.data).toEqual(expected.data);
  }
  expect(z.toJSONSchema(unitIDs("IDs."))).toEqual(z.toJSONSchema(plain.describe("IDs.")));
});

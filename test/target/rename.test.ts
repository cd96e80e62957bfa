import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isLostName, repairKey, repairName } from "../../src/target/rename.js";
import { loadTarget } from "../../src/target/targets.js";

const { names: rules } = loadTarget("statsig");
if (rules === undefined) throw new Error("the target has no rules for names");

/** Texts of few characters, so that names which differ a little are frequent. */
const closeName = fc
  .array(fc.constantFrom("$", "[", "]", " ", "_", "a", "b", "~", "auto:", "Amplitude", "0", "𝒜"), {
    minLength: 1,
    maxLength: 12,
  })
  .map((parts) => parts.join(""));

describe("repairName", () => {
  it.each([
    ["$pageview", "auto:pageview"],
    ["[Amplitude] Page Viewed", "Amplitude: Page Viewed"],
    ["checkout started", "checkout started"],
    ["Über uns: Seite", "Über uns: Seite"],
  ])("makes %j %j", (before, after) => {
    expect(repairName(before, rules)).toBe(after);
  });

  it.each([
    ["A & B", /^A B~[0-9a-z]{8}$/],
    ["A&B", /^A_B~[0-9a-z]{8}$/],
    ["$$$", /^event~[0-9a-z]{8}$/],
    ["$[x]", /^x~[0-9a-z]{8}$/],
    ["auto:pageview", /^auto:pageview~[0-9a-z]{8}$/],
    ["tab\nname", /^tab_name~[0-9a-z]{8}$/],
    ["x".repeat(128), /^x{118}~[0-9a-z]{8}$/],
  ])("adds the digest of %j to what is left of it", (before, after) => {
    expect(repairName(before, rules)).toMatch(after);
  });

  it("does not cut a character in two", () => {
    expect(repairName(`${"x".repeat(117)}${"𝒜".repeat(10)}`, rules)).toMatch(/^x{117}~/);
  });

  it("makes valid names, and never the same one of two", () => {
    fc.assert(
      fc.property(fc.uniqueArray(closeName, { minLength: 2, maxLength: 50 }), (all) => {
        const renamed = all.map((name) => repairName(name, rules));
        expect(renamed.filter((name) => isLostName(name, rules))).toEqual([]);
        expect(new Set(renamed).size).toBe(all.length);
      }),
    );
  });
});

describe("repairKey", () => {
  it.each([
    [["plan"], "plan"],
    [["page.path"], "page_dot_path"],
    [["page", "path"], "page__path"],
    [["a.b", "c"], "a_dot_b__c"],
    [["__typename"], "__typename"],
    [["snake_case"], "snake_case"],
  ])("makes %j %j", (before, after) => {
    expect(repairKey(before)).toBe(after);
  });

  it.each([
    [["page_dot_path"], /^page_dot_path~/],
    [["page__path"], /^page__path~/],
    [["a..b"], /^a_dot__dot_b~/],
    [["", "b"], /^__b~/],
  ])("adds a digest to %j", (before, after) => {
    expect(repairKey(before)).toMatch(after);
  });

  it("never makes the same key of two paths, nor one with a dot", () => {
    const step = fc
      .array(fc.constantFrom(".", "_", "__", "_dot_", "a", "dot", "~"), { maxLength: 4 })
      .map((parts) => parts.join(""));
    const path = fc.array(step, { minLength: 1, maxLength: 3 });
    const paths = fc.uniqueArray(path, { minLength: 2, maxLength: 60, selector: JSON.stringify });
    fc.assert(
      fc.property(paths, (all) => {
        const keys = all.map(repairKey);
        expect(keys.filter((key) => key.includes("."))).toEqual([]);
        expect(new Set(keys).size).toBe(all.length);
      }),
    );
  });
});

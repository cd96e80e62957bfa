import { join } from "node:path";
import { expect, it } from "vitest";
import { countLeft, leftToCi } from "./left-to-ci.js";
import { scratchDirectory } from "./scratch.js";

const directory = scratchDirectory("left-to-ci");

it("a run ends with the sum of what its files have left to CI, and the command that runs it", () => {
  const file = join(directory, "both");
  countLeft("tests", 1, file);
  countLeft("cases", 30, file);
  countLeft("tests", 2, file);
  countLeft("cases", 4, file);
  expect(leftToCi(file)?.split("\n")).toEqual([
    "Left to CI: 3 whole tests, 34 cases of tests that ran.",
    "Properties, kills and inputs were smaller than there, too.",
    "To run it all: CI=true npm test",
  ]);
});

it("names only the kinds that it left", () => {
  const file = join(directory, "cases");
  countLeft("cases", 5, file);
  expect(leftToCi(file)).toMatch(/^Left to CI: 5 cases of tests that ran\.\n/);
});

it("says nothing if it left nothing", () => {
  const file = join(directory, "nothing");
  countLeft("cases", 0, file);
  expect(leftToCi(file)).toBeUndefined();
});

import { expect, test } from "vitest";
import { targetSchema } from "../../src/target/target-schema.js";
import { loadTarget, targetNames } from "../../src/target/targets.js";

test.each(targetNames)("the target %s fits the schema, with all defaults written out", (name) => {
  const target = loadTarget(name);
  expect(targetSchema().parse(target)).toEqual(target);
});

test("a target that does not exist is told with the name that was meant", () => {
  expect(() => loadTarget("/project/statsgi")).toThrow(
    "/project/statsgi does not exist; did you mean statsig?",
  );
  expect(() => loadTarget("/project/other.json")).toThrow(
    "/project/other.json does not exist; the targets of Switchyard are service, statsig",
  );
});

import { expect, test } from "vitest";
import { targetSchema } from "../../src/target/target-schema.js";
import { loadTarget, targetNames } from "../../src/target/targets.js";

test.each(targetNames)("the target %s fits the schema, with all defaults written out", (name) => {
  const target = loadTarget(name);
  expect(targetSchema().parse(target)).toEqual(target);
});

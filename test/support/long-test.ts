import { test } from "vitest";
import { countLeft } from "./left-to-ci.js";
import { isCi } from "./property-runs.js";

/** A test that takes seconds of processor time, and of whose subject there is a quicker one too: for CI only. */
export const longTest: typeof test = isCi ? test : leftTest(test.skip as typeof test);

/** Returns `skip` that counts what it skips. */
function leftTest(skip: typeof test): typeof test {
  return new Proxy(skip, {
    apply(target, self, given) {
      countLeft("tests", 1);
      return Reflect.apply(target, self, given);
    },
    get(target, name, receiver) {
      if (name === "concurrent") return receiver;
      if (name !== "each") return Reflect.get(target, name);
      return (cases: readonly unknown[]) => {
        countLeft("tests", cases.length);
        return target.each(cases);
      };
    },
  });
}

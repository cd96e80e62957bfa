import { test } from "vitest";
import { isCi } from "./property-runs.js";

/** A test that takes seconds of processor time, and of whose subject there is a quicker one too: for CI only. */
export const longTest: typeof test = (isCi ? test : test.skip) as typeof test;

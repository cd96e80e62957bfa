import { defineConfig } from "vitest/config";
import { propertyRuns } from "./test/support/property-runs.js";

export default defineConfig({
  test: {
    globalSetup: "test/support/process-scripts.ts",
    include: ["test/**/*.test.ts"],
    // Loading src/ again for each file took a fifth of the time.
    isolate: false,
    setupFiles: "test/support/after-file.ts",
    // Room for a machine that others keep busy; longer where properties are given more runs by hand. More than
    // the two minutes after which the program gives up a store that does not answer: then it says why.
    testTimeout: Math.max(300_000, propertyRuns(60_000)),
    hookTimeout: Math.max(300_000, propertyRuns(60_000)),
    // Pages ask every two seconds what has changed: with the default of one second a test would race them.
    expect: { poll: { timeout: 60_000 } },
    // Two more than the cores of a small CI machine: many tests wait for a timer, a server or a browser.
    maxWorkers: 4,
  },
});

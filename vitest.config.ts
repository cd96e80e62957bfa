import { defineConfig } from "vitest/config";
import { propertyRuns } from "./test/support/property-runs.js";

export default defineConfig({
  test: {
    globalSetup: "test/support/process-scripts.ts",
    include: ["test/**/*.test.ts"],
    // Loading src/ again for each file took a fifth of the time.
    isolate: false,
    setupFiles: "test/support/after-file.ts",
    // Room for a machine that others keep busy; longer where properties are given more runs by hand.
    testTimeout: Math.max(120_000, propertyRuns(60_000)),
    hookTimeout: Math.max(240_000, propertyRuns(60_000)),
    // One more than the cores of a small CI machine: many tests wait for a timer, a server or a browser.
    maxWorkers: 3,
  },
});

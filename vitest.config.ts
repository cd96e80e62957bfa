import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two cores is what a small CI machine has; threads of the engine need one of them.
    maxWorkers: 2,
  },
});

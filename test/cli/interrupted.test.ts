import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runCommandLine } from "../../src/cli/program.js";
import { exampleResult } from "../report/example-result.js";
import { fakeContext } from "../support/fake-context.js";

const sample = fileURLToPath(new URL("../../fixtures/sample", import.meta.url));

test("an interrupted export says how to resume", async () => {
  const { context, stderr, controller } = fakeContext({
    export: async (_, { signal }) => {
      controller.abort();
      expect(signal.aborted).toBe(true);
      return { ...exampleResult, outcome: "interrupted" };
    },
  });
  await runCommandLine(["export", "a", "--to", "o"], context);
  expect(stderr.join("")).toContain("Run the same command again to resume.");
});

test("an interrupted dry run does not say that it could be resumed", async () => {
  const { context, stderr, controller } = fakeContext({
    validate: async (_, { signal }) => {
      controller.abort();
      signal.throwIfAborted();
      throw new Error("the signal is another one");
    },
  });
  const exitCode = await runCommandLine(["validate", sample, "--preset", "amplitude"], context);
  expect(stderr.join("")).toBe("Interrupted.\n");
  expect(exitCode).toBe(130);
});

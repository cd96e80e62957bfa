import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { SchemaProcess } from "../../src/service/isolated-schema-checker.js";
import { processScript } from "../support/process-scripts.js";

const faultyProcess = pathToFileURL(processScript("faulty-process"));

const checkedBy = async (entry: URL, schema: string) => {
  const process = new SchemaProcess({
    entry,
    checkTimeoutMs: 50,
    heapMib: 64,
  });
  const outcome = await process.check({ schema, values: [] });
  expect(process.isUsable).toBe(false);
  // Resolves for one that is gone as well.
  await process.kill();
  await process.kill();
  return outcome;
};

test("a process that does not finish its check in time is abandoned, and can be killed", async () => {
  expect(await checkedBy(faultyProcess, "stuck")).toEqual({ kind: "too_long" });
});

test("a process that dies during a check reports it as too large", async () => {
  expect(await checkedBy(faultyProcess, "crash")).toEqual({ kind: "too_large" });
});

test("a process that dies at its start reports so, and blames no schema", async () => {
  expect(await checkedBy(new URL("kit/absent-process.mjs", import.meta.url), "{}")).toMatchObject({
    kind: "failed",
    cause: { message: "its process ended with exit code 7" },
  });
});

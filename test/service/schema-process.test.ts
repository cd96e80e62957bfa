import { expect, test } from "vitest";
import { SchemaProcess } from "../../src/service/schema-process.js";

const checkedBy = async (file: string, schema: string) => {
  const process = new SchemaProcess({
    entry: new URL(`kit/${file}`, import.meta.url),
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

test("a process that does not end its check in time is given up, and can be killed", async () => {
  expect(await checkedBy("faulty-process.mjs", "stuck")).toEqual({ kind: "too_long" });
});

test("a process that dies of a check found it too large", async () => {
  expect(await checkedBy("faulty-process.mjs", "crash")).toEqual({ kind: "too_large" });
});

test("a process that dies before it could begin says so, and blames no schema", async () => {
  expect(await checkedBy("absent-process.mjs", "{}")).toMatchObject({
    kind: "failed",
    cause: { message: "the process that checks schemas ended with 7" },
  });
});

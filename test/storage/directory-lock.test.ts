import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lockDirectory } from "../../src/storage/data-files.js";
import { scratchDirectory } from "../support/scratch.js";

const root = scratchDirectory("directory-lock");

test("a directory has one service at a time, and another one after it", async () => {
  const directory = join(root, "made", "on the way");
  const first = await lockDirectory(directory);
  const refusal = lockDirectory(directory);
  await expect(refusal).rejects.toMatchObject({ code: "data_in_use", exitCode: 4 });
  await expect(refusal).rejects.toThrow(`another service runs on ${directory}`);
  first.release();
  (await lockDirectory(directory)).release();
});

test("two services in memory do not know of each other", async () => {
  const locks = [await lockDirectory(":memory:"), await lockDirectory(":memory:")];
  for (const lock of locks) lock.release();
});

test("a directory that cannot be created is reported", async () => {
  const file = join(root, "file");
  writeFileSync(file, "");
  await expect(lockDirectory(join(file, "data"))).rejects.toMatchObject({
    code: "database_unwritable",
  });
});

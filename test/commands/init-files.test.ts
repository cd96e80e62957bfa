import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { relativePath, writeNewFile } from "../../src/commands/init/init-files.js";
import { scratchDirectory } from "../support/scratch.js";

const directory = scratchDirectory("init-files");

test("a file created in the meantime is not replaced without force", async () => {
  const file = join(directory, "late.json");
  writeFileSync(file, "theirs");
  await expect(writeNewFile(file, "late.json", "ours", false)).rejects.toMatchObject({
    code: "configuration_exists",
  });
  expect(readFileSync(file, "utf8")).toBe("theirs");
});

test("a file is replaced as a whole, and no temporary file remains", async () => {
  const file = join(directory, "own/config.json");
  await expect(writeNewFile(file, "config.json", "ours", true)).rejects.toMatchObject({
    code: "output_unwritable",
  });
  const linked = join(directory, "link.json");
  symlinkSync(join(directory, "gone.json"), linked);
  await writeNewFile(linked, "link.json", "ours", true);
  expect(readFileSync(linked, "utf8")).toBe("ours");
  expect(readdirSync(directory).sort()).toEqual(["late.json", "link.json"]);
});

test("paths are relative to the file's directory and begin with a dot", () => {
  expect(relativePath("/a/b", "/a/b/c")).toBe("./c");
  expect(relativePath("/a/b", "/a/c")).toBe("../c");
});

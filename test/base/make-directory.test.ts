import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeDirectory } from "../../src/base/make-directory.js";
import { scratchDirectory } from "../support/scratch.js";

const root = scratchDirectory("make-directory");

describe("making a directory", () => {
  it("makes every missing level and accepts existing ones", async () => {
    await makeDirectory(join(root, "a/b/c"));
    await makeDirectory(join(root, "a/b/c"));
    expect(existsSync(join(root, "a/b/c"))).toBe(true);
  });

  it("makes one directory for many calls at once", async () => {
    const asked = Array.from({ length: 8 }, () => makeDirectory(join(root, "x/y/z")));
    await Promise.all(asked);
    expect(existsSync(join(root, "x/y/z"))).toBe(true);
  });

  it("fails if a file has the name of a level", async () => {
    writeFileSync(join(root, "file"), "");
    await expect(makeDirectory(join(root, "file"))).rejects.toMatchObject({ code: "EEXIST" });
    await expect(makeDirectory(join(root, "file/a/b"))).rejects.toMatchObject({ code: "ENOTDIR" });
  });

  it.runIf(existsSync("/proc/self"))("fails without hanging if nothing can be made", async () => {
    await expect(makeDirectory("/proc/nothing/here")).rejects.toMatchObject({ code: "ENOENT" });
  });
});

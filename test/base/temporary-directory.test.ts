import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { ProcessTable } from "../../src/base/lock-file.js";
import { makeTemporaryDirectory } from "../../src/base/temporary-directory.js";
import { scratchDirectory } from "../support/scratch.js";

let root: string;

beforeEach(() => {
  root = scratchDirectory("temporary");
});

/** The process `pid` of `host`, among these processes with their starts. */
function system(pid: number, starts: Readonly<Record<number, string>>, host = "here") {
  const table: ProcessTable = {
    pid,
    host,
    startOf: async (id) => starts[id] ?? null,
    isAlive: (id) => id in starts,
  };
  return table;
}

/** Makes the directory of a process with a file in it; returns its name. */
async function leave(pid: number, host?: string): Promise<string> {
  const path = await makeTemporaryDirectory("switchyard-test", root, system(pid, all, host));
  writeFileSync(join(path, "part"), "rows");
  return basename(path);
}

const all = { 1: "11", 2: "22", 3: "33", 4: "44" };

describe("temporary directories", () => {
  it("of killed processes are removed by the next one, those of others are not", async () => {
    const names = [await leave(2), await leave(3), await leave(4, "there"), await leave(4)];
    const [dead, live, ofOtherHost, reused] = names;
    mkdirSync(join(root, "switchyard-AbCdEf"));
    const own = await makeTemporaryDirectory(
      "switchyard-test",
      root,
      // Another process has the id of 4 now.
      system(1, { 1: "11", 3: "33", 4: "45" }),
    );
    const left = readdirSync(root).toSorted();
    expect(left).toEqual(["switchyard-AbCdEf", basename(own), live, ofOtherHost].toSorted());
    expect(left).not.toContain(dead);
    expect(left).not.toContain(reused);
  });

  it("are removed only if they are directories of the same user", async () => {
    const name = await leave(2);
    const elsewhere = scratchDirectory("elsewhere");
    writeFileSync(join(elsewhere, "kept"), "");
    symlinkSync(elsewhere, join(root, name.replace(/.{6}$/, "linked")));
    writeFileSync(join(root, name.replace(/.{6}$/, "a_file")), "");
    const getuid = vi.spyOn(process, "getuid").mockReturnValue(4_242);
    await makeTemporaryDirectory("switchyard-test", root, system(1, { 1: "11" }));
    getuid.mockRestore();
    expect(readdirSync(root)).toHaveLength(4);
    await makeTemporaryDirectory("switchyard-test", root, system(1, { 1: "11" }));
    expect(readdirSync(root)).not.toContain(name);
    expect(readdirSync(root)).toHaveLength(4);
    expect(readdirSync(elsewhere)).toEqual(["kept"]);
  });

  it("of a parent that is missing fail with the parent's name", async () => {
    const missing = join(root, "missing");
    await expect(makeTemporaryDirectory("switchyard-test", missing)).rejects.toMatchObject({
      code: "output_unwritable",
      message: expect.stringContaining(missing),
    });
  });
});

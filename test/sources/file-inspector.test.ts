import { closeSync } from "node:fs";
import { expect, test } from "vitest";
import { FileReads } from "../../src/sources/file-inspector.js";
import { useScratchDirectory } from "../readers/scratch.js";

const scratch = useScratchDirectory();

/** Opens a file `count` times; of each whether that blocked. */
async function openings(reads: FileReads, path: string, count: number): Promise<boolean[]> {
  const blocked: boolean[] = [];
  for (let index = 0; index < count; index++) {
    const opened = reads.open(path);
    blocked.push(typeof opened === "number");
    closeSync(await opened);
  }
  return blocked;
}

test("block while they take no time, except for a few that let other work run", async () => {
  const blocked = await openings(new FileReads(() => 0), scratch.write("a", "abc"), 300);
  expect(blocked.slice(0, 100)).toEqual(Array.from({ length: 100 }, () => true));
  expect(blocked.filter((one) => !one).length).toBe(2);
});

test("do not block for a while after one that took long", async () => {
  let now = 0;
  let step = 0;
  const reads = new FileReads(() => {
    now += step;
    return now;
  });
  const path = scratch.write("a", "abc");
  expect(await openings(reads, path, 3)).toEqual([true, true, true]);
  step = 5;
  expect((await openings(reads, path, 500)).indexOf(true)).toBe(0);
  step = 0;
  const after = await openings(reads, path, 100);
  expect([after[0], after[99]]).toEqual([false, true]);
});

test("give the same either way", async () => {
  const path = scratch.write("a", "abcdef");
  const target = Buffer.alloc(4);
  for (const step of [0, 10]) {
    let now = 0;
    const reads = new FileReads(() => {
      now += step;
      return now;
    });
    for (let times = 0; times < 3; times++) {
      const descriptor = await reads.open(path);
      expect(await reads.read(descriptor, target.fill(0), 3)).toBe(3);
      expect(target.toString()).toBe("def\0");
      closeSync(descriptor);
      const missing = (async () => reads.open(`${path}-missing`))();
      await expect(missing).rejects.toMatchObject({ code: "ENOENT", syscall: "open" });
    }
  }
});

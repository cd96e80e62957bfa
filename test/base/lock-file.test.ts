import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import {
  isDead,
  type LockHolder,
  type ProcessTable,
  takeLockFile,
  thisProcess,
} from "../../src/base/lock-file.js";
import { scratchDirectory } from "../support/scratch.js";

let root: string;
let lockFile: string;

beforeEach(() => {
  root = scratchDirectory("lock");
  lockFile = join(root, "out/_switchyard/lock");
});

const now = () => new Date(0);

/** Process 1 of host `here`, among these processes with their starts. */
function system(others: Readonly<Record<number, string | null>> = {}): ProcessTable {
  const starts: Readonly<Record<number, string | null>> = { 1: "one", ...others };
  return {
    pid: 1,
    host: "here",
    startOf: async (pid) => starts[pid] ?? null,
    isAlive: (pid) => pid in starts,
  };
}

function leave(holder: Partial<LockHolder>, path = lockFile): void {
  const lock = { pid: 2, host: "here", processStart: "two", lockedAt: "then", token: "t" };
  mkdirSync(join(root, "out/_switchyard"), { recursive: true });
  writeFileSync(path, JSON.stringify({ ...lock, ...holder }));
}

describe("the lock of an output directory", () => {
  it.each([
    ["null", "null"],
    ["a text", '"x"'],
    ["an object without a holder", "{}"],
    [
      "a token that leads elsewhere",
      '{"pid":9,"host":"here","processStart":null,"lockedAt":"then","token":"../x"}',
    ],
    [
      "an impossible process",
      '{"pid":-1,"host":"here","processStart":null,"lockedAt":"then","token":"t"}',
    ],
  ])("takes a file with %s for no lock of ours", async (_title, text) => {
    leave({});
    writeFileSync(lockFile, text);
    await expect(takeLockFile(lockFile, { now, system: system() })).rejects.toThrow(
      /not a lock .* delete the file/,
    );
  });

  it("refuses a second run while the first lives, and is free again after it", async () => {
    const first = await takeLockFile(lockFile, { now, system: system() });
    await expect(takeLockFile(lockFile, { now, system: system() })).rejects.toMatchObject({
      code: "output_locked",
      exitCode: 4,
      message: expect.stringContaining("process 1 on here, since 1970-01-01T00:00:00.000Z"),
    });
    await first.release();
    expect(readdirSync(root)).toEqual([]);
    await (await takeLockFile(lockFile, { now, system: system() })).release();
  });

  it("is given to one of many processes that ask at once, also after the holder died", async () => {
    for (const died of [false, true]) {
      if (died) leave({});
      const attempts = Array.from({ length: 16 }, () =>
        takeLockFile(lockFile, { now, system: system() }),
      );
      const results = await Promise.allSettled(attempts);
      const taken = results.filter((result) => result.status === "fulfilled");
      expect(taken).toHaveLength(1);
      await taken[0]?.value.release();
      // Who made the directory may not be who got the lock.
      expect(readdirSync(root).flatMap((name) => readdirSync(join(root, name)))).toEqual([]);
    }
  });

  it("is taken over from a process that died", async () => {
    leave({ pid: 2 });
    const lock = await takeLockFile(lockFile, { now, system: system() });
    expect(lock.takenOverFrom).toMatchObject({ pid: 2 });
    expect(JSON.parse(readFileSync(lockFile, "utf8"))).toMatchObject({ pid: 1 });
    await lock.release();
  });

  it("removes what a process left that was killed while it took the lock", async () => {
    leave({ pid: 2 }, `${lockFile}-worker-a.draft-dead`);
    leave({ pid: 3 }, `${lockFile}.draft-alive`);
    const lock = await takeLockFile(lockFile, { now, system: system({ 3: "two" }) });
    await lock.release();
    expect(readdirSync(join(root, "out/_switchyard"))).toEqual(["lock.draft-alive"]);
  });

  it("is taken over if another process now has the id of the dead one", async () => {
    leave({ pid: 2, processStart: "two" });
    const lock = await takeLockFile(lockFile, { now, system: system({ 2: "two again" }) });
    expect(lock.takenOverFrom).toMatchObject({ pid: 2, processStart: "two" });
  });

  it("is respected if the system does not tell when a process began", async () => {
    leave({ pid: 2, processStart: null });
    await expect(takeLockFile(lockFile, { now, system: system({ 2: null }) })).rejects.toThrow(
      "another run",
    );
  });

  it("of another host is refused, with advice", async () => {
    leave({ host: "there" });
    await expect(takeLockFile(lockFile, { now, system: system() })).rejects.toThrow(
      /process 2 on there.*delete the file/,
    );
  });

  it("that cannot be parsed is refused, with advice", async () => {
    leave({});
    writeFileSync(lockFile, "{");
    await expect(takeLockFile(lockFile, { now, system: system() })).rejects.toThrow(
      /not a lock .* delete the file/,
    );
  });

  it("is not released by a run that no longer holds it", async () => {
    const lock = await takeLockFile(lockFile, { now, system: system() });
    leave({ token: "another" });
    await lock.release();
    expect(JSON.parse(readFileSync(lockFile, "utf8"))).toMatchObject({ token: "another" });
  });

  it("tells live processes of this machine from dead ones", async () => {
    const lock = await takeLockFile(lockFile);
    await expect(takeLockFile(lockFile)).rejects.toThrow(`process ${process.pid}`);
    await lock.release();
  });
});

it.skipIf(process.platform !== "linux")(
  "the lock of a process that was killed and that nobody waits for is taken over",
  async () => {
    // The first command ends at once; the program that takes the place of the shell never asks for its end.
    const parent = spawn("sh", ["-c", "sleep 0 & echo $!; exec sleep 300"]);
    try {
      const [line] = (await once(parent.stdout, "data")) as [Buffer];
      const pid = Number(line.toString());
      await expect.poll(() => readFileSync(`/proc/${pid}/stat`, "utf8")).toMatch(/\) Z /);
      expect(() => process.kill(pid, 0)).not.toThrow();
      expect(thisProcess.isAlive(pid)).toBe(false);
      const holder = { pid, host: thisProcess.host, processStart: await thisProcess.startOf(pid) };
      expect(await isDead(holder, thisProcess)).toBe(true);
    } finally {
      parent.kill("SIGKILL");
    }
  },
);

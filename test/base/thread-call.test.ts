import { execFileSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { MIB } from "../../src/base/limits.js";
import { startProcess } from "../../src/base/process-call.js";
import { type Remote, startThread } from "../../src/base/thread-call.js";
import { processScript } from "../support/process-scripts.js";

interface Served {
  add(one: number, other: number): number;
  waitUntilFreed(): Promise<string>;
  free(): void;
  refuse(): void;
  refuseLate(): Promise<void>;
  crash(): void;
  exit(code: number): void;
  exhaust(): void;
  spin(): void;
}

const entry = pathToFileURL(processScript("served"));
const started: Remote<Served>[] = [];

afterEach(async () => {
  await Promise.all(started.splice(0).map((remote) => remote.terminate()));
});

describe.each([
  ["thread", startThread<Served>],
  ["process", startProcess<Served>],
])("a %s that serves calls", (kind, start) => {
  function startServed(): Remote<Served> {
    const remote = start(entry, { heapBytes: 32 * MIB });
    started.push(remote);
    return remote;
  }

  it("answers calls that overlap, each with its own result", async () => {
    const remote = startServed();
    const waiting = remote.call("waitUntilFreed");
    expect(await Promise.all([remote.call("add", 1, 2), remote.call("add", 3, 4)])).toEqual([3, 7]);
    await remote.call("free");
    expect(await waiting).toBe("freed");
  });

  it("rejects a call with the code, message and exit code of the error, and stays alive", async () => {
    const remote = startServed();
    await expect(remote.call("refuse")).rejects.toMatchObject({
      code: "not_that",
      message: "cannot do that",
      exitCode: 2,
    });
    await expect(remote.call("refuseLate")).rejects.toMatchObject({ code: "not_now", exitCode: 3 });
    expect(await remote.call("add", 1, 1)).toBe(2);
  });

  it("rejects every pending and every later call when it ends", async () => {
    const remote = startServed();
    const pending = [remote.call("waitUntilFreed"), remote.call("exit", 7)];
    const ended = { reason: "exit", message: `its ${kind} ended with exit code 7` };
    for (const call of pending) await expect(call).rejects.toMatchObject(ended);
    expect(remote.death).toMatchObject(ended);
    await expect(remote.call("add", 1, 2)).rejects.toBe(remote.death);
    await remote.terminate();
  });

  // Not of a process: if it exits, it drops what it has not sent yet.
  if (kind === "thread") {
    it("accepts an answer that was sent just before the end", async () => {
      const remote = startServed();
      const [sum, exit] = [remote.call("add", 1, 2), remote.call("exit", 0)];
      exit.catch(() => undefined);
      expect(await sum).toBe(3);
      await expect(exit).rejects.toMatchObject({ reason: "exit" });
    });
  }

  it("ends after an unexpected error", async () => {
    const remote = startServed();
    await expect(remote.call("crash")).rejects.toMatchObject(
      kind === "thread" ? { reason: "crash", message: "not foreseen" } : { reason: "exit" },
    );
  });

  it("ends when its heap is exhausted", async () => {
    const remote = startServed();
    await expect(remote.call("exhaust")).rejects.toMatchObject(
      kind === "thread" ? { reason: "out_of_memory" } : { message: expect.stringContaining("SIG") },
    );
  });

  it("can be terminated while it is busy", async () => {
    const remote = startServed();
    expect(await remote.call("add", 1, 2)).toBe(3);
    const call = remote.call("spin");
    await Promise.all([expect(call).rejects.toMatchObject({ reason: "exit" }), remote.terminate()]);
  });
});

it("an idle thread or process does not keep its caller alive", () => {
  const output = execFileSync(process.execPath, [processScript("idle-remotes")], {
    encoding: "utf8",
    timeout: 60_000,
  });
  expect(output).toBe("3 3\n");
});

it("a caller waits for the end of a thread that answers while it is terminated", () => {
  const script = processScript("terminated-remote");
  const output = execFileSync(process.execPath, [script], { encoding: "utf8", timeout: 60_000 });
  expect(output).toBe("ended\n");
});

import { expect, it } from "vitest";
import { KeyedLock } from "../../src/service/keyed-lock.js";

it("lets tasks on one key run one after the other, in the order in which they came", async () => {
  const lock = new KeyedLock();
  const seen: string[] = [];
  const task = (name: string) => async () => {
    seen.push(`${name} begins`);
    await Promise.resolve();
    seen.push(`${name} ends`);
  };
  await Promise.all([lock.run("k", task("a")), lock.run("k", task("b")), lock.run("k", task("c"))]);
  expect(seen).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
});

it("lets tasks on different keys run side by side", async () => {
  const lock = new KeyedLock();
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const waiting = lock.run("a", () => gate);
  await lock.run("b", async () => open());
  await waiting;
});

it("goes on after a task that failed, whether it throws at once or later", async () => {
  const lock = new KeyedLock();
  const failing = lock.run("k", () => Promise.reject(new Error("no")));
  const next = lock.run("k", async () => "done");
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("done");
});

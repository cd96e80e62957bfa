import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { abortOnSignals } from "../../src/cli/signals.js";

class FakeProcess extends EventEmitter {
  readonly exits: number[] = [];

  exit(code: number): void {
    this.exits.push(code);
  }
}

test.each(["SIGINT", "SIGTERM"] as const)("the first %s aborts, the second exits", (name) => {
  const source = new FakeProcess();
  const written: string[] = [];
  const terminal = { write: (text: string) => written.push(text), isTTY: true };
  const { signal } = abortOnSignals(source, terminal);
  expect(signal.aborted).toBe(false);
  source.emit(name);
  expect(signal.aborted).toBe(true);
  expect(source.exits).toEqual([]);
  expect(written.join("")).toContain("again to quit at once");
  source.emit("SIGINT");
  expect(source.exits).toEqual([130]);
});

test("only a terminal is told of the second signal: a log has one object per line", () => {
  const source = new FakeProcess();
  const written: string[] = [];
  const { signal } = abortOnSignals(source, { write: (text) => written.push(text) });
  source.emit("SIGTERM");
  expect(signal.aborted).toBe(true);
  expect(written).toEqual([]);
});

test("after the end signals are the system's again", () => {
  const source = new FakeProcess();
  abortOnSignals(source, { write: () => undefined }).release();
  expect(source.listenerCount("SIGINT") + source.listenerCount("SIGTERM")).toBe(0);
});

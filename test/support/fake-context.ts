import type { CommandContext } from "../../src/commands/context.js";
import type { Runs } from "../../src/engine/runs.js";
import { exampleResult } from "../report/example-result.js";
import { FakeClock } from "../report/fake-clock.js";
import { watchOutput } from "../support/secret-watch.js";

export interface FakeContext {
  readonly context: CommandContext;
  readonly stdout: string[];
  readonly stderr: string[];
  readonly controller: AbortController;
}

/** A context that records what is printed, whose exports and verifications do nothing unless told otherwise. */
export function fakeContext(
  runs: Partial<Runs> = {},
  context: Partial<CommandContext> = {},
): FakeContext {
  const stdout: string[] = [];
  const stderr: string[] = [];
  watchOutput("the command line in this process", () => [...stdout, ...stderr].join(""));
  const controller = new AbortController();
  return {
    stdout,
    stderr,
    controller,
    context: {
      environment: {},
      currentDirectory: "/nowhere",
      program: "switchyard",
      stdout: { write: (text) => stdout.push(String(text)) },
      stderr: { write: (text) => stderr.push(text) },
      clock: new FakeClock(),
      signal: controller.signal,
      runs: { ...fakeRuns, ...runs },
      ...context,
    },
  };
}

const fakeRuns: Partial<Runs> = {
  export: async () => exampleResult,
  verify: async () => ({
    outcome: "verified",
    manifestPath: "/data/out/manifest.json",
    differences: [],
    filesUnread: 0,
    files: 2,
    rows: 1_000,
    bytes: 1e6,
    days: 2,
    durationMs: 1_000,
  }),
};

import type { CommandContext } from "../../src/cli/context.js";
import type { Engine } from "../../src/engine/engine.js";
import { exampleResult } from "../report/example-result.js";
import { FakeClock } from "../report/fake-clock.js";
import { watchOutput } from "../support/secret-watch.js";

export interface FakeContext {
  readonly context: CommandContext;
  readonly stdout: string[];
  readonly stderr: string[];
  readonly controller: AbortController;
}

/** A context that records what is printed, with an engine that does nothing unless told otherwise. */
export function fakeContext(
  engine: Partial<Engine> = {},
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
      loadEngine: async () => ({ ...fakeEngine, ...engine }),
      ...context,
    },
  };
}

const fakeEngine: Engine = {
  runExport: async () => exampleResult,
  streamEvents: () => Promise.reject(new Error("not expected")),
  runWorker: () => Promise.reject(new Error("not expected")),
  runShard: () => Promise.reject(new Error("not expected")),
  runSend: async () => {
    throw new Error("nothing is sent here");
  },
  runValidate: async () => {
    throw new Error("nothing is validated here");
  },
  checkExpectations: async () => [],
  inspectInputs: () => Promise.reject(new Error("not expected")),
  checkStart: async () => undefined,
  digestInputs: async () => "",
  findNewInputs: async () => undefined,
  runCount: async () => {
    throw new Error("nothing is counted here");
  },
  surveyInputs: async () => {
    throw new Error("nothing is looked at here");
  },
  verifyStored: async () => {
    throw new Error("nothing is stored here");
  },
  compactExport: () => Promise.reject(new Error("not expected")),
  verifyExport: async () => ({
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

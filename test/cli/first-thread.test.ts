import { afterEach, expect, it } from "vitest";
import { startFirstThread } from "../../src/cli/first-thread.js";
import type { Configuration, GivenFlags } from "../../src/pipeline/configuration/configuration.js";
import { resolveExportOptions } from "../../src/pipeline/configuration/configuration-export.js";
import { budgetThreads } from "../../src/pipeline/worker/thread-count.js";
import type { ThreadsAhead } from "../../src/pipeline/worker/threads-ahead.js";

// What it loads is of no interest here.
const entry = new URL("data:text/javascript,");
let threads: ThreadsAhead | undefined;

afterEach(async () => {
  await threads?.end();
  threads = undefined;
});

/** The limit of a run that only these options were given for, as the run itself finds it. */
function limitOf(values: { threads?: number }): number {
  const configuration = {
    values: { ...values, to: "/out", inputs: ["/in"] },
    ...{ directory: "/", inputsDirectory: "/", steps: ["export"] },
  } as unknown as Configuration;
  return budgetThreads(resolveExportOptions(configuration, {})).heapBytes;
}

it.each<[GivenFlags, { threads?: number }]>([
  [{}, {}],
  [{ threads: 1 }, { threads: 1 }],
  [{ threads: 7, quiet: true }, { threads: 7 }],
])("starts a thread such as a run with the flags %j needs", (flags, values) => {
  threads = startFirstThread(entry, flags);
  expect(threads?.areSuchAs({ entry, heapBytes: limitOf(values) })).toBe(true);
});

it.each<GivenFlags>([
  { memory: "2GiB" },
  { maxRowSize: "1MiB" },
  { threads: "many" },
  { threads: 0 },
])("starts none with %j", (flags) => {
  threads = startFirstThread(entry, flags);
  expect(threads).toBeUndefined();
});

#!/usr/bin/env node
import { systemClock } from "../base/clock.js";
import { exitCodes } from "../base/errors.js";
import { builtFile } from "../base/package-files.js";
import type { ThreadsAhead } from "../pipeline/worker/threads-ahead.js";
import { startFirstThread } from "./first-thread.js";
import { runCommandLine } from "./program.js";
import { abortOnSignals } from "./signals.js";

const { signal, release } = abortOnSignals(process, process.stderr);

// A reader that has seen enough (`| head`) is no failure.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(exitCodes.done);
    throw error;
  });
}

const workers = { export: "split-worker.js", validate: "validate-worker.js" };
let threadsAhead: ThreadsAhead | undefined;

process.exitCode = await runCommandLine(process.argv.slice(2), {
  environment: process.env,
  currentDirectory: process.cwd(),
  stdout: process.stdout,
  stderr: process.stderr,
  clock: systemClock,
  signal,
  startThread(command, flags) {
    threadsAhead = startFirstThread(builtFile(workers[command]), flags);
  },
  loadEngine: async () => (await import("../engine/engine.js")).createEngine(threadsAhead),
});
await threadsAhead?.end();
release();

import { parentPort, workerData } from "node:worker_threads";
import { exitCodes, SwitchyardError } from "../../base/errors.js";
import type { RunOptions } from "../options.js";
import { ReaderCrash, runSplit, type SplitTools } from "./run-split.js";
import { ThreadCounters } from "./thread-counters.js";
import type {
  ErrorFacts,
  FromWorker,
  ToWorker,
  WorkerSetup,
  WorkerStart,
} from "./worker-messages.js";

export type MakeTools<Options extends RunOptions> = (
  setup: WorkerSetup<Options>,
  signal: AbortSignal,
) => Promise<Omit<SplitTools, "counters" | "checkpoint">>;

/**
 * The worker's side of the pool: makes the tools when it is told what for, then runs one split for each
 * message. To be called once by the entry file of a worker thread.
 */
export function serveSplits<Options extends RunOptions>(makeTools: MakeTools<Options>): void {
  const port = parentPort;
  if (port === null) throw new Error("serveSplits runs in a worker thread only");
  const start = workerData as WorkerStart;
  const counters = new ThreadCounters(start.counters);
  const stop = new AbortController();
  const answer = (message: FromWorker) => port.postMessage(message);
  const checkpoint = () => {
    // A reader that never waits would not see the message, so the flag is looked at as well.
    if (counters.stopped) stop.abort();
    stop.signal.throwIfAborted();
  };
  let tools: SplitTools;
  const act = async (message: ToWorker): Promise<FromWorker | undefined> => {
    switch (message.kind) {
      case "setup": {
        // What the command that started this entry file has given: it knows which options it takes.
        const setup = { ...message.setup, ...start } as WorkerSetup<Options>;
        tools = { ...(await makeTools(setup, stop.signal)), counters, checkpoint };
        return { kind: "ready" };
      }
      case "run":
        return { kind: "done", record: await runSplit(message.task, tools) };
      case "stop":
        stop.abort();
        return undefined;
    }
  };
  port.on("message", async (message: ToWorker) => {
    try {
      const done = await act(message);
      if (done !== undefined) answer(done);
    } catch (error) {
      if (message.kind === "run" && stop.signal.aborted) answer({ kind: "stopped" });
      else if (error instanceof ReaderCrash) throw error;
      else answer({ kind: "failed", error: errorFacts(error) });
    }
  });
}

function errorFacts(error: unknown): ErrorFacts {
  if (error instanceof SwitchyardError) {
    return { code: error.code, message: error.message, exitCode: error.exitCode };
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    code: "defect",
    message: `a defect of Switchyard: ${message}`,
    exitCode: exitCodes.failed,
  };
}

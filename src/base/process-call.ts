import { fork } from "node:child_process";
import { MIB } from "./limits.js";
import {
  type AnswerMessage,
  deathBy,
  type Methods,
  Remote,
  RemoteDeath,
  type RemoteOptions,
} from "./thread-call.js";

/** Starts a Node process whose entry file calls `serveCalls`. It has no environment and no output. */
export function startProcess<Served extends Methods<Served>>(
  entry: URL,
  { heapBytes }: RemoteOptions = {},
): Remote<Served> {
  return new Remote((events) => {
    const child = fork(entry, {
      execArgv:
        heapBytes === undefined ? [] : [`--max-old-space-size=${Math.floor(heapBytes / MIB)}`],
      env: {},
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    child.on("message", (message) => events.answered(message as AnswerMessage));
    child.on("error", (error) => events.died(deathBy(error)));
    child.on("exit", (code, signal) => {
      const end = signal ?? `exit code ${code}`;
      events.died(new RemoteDeath("exit", `its process ended with ${end}`));
    });
    return {
      // The exit reports a failure to send.
      post: (message) => void child.send(message, () => {}),
      kill: () => void child.kill("SIGKILL"),
      setRef(isRef) {
        if (isRef) {
          child.ref();
          child.channel?.ref();
        } else {
          child.unref();
          child.channel?.unref();
        }
      },
    };
  });
}

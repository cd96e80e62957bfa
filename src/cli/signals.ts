import { exitCodes } from "../base/errors.js";

const signalNames = ["SIGINT", "SIGTERM"] as const;

/** The part of `process` that signals need. */
interface SignalSource {
  on(name: (typeof signalNames)[number], listener: () => void): unknown;
  off(name: (typeof signalNames)[number], listener: () => void): unknown;
  exit(code: number): void;
}

/**
 * Aborts the returned signal at the first SIGINT or SIGTERM: the run ends cleanly. The second one
 * ends the process at once. Both keep committed work. Prints this on a terminal.
 */
export function abortOnSignals(
  source: SignalSource,
  stderr: { write(text: string): unknown; readonly isTTY?: boolean },
): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const listener = () => {
    if (controller.signal.aborted) {
      source.exit(exitCodes.interrupted);
      return;
    }
    if (stderr.isTTY === true) stderr.write("\nStopping; press ^C again to quit at once.\n");
    controller.abort();
  };
  for (const name of signalNames) source.on(name, listener);
  return {
    signal: controller.signal,
    release() {
      for (const name of signalNames) source.off(name, listener);
    },
  };
}

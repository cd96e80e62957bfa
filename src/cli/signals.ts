import { exitCodes } from "../base/errors.js";

const signalNames = ["SIGINT", "SIGTERM"] as const;

/** The part of `process` that signals need. */
export interface SignalSource {
  on(name: (typeof signalNames)[number], listener: () => void): unknown;
  off(name: (typeof signalNames)[number], listener: () => void): unknown;
  exit(code: number): void;
}

/**
 * The first SIGINT or SIGTERM aborts the returned signal, so that the run ends in good order; the
 * second one ends the process at once. What was committed stays in both cases.
 */
export function abortOnSignals(
  source: SignalSource,
  stderr: { write(text: string): unknown },
): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const listener = () => {
    if (controller.signal.aborted) {
      source.exit(exitCodes.interrupted);
      return;
    }
    stderr.write("\nStopping; once more to quit at once.\n");
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

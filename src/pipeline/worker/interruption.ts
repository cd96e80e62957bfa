import { exitCodes, SwitchyardError } from "../../base/errors.js";

/**
 * Throws `interrupted` (exit code 130) once the signal is aborted; for the time before anything is read.
 */
export function throwIfInterrupted(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw new SwitchyardError("interrupted", "interrupted before anything was read", {
    exitCode: exitCodes.interrupted,
  });
}

import { SwitchyardError } from "./errors.js";

/** System errors that mean that there is no room left. */
const fullCodes = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/**
 * What a failure of the file system under the output means: `disk_full` or `output_unwritable`. An
 * error that is already Switchyard's own is handed back.
 */
export function outputError(action: string, path: string, cause: unknown): SwitchyardError {
  if (cause instanceof SwitchyardError) return cause;
  const { code = "", message = String(cause) } = cause as NodeJS.ErrnoException;
  const full = fullCodes.has(code);
  const advice = full
    ? "free some space and run the same command again: it goes on where it stopped"
    : "make it writable and run the same command again: it goes on where it stopped";
  const reason = full ? `no space left (${code})` : message;
  return new SwitchyardError(
    full ? "disk_full" : "output_unwritable",
    `cannot ${action} ${path}: ${reason}; ${advice}`,
    { cause },
  );
}

import { SwitchyardError } from "./errors.js";

/** The cause and the remedy by system error code; other errors keep the system's message. */
const reasons = new Map([
  ["ENOSPC", "no space left on the device; free some space"],
  ["EDQUOT", "disk quota exceeded; free some space"],
  ["EFBIG", "the file system does not allow files of that size; choose a smaller part size"],
  ["EROFS", "the file system is read-only; choose another directory"],
  ["EACCES", "permission denied; grant write permission or choose another directory"],
  ["EPERM", "operation not permitted; grant write permission or choose another directory"],
  ["ENOTDIR", "a part of the path is not a directory; choose another directory"],
  ["EEXIST", "a file exists where a directory is needed; choose another directory"],
  ["EMFILE", "too many open files; raise the limit (ulimit -n)"],
  ["ENFILE", "too many open files in the system; close some"],
  ["EIO", "the device reports an input/output error; check it"],
]);

const fullCodes: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"]);

/**
 * Returns the error for a file system failure under the output: `disk_full` or `output_unwritable`.
 * An error that Switchyard raised itself is returned unchanged.
 */
export function outputError(action: string, path: string, cause: unknown): SwitchyardError {
  if (cause instanceof SwitchyardError) return cause;
  const again = "then run the same command again to resume";
  return new SwitchyardError(
    codeOf(cause),
    `cannot ${action} ${path}: ${describeCause(cause)}, ${again}`,
    { cause },
  );
}

/** Returns the error for an output that a check before a run found not to be writable. */
export function unwritable(path: string, cause: unknown): SwitchyardError {
  if (cause instanceof SwitchyardError) return cause;
  return new SwitchyardError(codeOf(cause), `cannot write to ${path}: ${describeCause(cause)}`, {
    cause,
  });
}

function codeOf(cause: unknown): "disk_full" | "output_unwritable" {
  return fullCodes.has((cause as NodeJS.ErrnoException).code ?? "")
    ? "disk_full"
    : "output_unwritable";
}

function describeCause(cause: unknown): string {
  const { code = "", message = String(cause) } = cause as NodeJS.ErrnoException;
  return reasons.get(code) ?? `${message}; fix the cause`;
}

/** Runs `work`; a system error becomes an `outputError` that names `path` unless it names its own. */
export async function asOutput<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toOutputError(path, error);
  }
}

/** Returns an `outputError` for a system error, and every other error unchanged. */
export function toOutputError(path: string, error: unknown): unknown {
  return isSystemError(error) ? outputError("write to", error.path ?? path, error) : error;
}

/** Returns true if a reader failed because the disk is full, not because of its source. */
export function isStorageFull(error: unknown): boolean {
  return isSystemError(error) && fullCodes.has(error.code ?? "");
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && !(error instanceof SwitchyardError) && "syscall" in error;
}

import { SwitchyardError } from "../base/errors.js";

/** System errors that say nothing about the input: what is written to is full or not writable. */
const outputCodes = new Map([
  ["ENOSPC", "no space is left on the device; make room"],
  ["EDQUOT", "the disk quota is used up; make room"],
  ["EROFS", "the file system is read-only; choose another directory"],
  ["EACCES", "permission denied; make it writable"],
  ["EPERM", "operation not permitted; make it writable"],
  ["ENOTDIR", "a part of the path is no directory; choose another one"],
  ["EEXIST", "a file stands where a directory is needed; choose another one"],
  ["EMFILE", "too many open files; raise the limit (ulimit -n)"],
  ["ENFILE", "too many open files in the system; close some"],
  ["EIO", "the device reports an input/output error; check it"],
]);

/** Codes that a reader can only see when its temporary directory is full. */
const fullCodes: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"]);

/** The output cannot be written. The whole run stops at once and can be resumed. Exit code 1. */
export class OutputError extends SwitchyardError {
  constructor(path: string, cause: NodeJS.ErrnoException) {
    const reason = outputCodes.get(cause.code ?? "") ?? `${cause.message}; see to it`;
    super(
      "output_failed",
      `cannot write ${cause.path ?? path}: ${reason} and run the same command again, it goes on where it stopped`,
      { cause },
    );
  }
}

/** System errors become an `OutputError` that names `path`; all others stay what they are. */
export async function asOutput<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toOutputError(path, error);
  }
}

export function toOutputError(path: string, error: unknown): unknown {
  return isSystemError(error) ? new OutputError(path, error) : error;
}

/** Whether a reader failed because the disk is full, and not because of its source. */
export function isStorageFull(error: unknown): boolean {
  return isSystemError(error) && fullCodes.has(error.code ?? "");
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && !(error instanceof SwitchyardError) && "syscall" in error;
}

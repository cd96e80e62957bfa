import { SwitchyardError } from "../../base/errors.js";
import { outputError } from "../../base/output-error.js";

/** Codes that a reader can only see when its temporary directory is full. */
const fullCodes: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"]);

/** Errors of the system become errors that name `path` and say what to do; bugs stay bugs. */
export async function asOutput<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toOutputError(path, error);
  }
}

export function toOutputError(path: string, error: unknown): unknown {
  return isSystemError(error) ? outputError("write to", error.path ?? path, error) : error;
}

/** Whether a reader failed because the disk is full, and not because of its source. */
export function isStorageFull(error: unknown): boolean {
  return isSystemError(error) && fullCodes.has(error.code ?? "");
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && !(error instanceof SwitchyardError) && "syscall" in error;
}

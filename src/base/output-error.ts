import { SwitchyardError } from "./errors.js";

/** What is wrong and what helps, by system error; for all others the system's own words. */
const reasons = new Map([
  ["ENOSPC", "no space is left on the device; make room"],
  ["EDQUOT", "the disk quota is used up; make room"],
  ["EFBIG", "the file system takes no file of that size; choose a smaller part size"],
  ["EROFS", "the file system is read-only; choose another directory"],
  ["EACCES", "permission denied; make it writable"],
  ["EPERM", "operation not permitted; make it writable"],
  ["ENOTDIR", "a part of the path is no directory; choose another one"],
  ["EEXIST", "a file stands where a directory is needed; choose another one"],
  ["EMFILE", "too many open files; raise the limit (ulimit -n)"],
  ["ENFILE", "too many open files in the system; close some"],
  ["EIO", "the device reports an input/output error; check it"],
]);

const fullCodes: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"]);

/**
 * What a failure of the file system under the output means: `disk_full` or `output_unwritable`. An
 * error that is already Switchyard's own is handed back.
 */
export function outputError(action: string, path: string, cause: unknown): SwitchyardError {
  if (cause instanceof SwitchyardError) return cause;
  const { code = "", message = String(cause) } = cause as NodeJS.ErrnoException;
  return new SwitchyardError(
    fullCodes.has(code) ? "disk_full" : "output_unwritable",
    `cannot ${action} ${path}: ${reasons.get(code) ?? `${message}; see to it`} and run the same ` +
      "command again, it goes on where it stopped",
    { cause },
  );
}

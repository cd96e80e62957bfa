import { SwitchyardError } from "./errors.js";
import { option } from "./option-text.js";

/**
 * Returns the error for a system that allows no more open files, whatever tried to open one: a file, a
 * connection, a module or a thread. Returns undefined for other errors.
 */
export function openFilesError(error: unknown): SwitchyardError | undefined {
  const { code = "", message = "" } = error as NodeJS.ErrnoException;
  const [limit] = /\bE[MN]FILE\b/.exec(`${code} ${message}`) ?? [];
  if (limit === undefined || error instanceof SwitchyardError) return undefined;
  return new SwitchyardError(
    "open_files_exhausted",
    `the system allows no more open files (${limit}); raise the limit (ulimit -n) or pass fewer ` +
      `${option("threads")}, then run the same command again to resume`,
    { cause: error },
  );
}

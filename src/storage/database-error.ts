import { SwitchyardError } from "../base/errors.js";

/**
 * What a failure under the database means. An error that is already Switchyard's own is handed back.
 * Codes of SQLite: https://www.sqlite.org/rescode.html
 */
export function databaseError(path: string, cause: unknown): SwitchyardError {
  if (cause instanceof SwitchyardError) return cause;
  const { code = "", message = String(cause) } = cause as { code?: string; message?: string };
  const fail = (reason: string) => `${path}: ${reason} (${message})`;
  switch (primaryCode(code)) {
    case "FULL":
    case "ENOSPC":
    case "EDQUOT":
      return new SwitchyardError("disk_full", fail("no space is left; make room"), { cause });
    case "BUSY":
    case "LOCKED":
      return new SwitchyardError(
        "database_busy",
        fail("another process keeps the database locked; end it, or try again later"),
        { cause },
      );
    case "NOTADB":
    case "CORRUPT":
      return new SwitchyardError(
        "database_damaged",
        fail(
          "this is no database, or a damaged one; put a copy in its place, or choose another directory",
        ),
        { cause },
      );
    case "READONLY":
    case "CANTOPEN":
    case "PERM":
    case "EACCES":
    case "EPERM":
    case "EROFS":
    case "ENOTDIR":
    case "EEXIST":
    case "ENOENT":
      return new SwitchyardError(
        "database_unwritable",
        fail("cannot be opened for writing; make the directory writable, or choose another one"),
        { cause },
      );
    default:
      return new SwitchyardError("database_failed", fail("the database refused"), { cause });
  }
}

/** `SQLITE_BUSY_RECOVERY` is a kind of `BUSY`; codes of the operating system stay as they are. */
function primaryCode(code: string): string {
  return code.startsWith("SQLITE_") ? (code.split("_")[1] as string) : code;
}

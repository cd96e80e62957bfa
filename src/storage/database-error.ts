import { SwitchyardError } from "../base/errors.js";

type Meaning = "full" | "busy" | "damaged" | "unwritable";

/** By SQLite's primary result code: https://www.sqlite.org/rescode.html */
const meaningsOfResults = new Map<number, Meaning>([
  [3, "unwritable"],
  [5, "busy"],
  [6, "busy"],
  [8, "unwritable"],
  [11, "damaged"],
  [13, "full"],
  [14, "unwritable"],
  [26, "damaged"],
]);

const meaningsOfSystemErrors = new Map<string, Meaning>([
  ["ENOSPC", "full"],
  ["EDQUOT", "full"],
  ["EACCES", "unwritable"],
  ["EPERM", "unwritable"],
  ["EROFS", "unwritable"],
  ["ENOTDIR", "unwritable"],
  ["EEXIST", "unwritable"],
  ["ENOENT", "unwritable"],
]);

/** A failure of SQLite's driver or of the file system. */
interface Failure {
  readonly code?: string;
  /** SQLite's extended result code. */
  readonly rawCode?: number;
  readonly message?: string;
}

/** Translates a failure under the database. Returns an error of Switchyard unchanged. */
export function databaseError(path: string, cause: unknown): SwitchyardError {
  if (cause instanceof SwitchyardError) return cause;
  const failure = cause as Failure;
  const say = (reason: string) => `${path}: ${reason} (${failure.message ?? cause})`;
  switch (meaningOf(failure)) {
    case "full":
      return new SwitchyardError("disk_full", say("the disk is full; free some space"), { cause });
    case "busy":
      return new SwitchyardError(
        "database_busy",
        say("another process has the database locked; stop it, or try again later"),
        { cause },
      );
    case "damaged":
      return new SwitchyardError(
        "database_damaged",
        say("not a database, or damaged; restore a copy, or choose another directory"),
        { cause },
      );
    case "unwritable":
      return new SwitchyardError(
        "database_unwritable",
        say("not writable; grant write permission or choose another directory"),
        { cause },
      );
    case undefined:
      return new SwitchyardError("database_failed", say("the database failed"), { cause });
  }
}

function meaningOf({ code = "", rawCode, message = "" }: Failure): Meaning | undefined {
  if (rawCode !== undefined) return meaningsOfResults.get(rawCode & 0xff);
  // The driver gives no code if it cannot open a file.
  if (message.startsWith("ConnectionFailed")) return "unwritable";
  return meaningsOfSystemErrors.get(code);
}

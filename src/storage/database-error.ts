import { SwitchyardError } from "../base/errors.js";

/** A kind of failure: its code, and the reason with what to do. */
interface FaultKind {
  readonly code: string;
  readonly reason: string;
}

const full: FaultKind = { code: "disk_full", reason: "the disk is full; free some space" };
const busy: FaultKind = {
  code: "database_busy",
  reason: "another process has the database locked; stop it, or try again later",
};
const damaged: FaultKind = {
  code: "database_damaged",
  reason: "not a database, or damaged; restore a copy, or choose another directory",
};
const unwritable: FaultKind = {
  code: "database_unwritable",
  reason: "not writable; grant write permission or choose another directory",
};
const other: FaultKind = { code: "database_failed", reason: "the database failed" };

/** By SQLite's primary result code (https://www.sqlite.org/rescode.html), or the system's error code. */
const kinds = new Map<number | string, FaultKind>([
  [3, unwritable],
  [5, busy],
  [6, busy],
  [8, unwritable],
  [11, damaged],
  [13, full],
  [14, unwritable],
  [26, damaged],
  ["ENOSPC", full],
  ["EDQUOT", full],
  ["EACCES", unwritable],
  ["EPERM", unwritable],
  ["EROFS", unwritable],
  ["ENOTDIR", unwritable],
  ["EEXIST", unwritable],
  ["ENOENT", unwritable],
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
  const { code = "", rawCode, message } = cause as Failure;
  // The driver gives no code if it cannot open a file.
  const isUnopened = rawCode === undefined && message?.startsWith("ConnectionFailed") === true;
  const known = isUnopened ? unwritable : kinds.get(rawCode === undefined ? code : rawCode & 0xff);
  const kind = known ?? other;
  return new SwitchyardError(kind.code, `${path}: ${kind.reason} (${message ?? cause})`, { cause });
}

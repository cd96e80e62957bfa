import { SourceError, type SwitchyardError } from "../base/errors.js";
import { openFilesError } from "../base/open-files.js";
import { option } from "../base/option-text.js";
import { StoreError } from "../store/store-error.js";

/** The position at which a source breaks, and the reason. */
interface BreakFacts {
  /** Decompressed bytes before the break. */
  readonly byte?: number;
  readonly cause?: unknown;
  /** As in `SourceError`. */
  readonly alteredFrom?: number | undefined;
}

const FETCH_AGAIN = "Fetch or copy the file again; the run can be resumed then.";

/** An error for bytes that end too early. */
export function truncated(source: string, what: string, { byte, cause }: BreakFacts): SourceError {
  const reason = `${what} stops in the middle. ${FETCH_AGAIN}`;
  return new SourceError("source_truncated", positionOf(source, byte), reason, { cause });
}

/** An error for bytes that break the rules of their format, or a checksum. */
export function corrupt(source: string, what: string, facts: BreakFacts): SourceError {
  const { byte, alteredFrom } = facts;
  const isAltered = alteredFrom !== undefined && (byte === undefined || alteredFrom < byte);
  const altered = isAltered ? `; the bytes from ${alteredFrom} on may be altered` : "";
  const reason = `${what}${altered}. ${FETCH_AGAIN}`;
  return new SourceError("source_corrupt", positionOf(source, byte), reason, {
    cause: facts.cause,
    alteredFrom: isAltered ? alteredFrom : undefined,
  });
}

/** Returns the error with other bytes that may be altered; `alteredFrom` is undefined if none are. */
export function withAltered(error: SourceError, alteredFrom: number | undefined): SourceError {
  const { code, position, cause } = error;
  return new SourceError(code, position, error.toReason(), { cause, alteredFrom });
}

/** An error for a file that is not the one of the plan. */
export function changed(source: string, difference: string): SourceError {
  const reason =
    `the file changed after it was planned (${difference}). ` +
    `Do not change inputs while a run reads them; ${option("fresh")} starts over with the new content.`;
  return new SourceError("source_changed", { source }, reason);
}

/** An input that Switchyard does not read. `advice`: how to make it one that it reads. */
export function unsupported(source: string, what: string, advice: string): SourceError {
  return new SourceError("source_unsupported", { source }, `not supported: ${what}. ${advice}`);
}

/** An error for a file that is named as an input and holds no events. `what`: `a checksum`. */
export function notEvents(source: string, what: string): SourceError {
  const reason = `the file is ${what} and holds no events. Leave it out, or pass ${option("inputFormat")} to read its rows.`;
  return new SourceError("source_not_data", { source }, reason);
}

/** An error for an object that is not like those that were opened for it. */
export function formatDiffers(source: string, what: string, advice: string): SourceError {
  const reason = `${what}, and the objects with like names that were opened are not. ${advice}`;
  return new SourceError("source_format_differs", { source }, reason);
}

export function encrypted(source: string): SourceError {
  const reason =
    "the zip entry is encrypted. Decrypt the archive, or unpack it and give the files.";
  return new SourceError("source_encrypted", { source }, reason);
}

/** An error for a name inside an archive that could reach outside of it. */
export function unsafeName(source: string, why: string): SourceError {
  const reason = `its name in the archive is refused: it ${why}. Repack the archive without it.`;
  return new SourceError("source_name_unsafe", { source: printable(source) }, reason);
}

/** An error for a file in a tar that a later one of the same name replaces when the tar is unpacked. */
export function repeatedName(source: string): SourceError {
  const reason =
    "the tar has several files of this name, of which unpacking keeps the last. Pack it with one of them.";
  return new SourceError("source_name_unsafe", { source: printable(source) }, reason);
}

export function ratioExceeded(source: string, byte: number, ratioMax: number): SourceError {
  const reason =
    `decompresses to more than ${ratioMax} times its size, as an archive bomb would. ` +
    `If that is right, raise the limit with ${option("maxRatio")}.`;
  return new SourceError("source_ratio_exceeded", { source, byte }, reason);
}

/** The advice for a file or directory that exists and cannot be opened by its name as text. */
export const NOT_UTF8 = "the name is not UTF-8, so that it cannot be opened. Rename it.";

/** Returns true for a name with the character that stands for bytes which are not UTF-8. */
export function isUndecodable(name: string): boolean {
  return name.includes("\uFFFD");
}

/**
 * Turns an error of the file system or of an object store into one that names the source; returns others
 * unchanged.
 */
export function fromSystem(source: string, error: unknown): unknown {
  if (error instanceof StoreError) return fromStore(source, error);
  if (!(error instanceof Error) || !("syscall" in error)) return error;
  const exhausted = openFilesError(error);
  if (exhausted !== undefined) return exhausted;
  const code = "code" in error ? String(error.code) : "";
  if (code === "ENOENT") {
    const reason = isUndecodable(source)
      ? NOT_UTF8
      : "the file does not exist. Restore it, or remove it from the inputs.";
    return new SourceError("source_missing", { source }, reason, { cause: error });
  }
  const reason = `cannot be read (${error.message}). Check permissions and the disk.`;
  return new SourceError("source_unreadable", { source }, reason, { cause: error });
}

/** Failures that all objects of the store have: one says what to do, and the run is resumed then. */
const storeCodes: readonly string[] = [
  "store_bucket_missing",
  "store_clock_skewed",
  "store_credentials_expired",
  "store_credentials_missing",
  "store_credentials_refused",
  "store_quota_exceeded",
  "store_region_unknown",
  "store_unreachable",
];

function fromStore(source: string, error: StoreError): SwitchyardError {
  if (storeCodes.includes(error.code)) return error;
  switch (error.code) {
    case "store_object_changed":
      return changed(source, "its ETag is another one");
    case "store_object_missing":
      return new SourceError("source_missing", { source }, error.reason, { cause: error });
    case "store_object_damaged":
      return corrupt(source, error.reason.replace(/\.$/, ""), { cause: error });
    default: {
      const reason = `cannot be fetched: ${error.reason}`;
      return new SourceError("source_unreadable", { source }, reason, { cause: error });
    }
  }
}

/** Escapes control characters, so that a hostile name cannot control a terminal. */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  return text.replace(/[\u0000-\u001f\u007f]/g, (character) => {
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
  });
}

function positionOf(source: string, byte: number | undefined) {
  return byte === undefined ? { source } : { source, byte };
}

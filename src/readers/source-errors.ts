import { SourceError } from "../base/errors.js";

/** Facts of a break: where in the decompressed bytes, and what caused it. */
interface BreakFacts {
  /** Decompressed bytes given out before the break. */
  readonly byte?: number;
  readonly cause?: unknown;
}

const FETCH_AGAIN = "Fetch or copy the file again; the run can be resumed then.";

/** The bytes stop before the format says that they end. */
export function truncated(source: string, what: string, { byte, cause }: BreakFacts): SourceError {
  const reason = `${what} stops in the middle. ${FETCH_AGAIN}`;
  return new SourceError("source_truncated", place(source, byte), reason, { cause });
}

/** The bytes are not what the format or a checksum says. */
export function corrupt(source: string, what: string, { byte, cause }: BreakFacts): SourceError {
  const reason = `${what}. ${FETCH_AGAIN}`;
  return new SourceError("source_corrupt", place(source, byte), reason, { cause });
}

/** The file is another one than when the run was planned. */
export function changed(source: string, difference: string): SourceError {
  const reason =
    `the file changed after it was planned (${difference}). ` +
    "Leave inputs alone while a run reads them; --fresh starts over with the new content.";
  return new SourceError("source_changed", { source }, reason);
}

/** An input that Switchyard does not read. `advice`: how to make it one that it reads. */
export function unsupported(source: string, what: string, advice: string): SourceError {
  return new SourceError("source_unsupported", { source }, `not supported: ${what}. ${advice}`);
}

export function encrypted(source: string): SourceError {
  const reason =
    "the zip entry is encrypted. Decrypt the archive, or unpack it and give the files.";
  return new SourceError("source_encrypted", { source }, reason);
}

/** A name inside an archive that could reach outside of it. */
export function unsafeName(source: string, why: string): SourceError {
  const reason = `the name of the zip entry is refused: it ${why}. Repack the archive without it.`;
  return new SourceError("source_name_unsafe", { source: printable(source) }, reason);
}

export function ratioExceeded(source: string, byte: number, ratioMax: number): SourceError {
  const reason =
    `decompresses to more than ${ratioMax} times its size, as an archive bomb would. ` +
    "If that is right, raise the limit with --max-ratio.";
  return new SourceError("source_ratio_exceeded", { source, byte }, reason);
}

/** Turns an error of the file system into one that names the source; others pass as they are. */
export function fromSystem(source: string, error: unknown): unknown {
  if (!(error instanceof Error) || !("syscall" in error)) return error;
  const code = "code" in error ? String(error.code) : "";
  if (code === "ENOENT") {
    const reason = "the file is not there (any more). Put it back, or leave it out of the inputs.";
    return new SourceError("source_missing", { source }, reason, { cause: error });
  }
  const reason = `cannot be read (${error.message}). Check permissions and the disk.`;
  return new SourceError("source_unreadable", { source }, reason, { cause: error });
}

/** Control characters escaped, so that a hostile name cannot steer a terminal. */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  return text.replace(/[\u0000-\u001f\u007f]/g, (character) => {
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
  });
}

function place(source: string, byte: number | undefined) {
  return byte === undefined ? { source } : { source, byte };
}

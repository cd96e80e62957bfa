import { createHash } from "node:crypto";
import type { Stats } from "node:fs";
import { isTarEntry, type Source, type TarEntry, type ZipEntry } from "./source.js";

/** The facts of a file that need no reading. */
export interface FileState {
  readonly size: number;
  /** Milliseconds since 1970 UTC, with their fraction. */
  readonly modifiedMs: number;
}

/** A fingerprint of a plain file, as in `Source.fingerprint` (JSON text). */
interface FileFingerprint extends FileState {
  /** Over the first and the last FINGERPRINT_EDGE_BYTES and samples, lower-case hexadecimal. */
  readonly sha256: string;
}

/** The facts of an object that need no reading, and its fingerprint. */
export interface ObjectState {
  readonly size: number;
  readonly etag: string;
}

/** A fingerprint of a zip entry, beside the state of the zip. */
interface EntryFacts {
  readonly entry: string;
  readonly crc32: string;
  readonly compressedSize: number;
  readonly uncompressedSize: number;
}

export function fileState({ size, mtimeMs }: Stats): FileState {
  return { size, modifiedMs: mtimeMs };
}

/** Makes the fingerprint of a plain file. `pieces`: bytes of it, or all of a small file. */
export function fingerprintFile(state: FileState, pieces: readonly Uint8Array[]): string {
  const hash = createHash("sha256");
  for (const piece of pieces) hash.update(piece);
  return JSON.stringify({ ...state, sha256: hash.digest("hex") } satisfies FileFingerprint);
}

/** Makes the fingerprint of an object. */
export function fingerprintObject({ size, etag }: ObjectState): string {
  return JSON.stringify({ size, etag } satisfies ObjectState);
}

/** Returns the state in the fingerprint of an object, or of an entry of one. */
export function objectStateOf(fingerprint: string): ObjectState {
  const { size, etag } = JSON.parse(fingerprint) as ObjectState;
  return { size, etag };
}

/** Makes the fingerprint of a zip entry from its checksum. `state`: of the zip. */
export function fingerprintEntry(state: FileState | ObjectState, entry: ZipEntry): string {
  return JSON.stringify({
    ...state,
    entry: entry.name,
    crc32: entry.crc32.toString(16).padStart(8, "0"),
    compressedSize: entry.compressedSize,
    uncompressedSize: entry.uncompressedSize,
  } satisfies (FileState | ObjectState) & EntryFacts);
}

/** Makes the fingerprint of a file in a tar, which has no checksum of its own. `archive`: that of the tar. */
export function fingerprintTarEntry(archive: string, { name, offset, size }: TarEntry): string {
  return JSON.stringify({ ...JSON.parse(archive), entry: name, offset, entrySize: size });
}

/**
 * Returns a fingerprint without the time of the last change: equal for a file that was touched or
 * copied again.
 */
export function contentOf(fingerprint: string): string {
  return fingerprint.replace(/"modifiedMs":[^,}]*,?/, "");
}

type FileFacts = Readonly<Record<string, string | number>>;

/** The state of a source's file when its fingerprint was taken. */
export function stateOf(fingerprint: string): FileState {
  const { size, modifiedMs } = JSON.parse(fingerprint) as FileState;
  return { size, modifiedMs };
}

/** Describes how a file has changed; null if it has not. */
export function describeStateChange(before: FileState, now: FileState): string | null {
  if (before.size === now.size && before.modifiedMs === now.modifiedMs) return null;
  return describeDifferences({ ...before }, { ...now });
}

/**
 * Describes the difference between two fingerprints of one source, as `size 10 → 12 bytes, modified
 * 2024-01-31T17:00:00.000Z → …`; null if they are equal.
 */
export function describeFingerprintChange(before: string, after: string): string | null {
  return describeDifferences(JSON.parse(before) as FileFacts, JSON.parse(after) as FileFacts);
}

function describeDifferences(before: FileFacts, after: FileFacts): string | null {
  const words = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((key) => before[key] !== after[key])
    .map((key) => describeField(key, before[key], after[key]));
  return words.length === 0 ? null : words.join(", ");
}

type Field = string | number | undefined;

function describeField(key: string, before: Field, after: Field): string {
  switch (key) {
    case "size":
      return `size ${before} → ${after} bytes`;
    case "modifiedMs":
      return `modified ${timeText(before)} → ${timeText(after)}`;
    case "sha256":
      return "other content";
    case "crc32":
      return `checksum of the entry ${before} → ${after}`;
    case "compressedSize":
      return `compressed size of the entry ${before} → ${after} bytes`;
    case "uncompressedSize":
      return `size of the entry ${before} → ${after} bytes`;
    default:
      return `${key} ${before} → ${after}`;
  }
}

/** A time with its fraction of a millisecond, so that different times read differently. */
function timeText(milliseconds: Field): string {
  if (typeof milliseconds !== "number") return String(milliseconds);
  const text = new Date(milliseconds).toISOString();
  const fraction = String(milliseconds).split(".")[1];
  return fraction === undefined ? text : `${text.slice(0, -1)}${fraction}Z`;
}

/**
 * Returns true if a source has the same content as before, whatever the time of its last change. A
 * zip entry is identified by its checksum: if a broken zip is replaced by a complete one, entries that were read stay valid.
 */
export function holdsSame(before: Source, now: Source): boolean {
  const [a, b] = [before.entry, now.entry];
  if (a === undefined || b === undefined || isTarEntry(a) || isTarEntry(b))
    return contentOf(before.fingerprint) === contentOf(now.fingerprint);
  return (
    a.name === b.name &&
    a.crc32 === b.crc32 &&
    a.compressedSize === b.compressedSize &&
    a.uncompressedSize === b.uncompressedSize
  );
}

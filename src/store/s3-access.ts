import { getEnvironmentData, isMainThread, setEnvironmentData } from "node:worker_threads";
import { KIB } from "../base/limits.js";
import type { SignatureScope, SigningCredentials } from "./s3-signature.js";

/** The address of a bucket and the credentials for it, as the SDK found them. */
export interface S3Access {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: number | undefined;
  /** As the signature names it. */
  readonly host: string;
  /** Path of the bucket, with its final `/`. */
  readonly path: string;
  readonly scope: SignatureScope;
  readonly credentials: SigningCredentials;
  /** Milliseconds since 1970 UTC; absent if the credentials do not expire. */
  readonly expiresMs: number | undefined;
  /** Milliseconds that the clock of the store is ahead of this machine's. */
  readonly clockOffsetMs: number;
}

/** The SDK renews credentials this long before they expire. */
const RENEWED_BEFORE_MS = 300_000;

const NOTES_BYTES = 32 * KIB;
const VERSION = 0;
const LENGTH = 1;
const CELLS_BYTES = 8;

const KEY = "switchyard-s3-access";

/**
 * The findings of the main thread, for all threads of the process: to load the SDK takes 0.2 s of CPU in each.
 * They are in memory only. The version is odd while the main thread writes.
 */
const memory = sharedMemory();
const cells = new Int32Array(memory, 0, 2);
const text = new Uint8Array(memory, CELLS_BYTES, NOTES_BYTES);
const notes = new Map<string, S3Access>();

function sharedMemory(): SharedArrayBuffer {
  const known = isMainThread ? undefined : getEnvironmentData(KEY);
  if (known instanceof SharedArrayBuffer) return known;
  const created = new SharedArrayBuffer(CELLS_BYTES + NOTES_BYTES);
  if (isMainThread) setEnvironmentData(KEY, created);
  return created;
}

/** Lets other threads find the access to a bucket. Does nothing except in the main thread. */
export function shareAccess(bucket: string, access: S3Access): void {
  if (!isMainThread) return;
  notes.set(bucket, access);
  const written = Buffer.from(JSON.stringify([...notes]));
  const fits = written.length <= text.length;
  Atomics.add(cells, VERSION, 1);
  if (fits) text.set(written);
  Atomics.store(cells, LENGTH, fits ? written.length : 0);
  Atomics.add(cells, VERSION, 1);
}

/** Returns what the main thread shared of a bucket; undefined if nothing, or if it expires soon. */
export function sharedAccess(bucket: string): S3Access | undefined {
  const version = Atomics.load(cells, VERSION);
  const written = Buffer.from(text.slice(0, Atomics.load(cells, LENGTH)));
  const isWhole = version % 2 === 0 && version === Atomics.load(cells, VERSION);
  if (isMainThread || !isWhole || written.length === 0) return undefined;
  const known = new Map(JSON.parse(written.toString()) as [string, S3Access][]);
  const access = known.get(bucket);
  return access !== undefined && isFresh(access) ? access : undefined;
}

/** Returns whether credentials can be used without being renewed. */
export function isFresh({ expiresMs }: S3Access): boolean {
  return expiresMs === undefined || expiresMs - Date.now() > RENEWED_BEFORE_MS;
}

import { isMainThread } from "node:worker_threads";
import { KIB } from "../base/limits.js";
import type { SignatureScope, SigningCredentials } from "./s3-signature.js";
import { sharedMemory } from "./store-usage.js";

/** The address of a bucket and the credentials for it, as the SDK found them. */
export interface S3Access {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: number | undefined;
  /** Host as in the signature. */
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

/**
 * The findings of the main thread, shared with all threads of the process: loading the SDK takes 0.2 s of CPU in
 * each thread. It is in memory only. The version is odd while the main thread writes.
 */
const memory = sharedMemory("switchyard-s3-access", CELLS_BYTES + NOTES_BYTES);
const cells = new Int32Array(memory, 0, 2);
const text = new Uint8Array(memory, CELLS_BYTES, NOTES_BYTES);
const notes = new Map<string, S3Access>();

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

/** Returns the access to a bucket that the main thread shared, unless it expires soon. */
export function sharedAccess(bucket: string): S3Access | undefined {
  const version = Atomics.load(cells, VERSION);
  const written = Buffer.from(text.slice(0, Atomics.load(cells, LENGTH)));
  const isWhole = version % 2 === 0 && version === Atomics.load(cells, VERSION);
  if (isMainThread || !isWhole || written.length === 0) return undefined;
  const known = new Map(JSON.parse(written.toString()) as [string, S3Access][]);
  const access = known.get(bucket);
  return access !== undefined && isFresh(access) ? access : undefined;
}

/** Returns true if the credentials do not have to be renewed yet. */
export function isFresh({ expiresMs }: S3Access): boolean {
  return expiresMs === undefined || expiresMs - Date.now() > RENEWED_BEFORE_MS;
}

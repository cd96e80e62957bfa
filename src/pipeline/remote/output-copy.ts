import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SwitchyardError } from "../../base/errors.js";
import { asOutput } from "../../base/output-error.js";
import type { ObjectStore, S3Options } from "../../store/object-store.js";
import { formatObjectUrl, type ObjectUrl, parseObjectUrl } from "../../store/object-url.js";
import { openStore } from "../../store/open-store.js";
import { LeaseLock, LOCK_KEY } from "./lease-lock.js";
import { OutputMirror } from "./output-mirror.js";

/** An output in a store, and the way to it. */
export interface StoredOutput {
  /** Such as `s3://bucket/prefix`. */
  readonly address: string;
  readonly s3: S3Options;
  readonly signal: AbortSignal;
  /** Accept a store that ignores conditions. */
  readonly unsafeLock?: boolean;
}

/** A copy of an output in a directory that is removed afterwards. */
export interface OutputCopy {
  readonly mirror: OutputMirror;
  /** The copied directory. */
  readonly directory: string;
  /** The output, without a final slash. */
  readonly address: string;
  /** Names the output where a text names the copy. */
  inAddress(text: string): string;
}

/**
 * Copies the files of an output that are wanted, and calls `work` with the copy. Paths in errors name the
 * output, unless the disk is the problem. Throws `StoreError`.
 */
export async function withCopy<Result>(
  { address, s3, signal }: StoredOutput,
  isWanted: (path: string) => boolean,
  work: (copy: OutputCopy) => Promise<Result>,
): Promise<Result> {
  const url = outputUrl(address);
  const store = await openStore(url, s3);
  return inScratch(formatOutput(url), async (directory, inAddress) => {
    const output = formatOutput(url);
    const options = { store, prefix: prefixOf(url), address: output, directory };
    const mirror = new OutputMirror({ ...options, signal });
    await mirror.fetch(isWanted);
    return work({ mirror, directory, address: output, inAddress });
  });
}

/** The same with a copy of the whole output, while its lock is held. Throws `output_locked` too. */
export async function withLockedCopy<Result>(
  output: StoredOutput,
  work: (copy: OutputCopy, lock: LeaseLock) => Promise<Result>,
): Promise<Result> {
  const { s3, unsafeLock: isUnsafe = false } = output;
  const url = outputUrl(output.address);
  const store = await openStore(url, s3);
  const lock = await LeaseLock.take({ ...lockOf(store, url), isUnsafe });
  try {
    // A run that is told to stop writes what it has finished; only without its lock it must not.
    const signal = lock.lost;
    const everything = () => true;
    return await withCopy({ ...output, signal }, everything, (copy) => work(copy, lock));
  } catch (error) {
    throw lock.lost.aborted ? lock.lost.reason : error;
  } finally {
    await lock.release();
  }
}

/** Returns true if a run holds the lock of an output. */
export async function isLockedInStore({ address, s3, signal }: StoredOutput): Promise<boolean> {
  const url = outputUrl(address);
  const store = await openStore(url, s3);
  return LeaseLock.isHeld(store, lockOf(store, url).key, signal);
}

function lockOf(store: ObjectStore, url: ObjectUrl) {
  return { store, key: `${prefixOf(url)}${LOCK_KEY}`, address: formatOutput(url) };
}

async function inScratch<Result>(
  address: string,
  work: (directory: string, inAddress: (text: string) => string) => Promise<Result>,
): Promise<Result> {
  const scratch = join(tmpdir(), "switchyard-");
  const directory = await asOutput(scratch, () => mkdtemp(scratch));
  const inAddress = (text: string) => text.replaceAll(directory, address);
  try {
    return await work(directory, inAddress);
  } catch (error) {
    const isOfDisk =
      error instanceof SwitchyardError && ["disk_full", "output_unwritable"].includes(error.code);
    if (error instanceof Error && !isOfDisk) error.message = inAddress(error.message);
    throw error;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function outputUrl(address: string): ObjectUrl {
  const url = parseObjectUrl(address);
  if (url === undefined) throw new Error(`${address} is not an address of objects`);
  return { ...url, key: url.key.replace(/\/+$/, "") };
}

function formatOutput(url: ObjectUrl): string {
  return formatObjectUrl(url).replace(/\/$/, "");
}

function prefixOf({ key }: ObjectUrl): string {
  return key === "" ? "" : `${key}/`;
}

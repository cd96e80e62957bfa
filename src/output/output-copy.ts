import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SwitchyardError } from "../base/errors.js";
import { asOutput } from "../base/output-error.js";
import { LOCK_PATH } from "./layout.js";
import { openOutput } from "./open-output.js";
import type { HeldLock } from "./output.js";
import { OutputMirror } from "./output-mirror.js";
import type { SignalledPlace } from "./output-place.js";
import { refuseLiving } from "./shared-locks.js";
import { openStoredPlace } from "./store-output.js";

/** A copy of an output in a directory that is removed afterwards. */
export interface OutputCopy {
  readonly mirror: OutputMirror;
  /** The copied directory. */
  readonly directory: string;
  /** The output, without a final slash. */
  readonly address: string;
  /** Replaces the path of the copy in a text by the output. */
  inAddress(text: string): string;
}

/**
 * Copies the files of an output that are wanted, and calls `work` with the copy. Paths in errors name the
 * output, unless the disk is the problem. Throws `StoreError`.
 */
export async function withCopy<Result>(
  output: SignalledPlace,
  isWanted: (path: string) => boolean,
  work: (copy: OutputCopy) => Promise<Result>,
): Promise<Result> {
  const { signal } = output;
  const { store, prefix, address } = await openStoredPlace(output);
  return inScratch(address, async (directory, inAddress) => {
    const mirror = new OutputMirror({ store, prefix, address, directory, signal });
    await mirror.fetch(isWanted);
    return work({ mirror, directory, address, inAddress });
  });
}

/**
 * Calls `work` with a copy of the whole output, and holds the lock of the output meanwhile. Throws
 * `output_locked` too.
 */
export async function withLockedCopy<Result>(
  place: SignalledPlace,
  work: (copy: OutputCopy, lock: HeldLock) => Promise<Result>,
): Promise<Result> {
  const output = await openOutput(place);
  const lock = await output.lock(LOCK_PATH).take();
  try {
    await refuseLiving(output, place.directory, place.signal);
    // A stopping run still writes what it has finished, unless it has lost its lock.
    const signal = lock.lost;
    const everything = () => true;
    return await withCopy({ ...place, signal }, everything, (copy) => work(copy, lock));
  } catch (error) {
    throw lock.lost.aborted ? lock.lost.reason : error;
  } finally {
    await lock.release();
  }
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

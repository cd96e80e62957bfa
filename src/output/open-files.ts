import { SwitchyardError } from "../base/errors.js";
import { inTemporaryDirectory } from "../base/temporary-directory.js";
import { isObjectUrl } from "../store/object-url.js";
import { directoryFiles } from "./directory-files.js";
import { LOCK_PATH } from "./layout.js";
import { openOutput } from "./open-output.js";
import type { HeldLock } from "./output.js";
import type { OutputFiles } from "./output-files.js";
import type { SignalledPlace } from "./output-place.js";
import { refuseLiving } from "./shared-locks.js";
import type { StoredFiles } from "./stored-files.js";

/**
 * Calls `work` with the files of an output, of which those that `isWanted` selects are in the directory. `lock`:
 * needed to change them. Throws `StoreError`.
 */
export async function withFiles<Result>(
  place: SignalledPlace,
  isWanted: (path: string) => boolean,
  work: (files: OutputFiles) => Promise<Result>,
  lock?: () => HeldLock,
): Promise<Result> {
  if (!isObjectUrl(place.directory)) return work(directoryFiles(place.directory));
  return withStoredFiles(place, isWanted, work, lock);
}

/** Does the same for an output in a store. Paths in errors name the output, unless the disk is the problem. */
export async function withStoredFiles<Result>(
  place: SignalledPlace,
  isWanted: (path: string) => boolean,
  work: (files: StoredFiles) => Promise<Result>,
  lock?: () => HeldLock,
): Promise<Result> {
  const { openStoredPlace } = await import("./store-output.js");
  const { StoredFiles } = await import("./stored-files.js");
  const stored = await openStoredPlace(place);
  return inScratch(stored.address, async (directory) => {
    const files = new StoredFiles({ ...stored, directory, lock, signal: place.signal });
    await files.refresh();
    await fetchWanted(files, isWanted);
    return work(files);
  });
}

/** Fetches the files that are wanted. */
export async function fetchWanted(
  files: OutputFiles,
  isWanted: (path: string) => boolean,
): Promise<void> {
  if (!files.isCopy) return;
  const paths = (await files.list("")).map(({ path }) => path);
  await files.fetch(paths.filter(isWanted));
}

/**
 * Calls `work` with the files of an output, and holds the lock of the output meanwhile. Throws `output_locked`
 * too.
 */
export async function withLockedFiles<Result>(
  place: SignalledPlace,
  isWanted: (path: string) => boolean,
  work: (files: OutputFiles, lock: HeldLock) => Promise<Result>,
): Promise<Result> {
  const output = await openOutput(place);
  const lock = await output.lock(LOCK_PATH).take();
  try {
    await refuseLiving(output, place.directory, place.signal);
    // A stopping run still writes what it has finished, unless it has lost its lock.
    const held = { ...place, signal: lock.lost };
    return await withFiles(
      held,
      isWanted,
      (files) => work(files, lock),
      () => lock,
    );
  } catch (error) {
    throw lock.lost.aborted ? lock.lost.reason : error;
  } finally {
    await lock.release();
  }
}

async function inScratch<Result>(
  address: string,
  work: (directory: string) => Promise<Result>,
): Promise<Result> {
  return inTemporaryDirectory("switchyard-output", async (directory) => {
    try {
      return await work(directory);
    } catch (error) {
      const inAddress = (text: string) => text.replaceAll(directory, address);
      if (!(error instanceof Error)) throw error;
      if (!(error instanceof SwitchyardError)) error.message = inAddress(error.message);
      else if (!["disk_full", "output_unwritable"].includes(error.code)) error.reword(inAddress);
      throw error;
    }
  });
}

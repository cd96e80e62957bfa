import { mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { mapBounded } from "../base/map-bounded.js";
import { fetchWanted, withStoredFiles } from "../output/open-files.js";
import type { HeldLock, Output, OutputClaim } from "../output/output.js";
import type { OutputFiles } from "../output/output-files.js";
import { isNeeded, isOfMerges, isOfPlan, journalsPath } from "../output/output-paths.js";
import type { OutputPlace } from "../output/output-place.js";
import type { StoredFiles } from "../output/stored-files.js";

/** An output as one of its workers sees it. */
export interface JoinedOutput {
  /** The files of the output; a copy has its plan. */
  readonly files: OutputFiles;
  /** Aborted when the lock is lost. */
  readonly lost: AbortSignal;
  /** Fetches the records that merges of days need, if the output is in a store. */
  prepareMerges?(): Promise<void>;
  /**
   * Claims a split and fetches its journals; returns undefined while another process has it.
   */
  claim(split: string): Promise<OutputClaim | undefined>;
  /** Removes the journals of a split from a store; absent if the directory is the output itself. */
  forgetJournals?(split: string): Promise<void>;
}

const FETCHES_MAX = 16;

/** An output in a store, locked by a worker. */
interface LockedOutput {
  readonly output: Output;
  readonly lock: HeldLock;
  claim(split: string): Promise<OutputClaim | undefined>;
}

/** Calls `work` with a copy of the plan of an output. Throws what `work` throws, and `output_lock_lost`. */
export async function joinInStore<Result>(
  place: OutputPlace,
  { output, lock, claim }: LockedOutput,
  work: (output: JoinedOutput) => Promise<Result>,
): Promise<Result> {
  const signal = lock.lost;
  const join = async (files: StoredFiles) => {
    const result = await work({
      files,
      lost: signal,
      async claim(split) {
        const taken = await claim(split);
        if (taken !== undefined) await fetchJournals(output, split, files.directory, signal);
        return taken;
      },
      async prepareMerges() {
        await files.refresh();
        await fetchWanted(files, (path) => isOfMerges(path) && isNeeded(path));
      },
      forgetJournals: async (split) =>
        output.remove(await listJournals(output, split, signal), signal),
    });
    signal.throwIfAborted();
    return result;
  };
  return withStoredFiles({ ...place, signal }, isOfPlan, join, () => lock);
}

/** Fetches the journals of a split into the copy. */
async function fetchJournals(
  output: Output,
  split: string,
  directory: string,
  signal: AbortSignal,
): Promise<void> {
  const target = join(directory, journalsPath(split));
  await mkdir(target, { recursive: true });
  await mapBounded(await listJournals(output, split, signal), FETCHES_MAX, async (path) => {
    const content = await output.get(path, signal);
    if (content !== undefined) await writeFile(join(target, basename(path)), content);
  });
}

function listJournals(output: Output, split: string, signal: AbortSignal) {
  return output.list(`${journalsPath(split)}/${split}.`, signal);
}

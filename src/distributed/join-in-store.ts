import { mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { mapBounded } from "../base/map-bounded.js";
import type { HeldLock, Output, OutputClaim } from "../output/output.js";
import { withCopy } from "../output/output-copy.js";
import { isOfMerges, isOfPlan, journalsPath } from "../output/output-paths.js";
import type { OutputPlace } from "../output/output-place.js";
import type { RunPublisher } from "../run/run-spec.js";
import { StorePublisher } from "./run-in-store.js";

/** An output as one of its workers sees it. */
export interface JoinedOutput {
  /** The output itself, or a copy of its plan. */
  readonly directory: string;
  /** Aborted when the lock is lost. */
  readonly lost: AbortSignal;
  readonly publisher?: RunPublisher;
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
  return withCopy({ ...place, signal }, isOfPlan, async ({ mirror, directory }) => {
    const result = await work({
      directory,
      lost: signal,
      async claim(split) {
        const taken = await claim(split);
        if (taken !== undefined) await fetchJournals(output, split, directory, signal);
        return taken;
      },
      prepareMerges: () => mirror.fetch(isOfMerges),
      forgetJournals: async (split) =>
        output.remove(await listJournals(output, split, signal), signal),
      publisher: new StorePublisher(mirror, () => lock),
    });
    signal.throwIfAborted();
    return result;
  });
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

import type { RunContext } from "../ledger/run-observer.js";
import type { StoredOptions } from "../options/options.js";
import { MANIFEST_NAME } from "../output/layout.js";
import { withLockedFiles, withStoredFiles } from "../output/open-files.js";
import { openOutput } from "../output/open-output.js";
import type { OutputFiles } from "../output/output-files.js";
import { isNeeded, isOfSplits } from "../output/output-paths.js";
import { lockToPlan, type Planner, type PlanningLock } from "../output/shared-locks.js";
import type { SharedOutput } from "./run-shard.js";

/**
 * Wraps `run` for an output in a store. It works on a copy of the output; each split and each merge
 * is written to the store as soon as it is finished, the manifest last. Throws what `run` throws,
 * `StoreError`, `output_lock_lost` and `output_changed`.
 */
export async function runInStore<
  Options extends StoredOptions,
  Result extends { readonly manifestPath: string },
>(
  options: Options,
  context: RunContext,
  run: (options: Options, context: RunContext, files: OutputFiles) => Promise<Result>,
): Promise<Result> {
  const { outputDirectory: directory, s3, unsafeLock } = options;
  const { signal, observer } = context;
  const place = { directory, s3, unsafeLock, signal };
  return withLockedFiles(place, isNeeded, async (files, lock) => {
    if (lock.takenOverFrom !== undefined)
      observer.note?.(`resuming after process ${lock.takenOverFrom.pid}, which died`);
    const { local, inside } = insideCopy(options, files, context, lock.lost);
    const result = await run(local, inside, files);
    lock.lost.throwIfAborted();
    await files.save();
    return { ...result, manifestPath: `${files.address}/${MANIFEST_NAME}` };
  });
}

/** Returns the options and the context of a run that works on a copy of its output. */
function insideCopy<Options extends StoredOptions>(
  options: Options,
  { directory: outputDirectory, address }: OutputFiles,
  { signal, observer }: RunContext,
  lost: AbortSignal,
): { readonly local: Options; readonly inside: RunContext } {
  return {
    local: { ...options, outputDirectory, notInputs: [...options.notInputs, address] },
    inside: {
      signal: AbortSignal.any([signal, lost]),
      observer: {
        ...observer,
        note: (text) => observer.note?.(text.replaceAll(outputDirectory, address)),
      },
    },
  };
}

/**
 * Wraps `run`, one of several processes that write to an output in a store. It works on a copy of
 * the ledger, and each of its splits is written to the store as soon as it is finished. Throws what
 * `run` throws, `StoreError` and `output_lock_lost`.
 */
export async function shareStore<Options extends StoredOptions, Result>(
  options: Options,
  planner: Planner,
  context: RunContext,
  run: (options: Options, context: RunContext, output: SharedOutput) => Promise<Result>,
): Promise<Result> {
  const { outputDirectory: directory, s3, unsafeLock } = options;
  const { signal, observer } = context;
  const place = { directory, s3, unsafeLock };
  const output = await openOutput(place);
  const planning = await lockToPlan(output, planner, signal, (text) => observer.note?.(text));
  let lock = planning.held;
  const lost = new AbortController();
  const follow = () =>
    lock.lost.addEventListener("abort", () => lost.abort(lock.lost.reason), { once: true });
  follow();
  try {
    const work = async (files: OutputFiles) => {
      const planned: PlanningLock = {
        ...planning,
        release: async () => undefined,
        async lockShard(shard) {
          const own = await planning.lockShard(shard);
          lock = own;
          follow();
          await planning.release();
          return own;
        },
      };
      const { local, inside } = insideCopy(options, files, context, lost.signal);
      const result = await run(local, inside, { plan: async () => planned, files });
      lost.signal.throwIfAborted();
      return result;
    };
    const signalled = { ...place, signal: lost.signal };
    const isWanted = planning.isAlone ? isNeeded : isOfSplits;
    return await withStoredFiles(signalled, isWanted, work, () => lock);
  } catch (error) {
    throw lost.signal.aborted ? lost.signal.reason : error;
  } finally {
    await lock.release();
  }
}

import { join } from "node:path";
import { mapBounded } from "../base/map-bounded.js";
import type { MergeRecord, SplitRecord } from "../ledger/ledger-records.js";
import type { RunContext } from "../ledger/run-observer.js";
import type { StoredOptions } from "../options/options.js";
import { type Layout, MANIFEST_NAME, pathIn, rejectsNameOf } from "../output/layout.js";
import { openOutput } from "../output/open-output.js";
import type { HeldLock } from "../output/output.js";
import { type OutputCopy, withCopy, withLockedCopy } from "../output/output-copy.js";
import type { OutputMirror } from "../output/output-mirror.js";
import { isOfSplits } from "../output/output-paths.js";
import { lockToPlan, type Planner, type PlanningLock } from "../output/shared-locks.js";
import type { RunPublisher } from "../run/run-spec.js";
import type { MergeWork } from "../run/thread/run-merge.js";
import type { PartFile } from "../sinks/sink.js";
import { findRange, spillIndexPathOf, spillPathOf } from "../sinks/spill/spill-files.js";
import { stagedPathOf } from "../sinks/staged-parts.js";
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
  run: (options: Options, context: RunContext, publisher: RunPublisher) => Promise<Result>,
): Promise<Result> {
  const { outputDirectory: directory, s3, unsafeLock } = options;
  const { signal, observer } = context;
  return withLockedCopy({ directory, s3, unsafeLock, signal }, async (copy, lock) => {
    if (lock.takenOverFrom !== undefined)
      observer.note?.(`resuming after process ${lock.takenOverFrom.pid}, which died`);
    const { local, inside } = insideCopy(options, copy, context, lock.lost);
    const result = await run(local, inside, new StorePublisher(copy.mirror, () => lock));
    lock.lost.throwIfAborted();
    await copy.mirror.publish(lock);
    return { ...result, manifestPath: `${copy.address}/${MANIFEST_NAME}` };
  });
}

/** Returns the options and the context of a run that works on a copy of its output. */
function insideCopy<Options extends StoredOptions>(
  options: Options,
  { directory: outputDirectory, address, inAddress }: OutputCopy,
  { signal, observer }: RunContext,
  lost: AbortSignal,
): { readonly local: Options; readonly inside: RunContext } {
  return {
    local: { ...options, outputDirectory, notInputs: [...options.notInputs, address] },
    inside: {
      signal: AbortSignal.any([signal, lost]),
      observer: { ...observer, note: (text) => observer.note?.(inAddress(text)) },
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
    const isWanted = (path: string) => planning.isAlone || isOfSplits(path);
    return await withCopy({ ...place, signal: lost.signal }, isWanted, async (copy) => {
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
      const { local, inside } = insideCopy(options, copy, context, lost.signal);
      const publisher = new StorePublisher(copy.mirror, () => lock);
      const result = await run(local, inside, { plan: async () => planned, publisher });
      lost.signal.throwIfAborted();
      return result;
    });
  } catch (error) {
    throw lost.signal.aborted ? lost.signal.reason : error;
  } finally {
    await lock.release();
  }
}

/** Ranges of spilled rows that are fetched at the same time, for one merge. */
const FETCHES_MAX = 8;

/** Writes the results of splits and merges to a store, and then frees their space on the disk. */
export class StorePublisher implements RunPublisher {
  constructor(
    private readonly mirror: OutputMirror,
    /** Returns the lock that is currently held. */
    private readonly lock: () => HeldLock,
  ) {}

  async planned(): Promise<void> {
    await this.mirror.reset(this.lock());
  }

  async splitDone({ id, parts, staged = [] }: SplitRecord, layout: Layout): Promise<void> {
    const { outputDirectory, splitsDirectory, rejectsDirectory, duplicatesDirectory } = layout;
    const paths = parts.map(({ path }) => path);
    const spill = spillPathOf(outputDirectory, id);
    const ofLedger = ["events", "profile", "duplicates"].map((kind) => `${id}.${kind}.json`);
    const files = [
      ...staged.map((part) => stagedPathOf(outputDirectory, part)),
      spill,
      spillIndexPathOf(spill),
      join(rejectsDirectory, rejectsNameOf(id)),
      join(duplicatesDirectory, rejectsNameOf(id)),
      ...[...ofLedger, `${id}.json`].map((name) => join(splitsDirectory, name)),
    ];
    await this.#publish([...paths, ...files.map((file) => pathIn(layout, file))], parts);
    await this.#drop(paths);
  }

  async gather({ splits, staged }: MergeWork, layout: Layout): Promise<void> {
    const { outputDirectory } = layout;
    await mapBounded(staged, FETCHES_MAX, (part) =>
      this.mirror.fetchContent(pathIn(layout, stagedPathOf(outputDirectory, part))),
    );
    await mapBounded(splits, FETCHES_MAX, async ({ splitId, ...packs }) => {
      const spill = spillPathOf(outputDirectory, splitId);
      const { start, end } = findRange(spill, packs);
      await this.mirror.fetchBytes(pathIn(layout, spill), start, end);
    });
  }

  async mergeDone({ id, parts }: MergeRecord, layout: Layout): Promise<void> {
    const paths = parts.map(({ path }) => path);
    const ofLedger = ["plan", id].map((name) => join(layout.mergesDirectory, `${name}.json`));
    await this.#publish([...paths, ...ofLedger.map((file) => pathIn(layout, file))], parts);
    await this.#drop(paths);
  }

  async #publish(paths: readonly string[], parts: readonly PartFile[]): Promise<void> {
    const digests = new Map(parts.map(({ path, sha256 }) => [path, sha256]));
    await this.mirror.publishFiles(paths, this.lock(), digests);
  }

  async #drop(paths: readonly string[]): Promise<void> {
    for (const path of paths) await this.mirror.dropContent(path);
  }
}

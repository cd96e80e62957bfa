import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { epochOf } from "../../base/epoch.js";
import { isLocked, takeLockFile } from "../../base/lock-file.js";
import { asOutput } from "../../base/output-error.js";
import { epochsDirectoryOf, layoutOf } from "../ledger/layout.js";
import { listOrNone } from "../ledger/ledger.js";
import type { StoredOptions } from "../options.js";
import type { RunPublisher } from "../run-job.js";
import type { RunContext } from "../run-observer.js";
import type { SharedOutput } from "../shard/run-shard.js";
import { fileLocks, livingMembers, type Member, workerLockName } from "../shard/shared-locks.js";
import { FileLease, type SplitLease } from "./split-lease.js";

/** An output as one of its workers sees it. */
export interface JoinedOutput {
  /** The output itself, or a copy of its plan. */
  readonly directory: string;
  /** Aborted when the lock is lost. */
  readonly lost: AbortSignal;
  readonly publisher?: RunPublisher;
  /** Takes the lease of a split, and brings its journals here; returns undefined while another process has it. */
  lease(split: string): Promise<SplitLease | undefined>;
  /** Removes the journals of a split from a store; absent if the directory is the output itself. */
  forgetJournals?(split: string): Promise<void>;
}

/** An output that the workers of a queue write to. */
export interface QueuedOutput {
  /** Waits for the right to plan, and has it until `work` ends. */
  plan<Options extends StoredOptions, Result>(
    options: Options,
    context: RunContext,
    work: (options: Options, context: RunContext, output: SharedOutput) => Promise<Result>,
  ): Promise<Result>;
  /**
   * Runs `work` while no other process plans, merges or cleans up; the signal of `context` ends the wait for
   * that. `worker`: its unique name. Throws what `work` throws, and `output_lock_lost`.
   */
  join<Result>(
    worker: string,
    context: RunContext,
    work: (output: JoinedOutput) => Promise<Result>,
  ): Promise<Result>;
  livingMembers(signal: AbortSignal): Promise<readonly Member[]>;
  /** Returns the ids of the splits that have a record. */
  recordedSplits(signal: AbortSignal): Promise<ReadonlySet<string>>;
  isRecorded(split: string, signal: AbortSignal): Promise<boolean>;
}

const POLL_MS = 500;
const NOTE_AFTER_POLLS = 20;

/** An output in a directory that all processes see. */
export function outputInDirectory(directory: string): QueuedOutput {
  // The dataset does not matter for locks and records.
  const layout = layoutOf(directory, "");
  const { lockFile, ledgerDirectory } = layout;
  return {
    plan: (options, context, work) => work(options, context, { locks: fileLocks(lockFile) }),
    async join(worker, context, work) {
      const lock = await joinWaiting(context, {
        take: () => asOutput(lockFile, () => takeLockFile(workerLockName(lockFile, worker))),
        isLocked: () => isLocked(lockFile),
        output: directory,
      });
      try {
        const lease = (split: string) => FileLease.take(join(directory, leasePath(split)));
        return await work({ directory, lost: new AbortController().signal, lease });
      } finally {
        await lock.release();
      }
    },
    livingMembers: () => livingMembers(lockFile),
    async recordedSplits() {
      const epochs = await listOrNone(epochsDirectoryOf(ledgerDirectory));
      const layouts = [layout, ...epochs.map((epoch) => layoutOf(directory, "", Number(epoch)))];
      const names = await Promise.all(
        layouts.map(({ splitsDirectory }) => listOrNone(splitsDirectory)),
      );
      return new Set(names.flat().flatMap((name) => splitOfRecord(name) ?? []));
    },
    async isRecorded(split) {
      return existsSync(join(directory, recordPath(split)));
    },
  };
}

/** Returns the split of the name of a record; undefined for other files. */
export function splitOfRecord(name: string): string | undefined {
  return /^([^.]+)\.json$/.exec(name)?.[1];
}

/** Returns the path of the directory of a split's journals in its output. */
export function journalsPath(split: string): string {
  const { outputDirectory, acknowledgedDirectory } = layoutOf("/", "", epochOf(split));
  return acknowledgedDirectory.slice(outputDirectory.length).replaceAll("\\", "/");
}

/** Returns the path of the lease of a split in its output. */
export function leasePath(split: string): string {
  return `_switchyard/leases/${split}`;
}

/** Returns the path of the record of a split in its output. */
export function recordPath(split: string): string {
  const { outputDirectory, splitsDirectory } = layoutOf("/", "", epochOf(split));
  return join(splitsDirectory, `${split}.json`).slice(outputDirectory.length).replaceAll("\\", "/");
}

interface Joining<Lock> {
  take(): Promise<Lock>;
  /** Somebody plans, merges or cleans up. */
  isLocked(): Promise<boolean>;
  /** The output, in messages. */
  readonly output: string;
}

/**
 * Takes the lock of a worker once nobody has that of the output. Whoever takes the latter looks for locks of
 * workers afterwards, so that at least one of the two sees the other.
 */
export async function joinWaiting<Lock extends { release(): Promise<void> }>(
  { signal, observer }: RunContext,
  { take, isLocked: isTaken, output }: Joining<Lock>,
): Promise<Lock> {
  for (let polls = 0; ; polls++) {
    if (!(await isTaken())) {
      const lock = await take();
      if (!(await isTaken())) return lock;
      await lock.release();
    }
    if (polls === NOTE_AFTER_POLLS)
      observer.note?.(`waiting, as another process plans or finishes ${output}`);
    await sleep(POLL_MS, undefined, { signal });
  }
}

import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { epochOf } from "../base/epoch.js";
import { isLocked, takeLockFile } from "../base/lock-file.js";
import { asOutput } from "../base/output-error.js";
import { listOrNone } from "../ledger/ledger.js";
import type { RunContext } from "../ledger/run-observer.js";
import type { StoredOptions } from "../options/options.js";
import { epochsDirectoryOf, type Layout, layoutOf } from "../output/layout.js";
import { fileLocks, livingMembers, type Member, workerLockName } from "../output/shared-locks.js";
import type { RunPublisher } from "../run/run-job.js";
import type { RecordedWork } from "./queue-records.js";
import type { SharedOutput } from "./run-shard.js";
import { FileLease, type SplitLease } from "./split-lease.js";

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
   * Takes the lease of a split and fetches its journals; returns undefined while another process holds it.
   */
  lease(split: string): Promise<SplitLease | undefined>;
  /** Removes the journals of a split from a store; absent if the directory is the output itself. */
  forgetJournals?(split: string): Promise<void>;
}

/** An output that the workers of a queue write to. */
export interface QueuedOutput {
  /** Waits for the lock of the output, and holds it until `work` ends. */
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
  /** Returns the paths of the records of splits or of merges. */
  recorded(kind: RecordedWork["kind"], signal: AbortSignal): Promise<ReadonlySet<string>>;
  isRecorded(work: RecordedWork, signal: AbortSignal): Promise<boolean>;
}

const POLL_MS = 500;
const NOTE_AFTER_POLLS = 20;

/** An output in a directory that all processes see. */
export function outputInDirectory(directory: string): QueuedOutput {
  // Locks and records do not depend on the dataset.
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
    async recorded(kind) {
      const names = await listOrNone(epochsDirectoryOf(ledgerDirectory));
      const epochs = [0, ...names.map(Number)];
      const paths = epochs.map(async (epoch) =>
        (await listOrNone(recordsDirectory(layoutOf(directory, "", epoch), kind)))
          .filter((name) => name.endsWith(".json"))
          .map((name) => recordPath({ kind, epoch, id: name.slice(0, -".json".length) })),
      );
      return new Set((await Promise.all(paths)).flat());
    },
    async isRecorded(work) {
      return existsSync(join(directory, recordPath(work)));
    },
  };
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

/** Returns the path of the record of a split or a merge in its output. */
export function recordPath({ kind, epoch, id }: RecordedWork): string {
  const layout = layoutOf("/", "", epoch);
  const path = join(recordsDirectory(layout, kind), `${id}.json`);
  return path.slice(layout.outputDirectory.length).replaceAll("\\", "/");
}

function recordsDirectory(
  { splitsDirectory, mergesDirectory }: Layout,
  kind: RecordedWork["kind"],
): string {
  return kind === "split" ? splitsDirectory : mergesDirectory;
}

interface Joining<Lock> {
  take(): Promise<Lock>;
  /** Another process plans, merges or cleans up. */
  isLocked(): Promise<boolean>;
  /** The output, in messages. */
  readonly output: string;
}

/**
 * Takes the lock of a worker once the lock of the output is free. A process that takes the lock of
 * the output then looks for locks of workers. So at least one of the two sees the other.
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
      observer.note?.(`waiting: another process plans or finishes ${output}`);
    await sleep(POLL_MS, undefined, { signal });
  }
}

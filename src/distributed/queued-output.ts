import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunContext } from "../ledger/run-observer.js";
import { directoryFiles } from "../output/directory-files.js";
import { type Layout, LOCK_PATH, layoutOf } from "../output/layout.js";
import { openOutput } from "../output/open-output.js";
import type { HeldLock, Output } from "../output/output.js";
import type { OutputPlace } from "../output/output-place.js";
import { type LivingMember, livingMembers, workerLockName } from "../output/shared-locks.js";
import { isObjectUrl } from "../store/object-url.js";
import type { JoinedOutput } from "./join-in-store.js";
import type { RecordedWork } from "./queue-records.js";

/** An output that the workers of a queue write to. */
export interface QueuedOutput {
  /**
   * Runs `work` while no other process plans, merges or cleans up; the signal of `context` ends the wait for
   * that. `worker`: its unique name. Throws what `work` throws, and `output_lock_lost`.
   */
  join<Result>(
    worker: string,
    context: RunContext,
    work: (output: JoinedOutput) => Promise<Result>,
  ): Promise<Result>;
  livingMembers(signal: AbortSignal): Promise<readonly LivingMember[]>;
  /** Returns the paths of the records of splits or of merges. */
  recorded(kind: RecordedWork["kind"], signal: AbortSignal): Promise<ReadonlySet<string>>;
  isRecorded(work: RecordedWork, signal: AbortSignal): Promise<boolean>;
}

const POLL_MS = 500;
const NOTE_AFTER_POLLS = 20;

/** Opens an output that the workers of a queue write to. */
export async function openQueuedOutput(place: OutputPlace): Promise<QueuedOutput> {
  const { directory } = place;
  const output = await openOutput(place);
  // In a store, the processes work on copies.
  const isStored = isObjectUrl(directory);
  return {
    async join(worker, context, work) {
      const lock = await joinWaiting(context, { output, worker, name: directory });
      try {
        const { lost } = lock;
        const claim = (split: string) => output.claim(claimPath(split));
        if (!isStored) return await work({ files: directoryFiles(directory), lost, claim });
        const { joinInStore } = await import("./join-in-store.js");
        return await joinInStore(place, { output, lock, claim }, work);
      } catch (error) {
        throw lock.lost.aborted ? lock.lost.reason : error;
      } finally {
        await lock.release();
      }
    },
    livingMembers: (signal) => livingMembers(output, signal),
    async recorded(kind, signal) {
      const recorded = new Set<string>();
      const epochs = await output.list("_switchyard/epochs/", signal);
      const numbers = epochs.map((path) => Number(basename(path)));
      for (const epoch of [0, ...numbers]) {
        const records = dirname(recordPath({ kind, epoch, id: "" }));
        for (const path of await output.list(`${records}/`, signal)) recorded.add(path);
      }
      return recorded;
    },
    async isRecorded(work, signal) {
      return (await output.get(recordPath(work), signal)) !== undefined;
    },
  };
}

/** Returns the path of the claim of a split in its output. */
function claimPath(split: string): string {
  return `_switchyard/claims/${split}`;
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

interface Joining {
  readonly output: Output;
  readonly worker: string;
  /** The output, in messages. */
  readonly name: string;
}

/**
 * Takes the lock of a worker once the lock of the output is free. A process that takes the lock of
 * the output then looks for locks of workers. So at least one of the two sees the other.
 */
async function joinWaiting(
  { signal, observer }: RunContext,
  { output, worker, name }: Joining,
): Promise<HeldLock> {
  const whole = output.lock(LOCK_PATH);
  for (let polls = 0; ; polls++) {
    if (!(await whole.isHeld(signal))) {
      const lock = await output.lock(workerLockName(worker)).take();
      if (!(await whole.isHeld(signal))) return lock;
      await lock.release();
    }
    if (polls === NOTE_AFTER_POLLS)
      observer.note?.(`waiting: another process plans or finishes ${name}`);
    await sleep(POLL_MS, undefined, { signal });
  }
}

import type { SplitRecord } from "../ledger/ledger.js";
import type { MergeRecord } from "../merge/merge-ledger.js";
import type { MergeWork } from "../merge/run-merge.js";
import type { RunOptions } from "../options.js";
import type { SplitTask } from "./run-split.js";

/** What a worker makes its tools from. */
export interface WorkerSetup<Options extends RunOptions = RunOptions> {
  readonly options: Options;
  /** Milliseconds since 1970 UTC. */
  readonly maxTimeMs: number;
  /** Splits of the whole run. */
  readonly splits: number;
  /** Buffer of its `ThreadCounters`. */
  readonly counters: SharedArrayBuffer;
}

/** What a worker thread is started with. The rest comes when it is known, as `setup`. */
export type WorkerStart = Pick<WorkerSetup, "counters">;

/** `setup` comes once, first. `stop` only wakes a worker that waits; the counters tell one that works. */
export type ToWorker =
  | { readonly kind: "setup"; readonly setup: Omit<WorkerSetup, keyof WorkerStart> }
  | { readonly kind: "run"; readonly task: SplitTask }
  | { readonly kind: "merge"; readonly work: MergeWork }
  | { readonly kind: "stop" };

/** An error as it crosses the thread; only what Switchyard raised on purpose keeps its code. */
export interface ErrorFacts {
  readonly code: string;
  readonly message: string;
  readonly exitCode: number;
}

/**
 * Answers of a worker: `ready` once after its setup. For each `run` `written`, with which it can take
 * the next split, and `done` once this one is committed; `written` is not given before the split that
 * came before is done. `stopped` or `failed` may take the place of either; `failed` ends the whole run.
 * A worker that dies gives no answer.
 */
export type FromWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "unready"; readonly error: ErrorFacts }
  | SplitAnswer
  | MergeAnswer;

/** One for each `merge`: `unmerged` ends the whole run, `halted` comes after a `stop`. */
export type MergeAnswer =
  | { readonly kind: "merged"; readonly record: MergeRecord }
  | { readonly kind: "halted" }
  | { readonly kind: "unmerged"; readonly error: ErrorFacts };

export type SplitAnswer =
  | { readonly kind: "written"; readonly splitId: string }
  | { readonly kind: "done"; readonly splitId: string; readonly record: SplitRecord }
  | { readonly kind: "stopped"; readonly splitId: string }
  | { readonly kind: "failed"; readonly splitId: string; readonly error: ErrorFacts };

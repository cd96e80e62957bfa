import type { RunRecord } from "../ledger/ledger.js";
import type { SplitRecord } from "../ledger/ledger-records.js";
import type { RunAccounts } from "../ledger/manifest.js";
import type { AccountFacts } from "../ledger/run-accounts.js";
import type { RunOptions } from "../options/options.js";
import type { Layout } from "../output/layout.js";
import type { CountRows } from "../plan/change-plan.js";
import type { ReaderOptions } from "../sources/read-options.js";
import type { Source, SourceRange } from "../sources/source.js";
import type { MergedDays, MergePublisher } from "./merge/merge-spilled.js";
import type { WorkerPool } from "./pool/worker-pool.js";

/** The sources found in the inputs. */
export interface DiscoveredInputs {
  readonly sources: readonly Source[];
  /** Inputs whose first bytes cannot be read. */
  readonly failures: readonly {
    readonly name: string;
    readonly code: string;
    readonly message: string;
  }[];
  /** Names of documents beside the data, which are not read. */
  readonly documents?: readonly string[];
}

/** The readers and outside effects that a run needs. */
export interface RunOutside {
  /** `mayBeGone` returns true for inputs (absolute paths) that need not exist. */
  discover(
    options: RunOptions,
    signal: AbortSignal,
    mayBeGone?: (path: string) => boolean,
  ): Promise<DiscoveredInputs>;
  planRanges(
    source: Source,
    splitBytes: number,
    options: ReaderOptions,
  ): Promise<readonly SourceRange[]>;
  /** Opens what counts rows, for runs with a limit. */
  openCounter(options: RunOptions, readerOptions: ReaderOptions): Promise<CountRows>;
  /** Compiled entry file of the worker threads. */
  readonly workerEntry: URL;
  /** Milliseconds since 1970 UTC. */
  now(): number;
}

/** Writes the output of a run to a store. Each call resolves when the output is stored. */
export interface RunPublisher extends MergePublisher {
  /** Called when the directory has a plan, and only files that belong to it. */
  planned(): Promise<void>;
  /** Called when a split of an epoch is in the ledger. */
  splitDone(record: SplitRecord, layout: Layout): Promise<void>;
}

/** The specifics of one kind of run. */
export interface RunJob<Accounts extends RunAccounts> {
  /** Passed to the workers unchanged. */
  readonly options: RunOptions;
  /** The options that decide what is delivered. */
  readonly recorded: Readonly<Record<string, unknown>>;
  readonly layout: Layout;
  /** Set if the events of a finished split cannot be taken back: it is never read again. */
  readonly isFinal?: boolean;
  /** Set if this run must not read splits, because shards have read them. */
  readonly finishesOnly?: boolean;
  /** Absent if the output is not in a store. */
  readonly publisher?: RunPublisher | undefined;
  /** Called when the plan is made, before anything is read. */
  begun?(record: RunRecord): Promise<void>;
  /** Called as soon as a split is in the ledger. */
  committed?(record: SplitRecord): void;
  /** Called when all splits are read or the run was interrupted, while its threads still exist. */
  splitsEnded?(records: readonly SplitRecord[], pool: WorkerPool): Promise<void>;
  /** Makes the manifest from its arguments and the ledger alone. */
  fold(
    facts: AccountFacts,
    records: readonly SplitRecord[],
    merged: MergedDays,
  ): FoldedRun<Accounts> | Promise<FoldedRun<Accounts>>;
}

/** The files that a run writes at its end. */
interface FoldedRun<Accounts extends RunAccounts> {
  readonly manifest: Accounts;
  /** Content of files that the manifest names, by absolute path; written before it. */
  readonly files?: Readonly<Record<string, string>>;
}

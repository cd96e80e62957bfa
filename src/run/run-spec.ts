import type { RunRecord } from "../ledger/ledger.js";
import type { SplitRecord } from "../ledger/ledger-records.js";
import type { RunAccounts } from "../ledger/manifest.js";
import type { AccountFacts } from "../ledger/run-accounts.js";
import type { RunOptions } from "../options/options.js";
import type { Layout } from "../output/layout.js";
import type { OutputFiles } from "../output/output-files.js";
import type { CountRows } from "../plan/change-plan.js";
import type { LeftOut } from "../sources/other-files.js";
import type { ReaderOptions } from "../sources/read-options.js";
import type { Source, SourceRange } from "../sources/source.js";
import type { MergedDays } from "./merge/merge-spilled.js";
import type { WorkerPool } from "./pool/worker-pool.js";

/** One kind of run: what `run` needs to know of an export, a send, a dry run or a count. */
export interface RunSpec<Accounts extends RunAccounts = RunAccounts> {
  /** Passed to the workers unchanged. */
  readonly options: RunOptions;
  /** The options that decide what is delivered: a run with others cannot resume this one. */
  readonly recorded: Readonly<Record<string, unknown>>;
  readonly read: InputReading;
  readonly sink: RunSink;
  readonly output: RunOutput;
  /** Makes the manifest from its arguments and the ledger alone. */
  fold(
    facts: AccountFacts,
    records: readonly SplitRecord[],
    merged: MergedDays,
  ): FoldedRun<Accounts> | Promise<FoldedRun<Accounts>>;
  /** Called with a complete manifest when it is written, and again by each run that has nothing to do. */
  follow?(manifest: Accounts): Promise<void>;
}

/** The sources found in the inputs. */
export interface DiscoveredInputs {
  readonly sources: readonly Source[];
  /** Inputs whose first bytes cannot be read. */
  readonly failures: readonly {
    readonly name: string;
    readonly code: string;
    readonly message: string;
  }[];
  /** Files that hold no events, which are not read. */
  readonly leftOut?: readonly LeftOut[];
  readonly notes?: readonly string[];
}

/** Finds and cuts the inputs of a run. */
export interface InputReading {
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
  /** Returns true for a range that is a split of its own; absent if all are packed. */
  isAlone?(range: SourceRange): boolean;
  /** Opens what counts rows, for runs with a limit. */
  openCounter(options: RunOptions, readerOptions: ReaderOptions): Promise<CountRows>;
}

/** The worker threads of a run, which map and deliver, and what they deliver to. */
interface RunSink {
  /** Compiled entry file of the threads. */
  readonly entry: URL;
  /** Set if the events of a finished split cannot be taken back: it is never read again. */
  readonly isFinal?: boolean;
  /** Called when a split is in the ledger of the output. */
  committed?(record: SplitRecord): Promise<void>;
  /** Called when all splits are read or the run was interrupted, while the threads still exist. */
  drain?(records: readonly SplitRecord[], pool: WorkerPool): Promise<void>;
}

/** The output of a run. */
interface RunOutput {
  readonly layout: Layout;
  /** In the output directory of the options. */
  readonly files: OutputFiles;
  /** Set if this run must not read splits, because other processes have read them. */
  readonly finishesOnly?: boolean;
  /** Called when the plan is made, before anything is read. */
  begin?(record: RunRecord): Promise<void>;
}

/** The files that a run writes at its end. */
interface FoldedRun<Accounts extends RunAccounts> {
  readonly manifest: Accounts;
  /** Content of files that the manifest names, by absolute path; written before it. */
  readonly files?: Readonly<Record<string, string>>;
}

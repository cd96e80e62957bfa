import type { RunAccounts } from "../ledger/manifest.js";
import type { RunContext } from "../ledger/run-observer.js";
import type { StoredOptions } from "../options/options.js";
import { directoryFiles } from "../output/directory-files.js";
import { directoryOutput } from "../output/directory-output.js";
import type { OutputFiles } from "../output/output-files.js";
import { lockToPlan, type Planner } from "../output/shared-locks.js";
import { type RunResult, run } from "../run/run.js";
import type { RunSpec } from "../run/run-spec.js";
import { isObjectUrl } from "../store/object-url.js";
import type { SharedOutput } from "./run-shard.js";

/** Returns the spec of a run. `files`: its output, by default the directory of the options. */
export type SpecOf<Options extends StoredOptions, Accounts extends RunAccounts = RunAccounts> = (
  options: Options,
  files?: OutputFiles,
) => Promise<RunSpec<Accounts>>;

/** Runs in the output directory, or on a copy of an output in a store. Throws what both throw. */
export async function runInPlace<Options extends StoredOptions, Accounts extends RunAccounts>(
  options: Options,
  context: RunContext,
  specOf: SpecOf<Options, Accounts>,
): Promise<RunResult<Accounts>> {
  if (!isObjectUrl(options.outputDirectory)) return run(await specOf(options), context);
  const { runInStore } = await openStore(options, context);
  return runInStore(options, context, async (local, inside, files) =>
    run(await specOf(local, files), inside),
  );
}

/**
 * Calls `work` of one of several processes with the output directory that all of them see, or with a copy of
 * the ledger of an output in a store.
 */
export async function shareInPlace<Options extends StoredOptions, Result>(
  options: Options,
  planner: Planner,
  context: RunContext,
  work: (options: Options, context: RunContext, output: SharedOutput) => Promise<Result>,
): Promise<Result> {
  const { outputDirectory } = options;
  if (!isObjectUrl(outputDirectory)) {
    const output = directoryOutput(outputDirectory);
    return work(options, context, {
      plan: (...planning) => lockToPlan(output, ...planning),
      files: directoryFiles(outputDirectory),
    });
  }
  const { shareStore } = await openStore(options, context);
  return shareStore(options, planner, context, work);
}

/** Finishes a compaction that was killed, which a run in a directory does itself, and loads the code of stores. */
async function openStore(
  { outputDirectory: directory, s3, unsafeLock }: StoredOptions,
  { signal }: RunContext,
) {
  const { settleCompaction } = await import("../check/compact/settle-compaction.js");
  await settleCompaction({ directory, s3, unsafeLock, signal });
  return import("./run-in-store.js");
}

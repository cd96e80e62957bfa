import { UsageError } from "../base/errors.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { builtFile } from "../base/package-files.js";
import type { CompactResult } from "../check/compact/compact-export.js";
import { settleCompaction } from "../check/compact/settle-compaction.js";
import type { VerifyResult } from "../check/verify/verify.js";
import type { StoredResult, VerifyStoredTask } from "../check/verify/verify-stored.js";
import type { WorkerResult } from "../distributed/queue-worker.js";
import type { ShardOptions, ShardResult } from "../distributed/run-shard.js";
import { openRange, planRanges } from "../formats/input-formats.js";
import { recordRunOptions } from "../ledger/recorded-options.js";
import type { RunContext } from "../ledger/run-observer.js";
import type { rowFieldsOf } from "../mapper/field-use.js";
import type { Expectation } from "../options/expectations.js";
import type {
  CountRequest,
  ExportOptions,
  RunOptions,
  SendRequest,
  StreamOptions,
  ValidateRequest,
  WorkerOptions,
} from "../options/options.js";
import { withFilesOf } from "../output/output-files.js";
import { isOfPlan } from "../output/output-paths.js";
import type { OutputPlace } from "../output/output-place.js";
import type { CountResult } from "../run/run-count.js";
import type { ExportResult } from "../run/run-export.js";
import type { RunOutside } from "../run/run-job.js";
import { findNewInputs, refuseEarly } from "../run/run-setup.js";
import type { ValidateResult } from "../run/run-validate.js";
import type { SendResult } from "../run/send-result.js";
import type { StreamResult, WriteBytes } from "../run/stream/stream-events.js";
import type { FoundFile } from "../sources/directory-walk.js";
import { discoverSources } from "../sources/discovery.js";
import { digestFiles, listInputs, withoutPaths } from "../sources/inputs.js";
import type { Discovery } from "../sources/source-discovery.js";
import { SourceTable } from "../sources/source-table.js";
import { isObjectUrl } from "../store/object-url.js";
import type { Survey } from "../survey/survey.js";
import type { InspectedInputs } from "./inspect-inputs.js";
import { detectionOf } from "./run-tools.js";
import { watchStore } from "./store-watch.js";
import type { SurveyRequest } from "./survey-inputs.js";

/** The runs that commands and the library start. */
export interface Engine {
  /** `inputs`: only these inputs of the request. */
  runValidate(
    request: ValidateRequest,
    context: RunContext,
    inputs?: Discovery,
  ): Promise<ValidateResult>;
  /** Maps the rows of expectations; returns a line for each difference. */
  checkExpectations(
    expected: readonly Expectation[],
    request: ValidateRequest,
    signal: AbortSignal,
  ): Promise<readonly string[]>;
  /** Lists the inputs, and opens up to `openedMax` of them, evenly spread. */
  inspectInputs(
    options: RunOptions,
    openedMax: number,
    signal: AbortSignal,
  ): Promise<InspectedInputs>;
  /** Throws what would end a run as soon as its worker threads start. */
  checkStart(options: RunOptions, signal: AbortSignal): Promise<void>;
  /** Returns a digest of names, sizes and states of the inputs, which are listed and not opened. */
  digestInputs(request: ValidateRequest, signal: AbortSignal): Promise<string>;
  /** Returns the inputs that an export has not begun to read; undefined if it does not exist. */
  findNewInputs(options: ExportOptions, signal: AbortSignal): Promise<Discovery | undefined>;
  runExport(options: ExportOptions, context: RunContext): Promise<ExportResult>;
  /** Writes events as lines of JSON with `write`. */
  streamEvents(
    options: StreamOptions,
    context: RunContext,
    write: WriteBytes,
  ): Promise<StreamResult>;
  runShard(options: ShardOptions, context: RunContext): Promise<ShardResult>;
  runWorker(options: WorkerOptions, context: RunContext): Promise<WorkerResult>;
  runSend(request: SendRequest, context: RunContext): Promise<SendResult>;
  runCount(request: CountRequest, context: RunContext): Promise<CountResult>;
  surveyInputs(request: SurveyRequest, signal: AbortSignal): Promise<Survey>;
  /** `readsAll`: also read files for which a store has checksums. */
  verifyExport(
    output: OutputPlace & { readonly readsAll?: boolean },
    context: RunContext,
  ): Promise<VerifyResult>;
  compactExport(output: OutputPlace, signal: AbortSignal): Promise<CompactResult>;
  verifyStored(task: VerifyStoredTask, signal: AbortSignal): Promise<StoredResult>;
}

/** Returns the readers and outside effects of runs, with the entry file of their threads. */
const outsideWith = (entry: string): RunOutside => ({
  discover: (options, signal, mayBeGone) => discover(options, signal, { mayBeGone }),
  planRanges,
  openCounter: async (...run) => {
    const { openCounter } = await import("./count-rows.js");
    return openCounter(...run);
  },
  workerEntry: builtFile(entry),
  now: Date.now,
});

/**
 * Creates the engine: the one place that knows all modules. Code that only some commands need is
 * loaded when they run.
 */
export function createEngine(): Engine {
  return {
    runValidate: async (request, context, inputs) => {
      const { runValidate } = await import("../run/run-validate.js");
      const { rejectAdvice } = await import("../report/reject-advice.js");
      const outside = outsideWith("validate-worker.js");
      const given = inputs === undefined ? {} : { discover: async () => inputs };
      return watchStore(context, () =>
        runValidate(
          request,
          context,
          { ...outside, ...given },
          {
            adviceOn: (code) => rejectAdvice[code],
            fieldsOf: async (sources, counted) => {
              const { sampleFields } = await import("./survey-inputs.js");
              return sampleFields(request, sources, counted, context.signal);
            },
          },
        ),
      );
    },
    checkExpectations: async (expected, request, signal) => {
      const { checkExpectations } = await import("./check-expectations.js");
      const find = (run: RunOptions) => discover(run, signal);
      return checkExpectations(expected, request, find, signal, Date.now());
    },
    inspectInputs,
    checkStart,
    digestInputs,
    findNewInputs: async (options, signal) => {
      const place = { directory: options.outputDirectory, s3: options.s3 };
      return withFilesOf(place, isOfPlan, signal, (outputDirectory) =>
        findNewInputs({ ...options, outputDirectory }, () => discover(options, signal)),
      );
    },
    runExport: async (options, context) => {
      const { runExportTo } = await import("./output-runs.js");
      return runExportTo(options, context, outsideWith("split-worker.js"));
    },
    streamEvents: async (options, context, write) => {
      const { streamEvents } = await import("../run/stream/stream-events.js");
      const outside = outsideWith("stream-worker.js");
      return watchStore(context, () => streamEvents(options, context, outside, write));
    },
    runShard: async (options, context) => {
      const { runShardTo } = await import("./output-runs.js");
      return runShardTo(options, context, outsideWith("split-worker.js"));
    },
    runWorker: async (options, context) => {
      const { runQueueWorker } = await import("./output-runs.js");
      return runQueueWorker(options, context, outsideWith("split-worker.js"));
    },
    runSend: async (request, context) => {
      const { runSendTo } = await import("./output-runs.js");
      return runSendTo(request, context, outsideWith("send-worker.js"));
    },
    runCount: async (request, context) => {
      const { runCount } = await import("../run/run-count.js");
      return runCount(request, context, outsideWith("count-worker.js"));
    },
    surveyInputs: async (request, signal) => {
      const { surveyInputs } = await import("./survey-inputs.js");
      const { options, outputDirectory } = request;
      const { presetRowFields } = await import("../mapper/presets.js");
      const run = { ...options, outputDirectory };
      const discovery = await discover(run, signal, { rowFields: presetRowFields() });
      return surveyInputs(request, discovery, signal, Date.now());
    },
    verifyExport,
    compactExport: async (place, signal) => {
      const { compactExport, compactInStore } = await import("../check/compact/compact-export.js");
      if (isObjectUrl(place.directory)) return compactInStore({ ...place, signal });
      return compactExport(place.directory, signal);
    },
    verifyStored: async (task, signal) => {
      const { verifyStored } = await import("../check/verify/verify-stored.js");
      return verifyStored(task, { signal, openReader: openRange });
    },
  };
}

async function verifyExport(
  { directory, s3, readsAll = false }: OutputPlace & { readonly readsAll?: boolean },
  context: RunContext,
): Promise<VerifyResult> {
  const dependencies = { ...context, openReader: openRange };
  const output = { directory, s3, signal: context.signal };
  await settleCompaction(output);
  if (isObjectUrl(directory)) {
    const { verifyInStore } = await import("../check/verify/verify-in-store.js");
    return verifyInStore(output, readsAll, dependencies);
  }
  const { verifyExport } = await import("../check/verify/verify.js");
  return verifyExport(directory, dependencies);
}

const inspectInputs: Engine["inspectInputs"] = async (options, openedMax, signal) => {
  const { inspectFiles } = await import("./inspect-inputs.js");
  const files = await listFiles(options, signal);
  return inspectFiles(files, openedMax, (some) => discoverFiles(some, options, signal));
};

const checkStart: Engine["checkStart"] = async (options, signal) => {
  // Reads the transform, which the record of a run has a digest of.
  await recordRunOptions(options);
  const entry = "format" in options ? "split-worker.js" : "count-worker.js";
  await refuseEarly(options, { workerEntry: builtFile(entry) }, signal);
};

async function digestInputs(
  { inputs, cwd, s3, notInputs }: ValidateRequest,
  signal: AbortSignal,
): Promise<string> {
  const found = await listInputs(inputs, cwd, { s3, signal });
  return digestFiles(await withoutPaths(found, notInputs));
}

interface DiscoveryHints {
  /** Names of members that rows may have. */
  readonly rowFields?: ReturnType<typeof rowFieldsOf>;
  /** Returns true for inputs (absolute paths) that may be missing. */
  readonly mayBeGone?: ((path: string) => boolean) | undefined;
}

/** Finds the sources of a run. Throws `UsageError` for inputs that do not exist. */
export async function discover(
  options: RunOptions,
  signal: AbortSignal,
  hints: DiscoveryHints = {},
): Promise<Discovery> {
  const table = new SourceTable();
  const files = await listFiles(options, signal, { ...hints, table });
  return discoverFiles(files, options, signal, { ...hints, table });
}

interface TableHints extends DiscoveryHints {
  /** Holds the sources; without it they are separate objects. */
  readonly table?: SourceTable;
}

async function listFiles(
  { inputs, cwd, s3, outputDirectory, notInputs }: RunOptions,
  signal: AbortSignal,
  { table, mayBeGone }: TableHints = {},
): Promise<readonly FoundFile[]> {
  const found = await listInputs(
    inputs,
    cwd,
    { s3, signal, ...omitUndefined({ table }) },
    mayBeGone,
  );
  // An output directory inside an input directory is not an input: a second run would read what the
  // first one wrote.
  const files = await withoutPaths(found, [outputDirectory, ...notInputs]);
  if (files.length === 0 && found.length > 0) {
    throw new UsageError(
      "input_in_output",
      `no inputs are left: all of them are in the output directory ${outputDirectory}, or are files that Switchyard writes or that an option names. Name other inputs, or write to another directory.`,
    );
  }
  return files;
}

function discoverFiles(
  files: readonly FoundFile[],
  options: RunOptions,
  signal: AbortSignal,
  { table, rowFields }: TableHints = {},
): Promise<Discovery> {
  const { inputs, ratioMax, s3 } = options;
  return discoverSources(files, {
    named: new Set(inputs),
    detect: detectionOf(options, rowFields),
    ratioMax,
    s3,
    signal,
    ...omitUndefined({ table }),
  });
}

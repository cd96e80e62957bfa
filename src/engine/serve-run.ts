import { join } from "node:path";
import { omitUndefined } from "../base/omit-undefined.js";
import { builtFile } from "../base/package-files.js";
import type { Kernel } from "../batch/kernel.js";
import { KeyDigests } from "../dedupe/key-digests.js";
import { keyFileOf, keyLayoutOf } from "../dedupe/key-layout.js";
import { KeyMatcher } from "../dedupe/key-matcher.js";
import { createKeySink } from "../dedupe/key-sink.js";
import { Duplicates } from "../dedupe/split-duplicates.js";
import { LedgerWriter } from "../ledger/ledger-writer.js";
import { createMapper } from "../mapper/create-mapper.js";
import type { MapperOptions } from "../mapper/mapper-options.js";
import { changesEvents } from "../mapper/privacy-path.js";
import { idsOfKey, leanMapping, needsObjects } from "../options/dedupe-options.js";
import type { RunOptions } from "../options/options.js";
import { type Layout, layoutOf } from "../output/layout.js";
import { loadMapperOptions, openSources } from "../run/run-tools.js";
import { RejectCounts } from "../run/thread/reject-counts.js";
import { type MakeTools, serveSplits, type WorkerSetup } from "../run/thread/serve-splits.js";
import { ThreadCounters } from "../run/thread/thread-counters.js";
import { DecodeAhead } from "../sources/decode-ahead.js";

/** Serves the calls of a run's worker pool; `makeTools` makes the tools that deliver events. */
export function serveRun<Options extends RunOptions>(makeTools: MakeTools<Options>): void {
  serveSplits<Options>((setup, ...tools) =>
    setup.reads === "keys" ? makeKeyTools(setup, ...tools) : makeTools(setup, ...tools),
  );
}

/** Makes the tools that read and compare the keys of events. */
const makeKeyTools: MakeTools<RunOptions> = async (setup, signal, kernel) => {
  const { options, maxTimeMs, epoch } = setup;
  const { outputDirectory, dedupe, privacy } = options;
  if (dedupe === undefined) throw new Error("keys are read without `dedupe`");
  const paths = keyLayoutOf(layoutOf(outputDirectory, "events", epoch));
  const { layout } = paths;
  const { temporaryDirectory } = layout;
  const counters = new ThreadCounters(setup.counters);
  const mapping = await loadMapperOptions(options, maxTimeMs);
  // Transforms and privacy need the whole event, and can change its outcome.
  const isLean =
    mapping.transform === undefined && !changesEvents(privacy) && !needsObjects(dedupe);
  return {
    ...readingTools(setup, layout, signal, kernel),
    mapper: createMapper(kernel, {
      ...mapping,
      ...(isLean ? { mapping: leanMapping(mapping.mapping), withoutUser: true } : {}),
      ...idsOfKey(dedupe),
    }),
    openRejects: () => new RejectCounts(),
    sink: createKeySink({
      kernel,
      digests: new KeyDigests(kernel, dedupe),
      temporaryDirectory,
      pathOf: (id) => keyFileOf(paths, id),
      rangeNow: () => counters.range,
    }),
    matcher: new KeyMatcher(kernel),
  };
};

interface WorkerToolsOptions extends Pick<MapperOptions, "withInsertID" | "withDistinctID"> {
  /** True if a later run can resume this one, and compares the inputs with its records. */
  readonly isResumable?: boolean;
  /** Name of the directory that holds the days of an export. */
  readonly dataset?: string;
}

/** Creates the tools that the workers of every run need. Loads the transform module. */
export async function createWorkerTools(
  setup: WorkerSetup,
  signal: AbortSignal,
  kernel: Kernel,
  { dataset = "events", isResumable = false, ...more }: WorkerToolsOptions = {},
) {
  const { options, maxTimeMs } = setup;
  const { dedupe } = options;
  const mapping = await loadMapperOptions(options, maxTimeMs);
  const reading = createReadingTools(setup, signal, kernel, dataset);
  const readerOptions = { ...reading.readerOptions, makesDigests: isResumable };
  const duplicates = dedupe && new Duplicates(reading, dedupe);
  // With `dedupe`, transforms must see the same events as when the keys were read.
  const { withInsertID, withDistinctID } = idsOfKey(dedupe);
  return {
    ...reading,
    readerOptions,
    ...omitUndefined({ duplicates }),
    mapper: createMapper(kernel, {
      ...mapping,
      withInsertID: withInsertID || more.withInsertID === true,
      withDistinctID: withDistinctID || more.withDistinctID === true,
    }),
  };
}

/** Creates the tools of workers that read rows and map them in their own way. */
export function createReadingTools(
  setup: WorkerSetup,
  signal: AbortSignal,
  kernel: Kernel,
  dataset = "events",
) {
  const { options, epoch } = setup;
  const common = layoutOf(options.outputDirectory, dataset, epoch);
  const temporaryDirectory = join(common.temporaryDirectory, options.temporaryName ?? "");
  return readingTools(setup, { ...common, temporaryDirectory }, signal, kernel);
}

function readingTools(
  { options, decodesAhead }: WorkerSetup,
  layout: Layout,
  signal: AbortSignal,
  kernel: Kernel,
) {
  const { rowBytesMax, ratioMax, s3, damaged, naming } = options;
  const { temporaryDirectory } = layout;
  const openAhead = decodesAhead ? new DecodeAhead(builtFile("decode-thread.js")).open : undefined;
  return {
    kernel,
    layout,
    ledger: new LedgerWriter(layout),
    open: openSources(options),
    readerOptions: { rowBytesMax, ratioMax, s3, temporaryDirectory, signal, openAhead },
    leavesOutAltered: damaged === "leave-out",
    ...omitUndefined({ naming }),
  };
}

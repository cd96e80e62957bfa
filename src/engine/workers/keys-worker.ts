import { Kernel } from "../../batch/kernel.js";
import { createMapper } from "../../mapper/create-mapper.js";
import {
  type DedupeOptions,
  leanMapping,
  needsObjects,
} from "../../pipeline/dedupe/dedupe-options.js";
import { KeyDigests } from "../../pipeline/dedupe/key-digests.js";
import { keyFileOf, keyLayoutOf } from "../../pipeline/dedupe/key-layout.js";
import { KeyMatcher } from "../../pipeline/dedupe/key-matcher.js";
import { createKeySink } from "../../pipeline/dedupe/key-sink.js";
import { layoutOf } from "../../pipeline/ledger/layout.js";
import { LedgerWriter } from "../../pipeline/ledger/ledger-writer.js";
import type { RunOptions } from "../../pipeline/options.js";
import { RejectCounts } from "../../pipeline/worker/reject-counts.js";
import { serveSplits } from "../../pipeline/worker/serve-splits.js";
import { ThreadCounters } from "../../pipeline/worker/thread-counters.js";
import { openRange } from "../../readers/formats.js";
import { mapperOptions } from "../mapper-options.js";

// Entry file of the worker threads that read and compare the keys of events.
serveSplits<RunOptions & { readonly dedupe: DedupeOptions }>(async (setup, signal) => {
  const { options, maxTimeMs, epoch } = setup;
  const { outputDirectory, rowBytesMax, ratioMax, damaged, dedupe, privacy } = options;
  const kernel = new Kernel();
  const paths = keyLayoutOf(layoutOf(outputDirectory, "events", epoch));
  const { layout } = paths;
  const { temporaryDirectory } = layout;
  const counters = new ThreadCounters(setup.counters);
  const mapping = await mapperOptions(options, maxTimeMs);
  const isPrivate = privacy.drop.length + privacy.hash.length > 0;
  // Transforms and privacy need the whole event, and decide about outcomes.
  const isLean = mapping.transform === undefined && !isPrivate && !needsObjects(dedupe);
  return {
    kernel,
    layout,
    ledger: new LedgerWriter(layout),
    open: openRange,
    readerOptions: { rowBytesMax, ratioMax, temporaryDirectory, signal },
    leavesOutAltered: damaged === "leave-out",
    mapper: createMapper(kernel, {
      ...mapping,
      ...(isLean ? { mapping: leanMapping(mapping.mapping), withoutUser: true } : {}),
      withInsertID: true,
    }),
    openRejects: () => new RejectCounts(),
    sink: createKeySink({
      digests: new KeyDigests(kernel, dedupe),
      temporaryDirectory,
      pathOf: (id) => keyFileOf(paths, id),
      rangeNow: () => counters.range,
    }),
    matcher: new KeyMatcher(),
  };
});

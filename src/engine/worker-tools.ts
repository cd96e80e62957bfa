import { join } from "node:path";
import { omitUndefined } from "../base/omit-undefined.js";
import type { Kernel } from "../batch/kernel.js";
import { createMapper } from "../mapper/create-mapper.js";
import type { MapperOptions } from "../mapper/mapper-options.js";
import { Duplicates } from "../pipeline/dedupe/split-duplicates.js";
import { layoutOf } from "../pipeline/ledger/layout.js";
import { LedgerWriter } from "../pipeline/ledger/ledger-writer.js";
import type { WorkerSetup } from "../pipeline/worker/serve-splits.js";
import { loadMapperOptions } from "./load-mapper-options.js";
import { openSources } from "./open-sources.js";

interface WorkerToolsOptions extends Pick<MapperOptions, "withInsertID"> {
  /** Name of the directory that holds the days of an export. */
  readonly dataset?: string;
}

/** Creates the tools that the workers of every run need. Loads the transform module. */
export async function createWorkerTools(
  { options, maxTimeMs, epoch }: WorkerSetup,
  signal: AbortSignal,
  kernel: Kernel,
  { dataset = "events", ...more }: WorkerToolsOptions = {},
) {
  const { outputDirectory, rowBytesMax, ratioMax, s3, damaged, dedupe } = options;
  const common = layoutOf(outputDirectory, dataset, epoch);
  const temporaryDirectory = join(common.temporaryDirectory, options.temporaryName ?? "");
  const layout = { ...common, temporaryDirectory };
  const mapping = await loadMapperOptions(options, maxTimeMs);
  const ledger = new LedgerWriter(layout);
  const leavesOutAltered = damaged === "leave-out";
  const duplicates = dedupe && new Duplicates({ kernel, layout, ledger, leavesOutAltered }, dedupe);
  // With `dedupe`, transforms have to see the same events as when the keys were read.
  const withInsertID = more.withInsertID === true || dedupe !== undefined;
  return {
    kernel,
    layout,
    ledger,
    ...omitUndefined({ duplicates }),
    open: openSources(options),
    readerOptions: { rowBytesMax, ratioMax, s3, temporaryDirectory, signal },
    leavesOutAltered,
    mapper: createMapper(kernel, { ...mapping, ...more, withInsertID }),
  };
}

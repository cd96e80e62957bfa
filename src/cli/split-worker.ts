import { createZone } from "../base/luxon-zone.js";
import { Kernel } from "../batch/kernel.js";
import { createMapper } from "../mapper/create-mapper.js";
import type { MapperOptions } from "../mapper/mapper-options.js";
import type { ResolvedMapping } from "../mapper/mapping.js";
import { loadTransform } from "../mapper/transform.js";
import { layoutOf } from "../pipeline/layout.js";
import { Ledger } from "../pipeline/ledger.js";
import type { ExportOptions } from "../pipeline/options.js";
import { serveSplits } from "../pipeline/split-server.js";
import { openRange } from "../readers/registry.js";
import { createDayDirectorySink } from "../sinks/day-directory-sink.js";

// Entry file of the worker threads: the tools that splits are run with are put together here.
await serveSplits(async ({ options, maxTimeMs }, signal) => {
  const kernel = new Kernel();
  const { outputDirectory, dataset, rowBytesMax, ratioMax } = options;
  const layout = layoutOf(outputDirectory, dataset);
  const { temporaryDirectory } = layout;
  return {
    kernel,
    layout,
    ledger: new Ledger(layout),
    open: openRange,
    readerOptions: { rowBytesMax, ratioMax, temporaryDirectory, signal },
    mapper: createMapper(kernel, await mapperOptions(options, maxTimeMs)),
    sink: createDayDirectorySink(kernel, { ...options, dayZone: createZone(options.dayZone) }),
  };
});

async function mapperOptions(options: ExportOptions, maxTimeMs: number): Promise<MapperOptions> {
  const { minTimeMs, fromTimeMs, toTimeMs, includeEvents, excludeEvents, privacy } = options;
  const { transformPath } = options;
  const isPrivate = privacy.drop.length > 0 || privacy.hash.length > 0;
  return {
    // Checked and resolved in the main thread; it crossed the thread as plain data.
    mapping: options.mapping as ResolvedMapping,
    ...{ minTimeMs, maxTimeMs, includeEvents, excludeEvents },
    ...(fromTimeMs === undefined ? {} : { fromTimeMs }),
    ...(toTimeMs === undefined ? {} : { toTimeMs }),
    ...(isPrivate ? { privacy } : {}),
    ...(transformPath === undefined ? {} : { transform: await loadTransform(transformPath) }),
  };
}

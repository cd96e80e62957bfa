import { writeDurably } from "../../base/durable-file.js";
import { linkFilesOf } from "../../identity/link-files.js";
import { LinkMapper } from "../../identity/link-mapper.js";
import { linkRules } from "../../identity/link-rules.js";
import { createLinkSink } from "../../identity/link-sink.js";
import type { IdentitiesOptions } from "../../options/options.js";
import { RejectCounts } from "../../run/thread/reject-counts.js";
import { createReadingTools, serveRun } from "../serve-run.js";

// Entry file of the worker threads that find links between ids.
serveRun<IdentitiesOptions>(async (setup, signal, kernel) => {
  const { options, maxTimeMs } = setup;
  const { preset, mapping, hasMerges, minTimeMs } = options;
  const { rules, times = [], prefix } = linkRules(preset, mapping, hasMerges);
  const tools = createReadingTools(setup, signal, kernel);
  const { temporaryDirectory } = tools.layout;
  const files = linkFilesOf(options.outputDirectory);
  const mapper = new LinkMapper(kernel, {
    rules,
    times: [...mapping.timestamp, ...times],
    bounds: {
      minTimeMs,
      maxTimeMs,
      fromTimeMs: Number.NEGATIVE_INFINITY,
      toTimeMs: Number.POSITIVE_INFINITY,
    },
  });
  return {
    ...tools,
    mapper,
    openRejects: () => new RejectCounts(),
    sink: createLinkSink({
      links: mapper.links,
      prefix,
      temporaryDirectory,
      pathOf: files.links,
      save: (id, found) =>
        writeDurably(files.index(id), files.encode(found), { temporaryDirectory }),
    }),
  };
});

import { createZone } from "../../base/luxon-zone.js";
import type { DedupeOptions } from "../../pipeline/dedupe/dedupe-options.js";
import { EventGroups } from "../../pipeline/dedupe/event-groups.js";
import { KeyDigests } from "../../pipeline/dedupe/key-digests.js";
import { keyFileOf, keyLayoutOf } from "../../pipeline/dedupe/key-layout.js";
import { createKeySink } from "../../pipeline/dedupe/key-sink.js";
import type { ValidateOptions } from "../../pipeline/options.js";
import { outputFormat } from "../../pipeline/output-formats.js";
import { RejectCounts } from "../../pipeline/worker/reject-counts.js";
import { serveSplits } from "../../pipeline/worker/serve-splits.js";
import { ThreadCounters } from "../../pipeline/worker/thread-counters.js";
import { EventProfile } from "../../profile/event-profile.js";
import { bothSinks } from "../../sinks/both-sinks.js";
import { createProfileSink } from "../../sinks/dry-run-sinks.js";
import { PartSizes } from "../../sinks/part-sizes.js";
import { createWorkerTools } from "../worker-tools.js";

// Entry file of the worker threads of a dry run.
serveSplits<ValidateOptions>(async (setup, signal) => {
  const { options } = setup;
  const { dayZone, nowMs, countedKey } = options;
  const tools = await createWorkerTools(setup, signal, { withInsertID: true });
  const profile = new EventProfile(tools.kernel, createZone(dayZone), nowMs);
  const format = await outputFormat(options.format).createFormat(tools.kernel, options);
  const partSizes = new PartSizes(tools.kernel, format);
  const paths = keyLayoutOf(tools.layout);
  const counters = new ThreadCounters(setup.counters);
  const keySink = (key: DedupeOptions) =>
    createKeySink({
      digests: new KeyDigests(tools.kernel, key),
      groups: new EventGroups(tools.kernel, dayZone),
      temporaryDirectory: tools.layout.temporaryDirectory,
      pathOf: (id) => keyFileOf(paths, id),
      rangeNow: () => counters.range,
    });
  const profiles = createProfileSink(profile, partSizes, (id, split) =>
    tools.ledger.writeProfile(id, split),
  );
  return {
    ...tools,
    openRejects: () => new RejectCounts(),
    sink: countedKey === undefined ? profiles : bothSinks(profiles, keySink(countedKey)),
  };
});

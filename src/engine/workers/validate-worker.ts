import { createZone } from "../../base/luxon-zone.js";
import { EventGroups } from "../../dedupe/event-groups.js";
import { KeyDigests } from "../../dedupe/key-digests.js";
import { keyFileOf, keyLayoutOf } from "../../dedupe/key-layout.js";
import { createKeySink } from "../../dedupe/key-sink.js";
import { outputFormat } from "../../formats/output-formats.js";
import { type DedupeOptions, idsOfKey } from "../../options/dedupe-options.js";
import type { ValidateOptions } from "../../options/options.js";
import { EventProfile } from "../../profile/event-profile.js";
import { RejectCounts } from "../../run/thread/reject-counts.js";
import { ThreadCounters } from "../../run/thread/thread-counters.js";
import { bothSinks, createProfileSink } from "../../sinks/dry-run-sinks.js";
import { PartSizes } from "../../sinks/part-sizes.js";
import { tallyMappingOf } from "../../survey/row-tally.js";
import { createWorkerTools, serveRun } from "../serve-run.js";

// Entry file of the worker threads of a dry run.
serveRun<ValidateOptions>(async (setup, signal, kernel) => {
  const { options } = setup;
  const { dayZone, nowMs, countedKey, dedupe, target } = options;
  const ids = { ...idsOfKey(countedKey), withInsertID: true };
  const tools = await createWorkerTools(setup, signal, kernel, ids);
  const profile = new EventProfile(kernel, createZone(dayZone), nowMs, {
    mapping: tallyMappingOf(options.mapping),
    withoutRepeats: (dedupe ?? countedKey) !== undefined,
    targetZone: target?.rules.days && createZone(target.rules.days.zone),
  });
  const format = await outputFormat(options.format).createFormat(kernel, options);
  const partSizes = new PartSizes(kernel, format);
  const paths = keyLayoutOf(tools.layout);
  const counters = new ThreadCounters(setup.counters);
  const keySink = (key: DedupeOptions) =>
    createKeySink({
      kernel,
      digests: new KeyDigests(kernel, key),
      groups: new EventGroups(kernel, dayZone),
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

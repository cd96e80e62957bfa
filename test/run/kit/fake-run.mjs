// A fake export in a process of its own, to be killed. Takes a `PortableExport` as its argument.
import { runExport } from "../../../src/run/run-export.js";

const { options, inputs, ranges } = JSON.parse(process.argv[2]);
const outside = {
  discover: async () => inputs,
  planRanges: async (source) => ranges[source.name].map((range) => ({ ...range, source })),
  workerEntry: new URL("fake-worker.js", import.meta.url),
  now: Date.now,
};
const context = { signal: new AbortController().signal, observer: {} };
const { outcome } = await runExport(options, context, outside);
process.exitCode = outcome === "done" ? 0 : 1;

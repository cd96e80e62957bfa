// A fake export in a process of its own, to be killed. Takes a `PortableExport` as its argument.
import { exportSpec } from "../../../src/run/export-spec.js";
import { run } from "../../../src/run/run.js";

const { options, inputs, ranges } = JSON.parse(process.argv[2]);
const read = {
  discover: async () => inputs,
  planRanges: async (source) => ranges[source.name].map((range) => ({ ...range, source })),
};
const sink = { entry: new URL("fake-worker.js", import.meta.url) };
const context = { signal: new AbortController().signal, observer: {} };
const { outcome } = await run({ ...(await exportSpec(options)), read, sink }, context);
process.exitCode = outcome === "done" ? 0 : 1;

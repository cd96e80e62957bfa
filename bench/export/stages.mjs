// Assigns each function to a stage of an export. A frame without a rule of its own (built-in functions,
// packages) works for its caller and counts as the caller's stage.

const UNATTRIBUTED = "not attributed";
const LOADING = "load modules";
const GARBAGE = "collect garbage";
/** Work without a caller: Node finishes what was asked for earlier. */
const CALLBACKS = "Node's callbacks: files, messages";
const OUTSIDE = "V8 and Node outside of functions";

/** Module below src/kernels → stage. What a kernel calls counts as the kernel that was called first. */
const kernelStages = [
  [/^inflate\//, "inflate"],
  [/^(nested|parquet)\//, "decode Parquet"],
  [/^(json\/|csv\/|utf8)/, "scan"],
  [/^(mapping|target)\//, "map"],
  [/^dedupe\//, "find duplicates"],
  [/^profile\//, "count events"],
  [/^sink\/(row-buffer|spill|line-rows)/, "gather"],
  [/^sink\/days/, "sort by day"],
  [/^sink\/snappy/, "compress"],
  [/^sink\//, "encode"],
];

/** Start of a module's path below src/ → stage; the first that fits. */
const moduleStages = [
  ["parquet/", "decode Parquet"],
  ["readers/json/", "scan"],
  ["readers/csv/", "scan"],
  ["readers/rejects/", "scan"],
  ["sources/brotli", "inflate"],
  ["sources/zstd", "inflate"],
  ["sources/inflate", "inflate"],
  ["sources/gzip", "inflate"],
  ["sources/checksum", "inflate"],
  ["sources/", "read files"],
  ["formats/", "read files"],
  ["readers/", "read files"],
  ["mapper/", "map"],
  ["profile/", "count events"],
  ["sinks/row-buffer", "gather"],
  ["sinks/line-texts", "gather"],
  ["sinks/day-order", "sort by day"],
  ["sinks/parquet/page-compression", "compress"],
  ["sinks/parquet/", "encode"],
  ["sinks/text-format", "encode"],
  ["sinks/row-texts", "encode"],
  ["sinks/", "write"],
  ["webhook/", "write"],
  ["dedupe/", "find duplicates"],
  ["run/dedupe/", "find duplicates"],
  ["run/thread/", "drive and account"],
  ["run/", "command, plan, manifest"],
  ["plan/", "command, plan, manifest"],
  ["output/", "command, plan, manifest"],
  ["ledger/", "command, plan, manifest"],
  ["options/", "command, plan, manifest"],
  ["report/", "command, plan, manifest"],
  ["cli/", "command, plan, manifest"],
  ["commands/", "command, plan, manifest"],
];

const nodeStages = [
  [/^node:internal\/(modules|bootstrap|vm|process\/pre_execution|main)/, LOADING],
  [/^node:(zlib|internal\/zlib)/, "inflate"],
  [/^node:internal\/crypto\/hash/, "hash"],
];

/** All stages in the order of the flow. */
export const stages = [
  LOADING,
  "command, plan, manifest",
  "read files",
  "inflate",
  "decode Parquet",
  "scan",
  "map",
  "find duplicates",
  "count events",
  "gather",
  "sort by day",
  "encode",
  "compress",
  "hash",
  "write",
  "drive and account",
  CALLBACKS,
  GARBAGE,
  OUTSIDE,
  UNATTRIBUTED,
];

const kernelName = /^src\/kernels\/(.+)\//;

/** Stage of a module below src/kernels, by its name. */
export function stageOfKernel(module) {
  return kernelStages.find(([pattern]) => pattern.test(module))?.[1];
}

/**
 * Returns the milliseconds of each stage in a profile as `--cpu-prof` writes it, by where the samples were
 * taken, without waiting. `moduleOf` gives the path below src/ of the module of one of our frames.
 */
export function stageTimes({ nodes, samples, timeDeltas }, moduleOf) {
  const stageOf = attribute(nodes, moduleOf);
  const times = new Map();
  for (const [index, id] of samples.entries()) {
    const stage = stageOf.get(id);
    if (stage !== null) times.set(stage, (times.get(stage) ?? 0) + timeDeltas[index] / 1000);
  }
  return times;
}

/** Stage of each node by its id; null for waiting. */
function attribute(nodes, moduleOf) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const stageOf = new Map();
  const walk = [{ node: nodes[0], caller: { stage: UNATTRIBUTED, inKernel: false } }];
  while (walk.length > 0) {
    const { node, caller } = walk.pop();
    const stage = stageOfFrame(node.callFrame, caller, moduleOf);
    stageOf.set(node.id, stage);
    const inKernel = kernelName.test(node.callFrame.functionName);
    for (const child of node.children ?? []) {
      walk.push({ node: byId.get(child), caller: { stage, inKernel } });
    }
  }
  return stageOf;
}

function stageOfFrame(frame, caller, moduleOf) {
  const { functionName, url, lineNumber, columnNumber } = frame;
  if (functionName === "(idle)") return null;
  if (functionName === "(garbage collector)") return GARBAGE;
  if (functionName === "(program)") return OUTSIDE;
  const kernel = kernelName.exec(functionName)?.[1];
  if (kernel !== undefined)
    return caller.inKernel ? caller.stage : (stageOfKernel(kernel) ?? UNATTRIBUTED);
  if (url.startsWith("node:")) {
    const stage = nodeStages.find(([pattern]) => pattern.test(url))?.[1] ?? caller.stage;
    return stage === UNATTRIBUTED ? CALLBACKS : stage;
  }
  if (!url.startsWith("file:")) return caller.stage;
  // A module's own body, which runs once while it is loaded.
  if (functionName === "" && lineNumber === 0 && columnNumber === 0) return LOADING;
  const module = moduleOf(frame);
  const stage = moduleStages.find(([start]) => module?.startsWith(start))?.[1] ?? caller.stage;
  return stage === CALLBACKS ? UNATTRIBUTED : stage;
}

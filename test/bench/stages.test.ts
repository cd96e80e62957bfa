import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
// @ts-expect-error The benchmark is plain scripts.
import { stageOfKernel, stages, stageTimes } from "../../bench/export/stages.mjs";

interface Frame {
  readonly name: string;
  readonly url?: string;
  readonly ms: number;
  readonly calls?: readonly Frame[];
}

/** A profile with one sample for each frame, as `--cpu-prof` writes it. */
function profileOf(root: Frame): unknown {
  const nodes: unknown[] = [];
  const timeDeltas: number[] = [];
  const add = ({ name, url = "", ms, calls = [] }: Frame): number => {
    const id = nodes.length + 1;
    const children: number[] = [];
    const callFrame = { functionName: name, url, lineNumber: name === "" ? 0 : 9, columnNumber: 0 };
    nodes.push({ id, callFrame, children });
    timeDeltas.push(ms * 1000);
    for (const call of calls) children.push(add(call));
    return id;
  };
  add(root);
  return { nodes, samples: timeDeltas.map((_, index) => index + 1), timeDeltas };
}

/** Times of a profile below the root; modules are what the frame's address ends in. */
function timesOf(...calls: readonly Frame[]): Readonly<Record<string, number>> {
  const profile = profileOf({ name: "(root)", ms: 0, calls });
  const moduleOf = ({ url }: { url: string }) => url.slice("file:///".length);
  const { "not attributed": rest, ...times } = Object.fromEntries(stageTimes(profile, moduleOf));
  return rest === 0 ? times : { ...times, rest };
}

const kernel = (path: string, ms: number, ...calls: readonly Frame[]): Frame => ({
  name: `src/kernels/${path}`,
  url: "wasm://wasm/0003e81a",
  ms,
  calls,
});
const ours = (module: string, ms: number, ...calls: readonly Frame[]): Frame => ({
  name: "work",
  url: `file:///${module}`,
  ms,
  calls,
});

it("counts what a kernel calls as the kernel that was called first", () => {
  const escapeString = kernel("json/json-value/escapeString", 3);
  const times = timesOf(
    ours("sinks/text-format.js", 1, kernel("sink/jsonl/encodeLines", 5, escapeString)),
    ours("mapper/row-mapper.js", 2, kernel("mapping/user/mergeUsers", 7, escapeString)),
    ours("readers/json/reader.js", 4, kernel("json/json-rows/scanLines", 11, escapeString)),
  );
  expect(times).toEqual({ encode: 9, map: 12, scan: 18 });
});

it("counts built-in functions and packages as their caller", () => {
  const packaged = { name: "readParquet", url: "file:///node_modules/parquet-wasm/x.js", ms: 4 };
  const times = timesOf(
    ours("sources/file-bytes.js", 1, { name: "read", ms: 20 }),
    ours("sinks/part-files.js", 1, { name: "writeBuffer", ms: 30 }),
    ours("parquet/reader.js", 1, {
      ...packaged,
      calls: [{ name: "wasm-function[7]", url: "wasm://wasm/012e380e", ms: 40 }],
    }),
  );
  expect(times).toEqual({ "read files": 21, write: 31, "decode Parquet": 45 });
});

it("tells Node's own work by its modules", () => {
  const url = "node:internal/crypto/hash";
  const times = timesOf(
    ours("sinks/part-output.js", 2, {
      name: "update",
      url,
      ms: 1,
      calls: [{ name: "update", ms: 8 }],
    }),
    { name: "processChunk", url: "node:zlib", ms: 16 },
    { name: "compile", url: "node:internal/modules/esm/utils", ms: 32 },
  );
  expect(times).toEqual({ write: 2, hash: 9, inflate: 16, "load modules": 32 });
});

it("counts the body of a module as loading, and what it calls as its stage", () => {
  const url = "file:///cli/main.js";
  const body = { name: "", url, ms: 3, calls: [ours("plan/plan.js", 5)] };
  expect(timesOf(body)).toEqual({ "load modules": 3, "command, plan, manifest": 5 });
});

it("counts what Node does of its own accord apart, and what that calls as ours", () => {
  const url = "node:internal/process/task_queues";
  const calls = [ours("mapper/row-mapper.js", 2), ours("unheard-of/module.js", 4)];
  const times = timesOf({ name: "processTicksAndRejections", url, ms: 1, calls });
  expect(times).toEqual({ "Node's callbacks: files, messages": 1, map: 2, rest: 4 });
});

it("leaves out waiting, and names what has no stage", () => {
  const times = timesOf(
    { name: "(idle)", ms: 100 },
    { name: "(garbage collector)", ms: 1 },
    { name: "(program)", ms: 2 },
    { name: "anything", ms: 4 },
    kernel("unheard-of/work", 8),
    ours("unheard-of/module.js", 16),
  );
  expect(times).toEqual({ "collect garbage": 1, "V8 and Node outside of functions": 2, rest: 28 });
});

it("has a stage for every kernel that can be called", () => {
  const index = readFileSync(new URL("../../src/kernels/index.ts", import.meta.url), "utf8");
  const modules = [...index.matchAll(/from "\.\/(.+)"/g)].map((match) => match[1]);
  expect(modules.length).toBeGreaterThan(20);
  expect(modules.filter((module) => !stages.includes(stageOfKernel(module)))).toEqual([]);
});

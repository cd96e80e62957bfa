// Measures how the CPU time of our export is spent, in a run of its own, because Node's profiler slows it
// down.
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { benchDirectory, openTable } from "../command.mjs";
import { percent, whole } from "../figures.mjs";
import { bundleModules } from "./bundle-modules.mjs";
import { runContender } from "./contenders.mjs";
import { stages, stageTimes } from "./stages.mjs";
import { watchThreads } from "./thread-times.mjs";

const hook = new URL("thread-names.mjs", import.meta.url).href;
const SAMPLE_MICROSECONDS = 1000;

/** Threads that Node starts before any other: one for delayed tasks, four for V8's own work. */
const V8_THREADS = 5;

const BEFORE = "before the profile begins, after it ends";
const COMPILING = "V8's threads: compile, collect garbage";
const POOL = "libuv's pool: inflate, open, sync";

/** Runs our export once more and prints the share of each stage. */
export async function printProfile({ kind, input, output, threads }) {
  const directory = join(benchDirectory, "profile");
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  let watch;
  await runContender("switchyard", {
    kind,
    input,
    output,
    threads,
    before: [
      "--import",
      hook,
      "--cpu-prof",
      "--cpu-prof-dir",
      directory,
      "--cpu-prof-interval",
      `${SAMPLE_MICROSECONDS}`,
    ],
    env: { BENCH_THREADS_DIRECTORY: directory },
    started: (pid) => {
      watch = watchThreads(pid);
    },
  });
  const shares = stageShares(watch.stop(), readThreads(directory));
  rmSync(directory, { recursive: true, force: true });
  printShares(kind, shares);
}

/** System's number of each JavaScript thread → its profile, and whether it is the main one. */
function readThreads(directory) {
  const names = readdirSync(directory);
  const threads = new Map();
  for (const name of names.filter((file) => file.endsWith(".cpuprofile"))) {
    // CPU.<date>.<time>.<process>.<thread>.<sequence>.cpuprofile
    const thread = name.split(".")[4];
    const systemId = Number(readFileSync(join(directory, `${thread}.thread`), "utf8"));
    const profile = JSON.parse(readFileSync(join(directory, name), "utf8"));
    threads.set(systemId, { profile, isMain: thread === "0" });
  }
  return threads;
}

/** CPU ms by stage: of the main thread, of workers, of threads without JavaScript. */
function stageShares(threads, profiles) {
  const moduleOf = bundleModules();
  const shares = new Map();
  const add = (stage, column, ms) => {
    const cells = shares.get(stage) ?? { main: 0, workers: 0, others: 0 };
    cells[column] += ms;
    shares.set(stage, cells);
  };
  for (const [index, { systemId, name, cpuMs }] of threads.entries()) {
    const thread = profiles.get(systemId);
    if (thread !== undefined) {
      const times = cpuTimes(stageTimes(thread.profile, moduleOf), cpuMs);
      for (const [stage, ms] of times) add(stage, thread.isMain ? "main" : "workers", ms);
    } else if (!name.includes("Prof")) {
      add(index <= V8_THREADS ? COMPILING : POOL, "others", cpuMs);
    }
  }
  return shares;
}

/**
 * Samples are of wall time: if the thread waited for a processor they are scaled down to what it
 * had. Where it had more, that was before its profile began or after its end.
 */
function cpuTimes(times, cpuMs) {
  const sampledMs = [...times.values()].reduce((sum, ms) => sum + ms, 0);
  const scale = Math.min(1, cpuMs / sampledMs);
  const scaled = new Map([...times].map(([stage, ms]) => [stage, ms * scale]));
  return scaled.set(BEFORE, Math.max(0, cpuMs - sampledMs));
}

function printShares(kind, shares) {
  const total = (cells) => cells.main + cells.workers + cells.others;
  const all = [...shares.values()].reduce((sum, cells) => sum + total(cells), 0);
  console.log("");
  const printRow = openTable([
    `${kind}: stage`,
    "main thread, ms:",
    "workers, ms:",
    "other threads, ms:",
    "share:",
  ]);
  for (const stage of [...stages, BEFORE, COMPILING, POOL]) {
    const cells = shares.get(stage);
    if (cells === undefined) continue;
    const milliseconds = [cells.main, cells.workers, cells.others];
    printRow([
      stage,
      ...milliseconds.map((ms) => (ms === 0 ? "" : whole(ms))),
      percent(total(cells) / all),
    ]);
  }
  printRow(["all", "", "", whole(all), percent(1)]);
}

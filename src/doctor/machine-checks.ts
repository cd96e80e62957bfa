import { flagText } from "../base/option-text.js";
import type { RunOptions } from "../options/options.js";
import { formatBytes, formatNumberOf } from "../report/quantities.js";
import { budgetThreads } from "../run/pool/worker-pool.js";
import { type Check, ok, warning } from "./check.js";
import type { SystemFacts } from "./system-facts.js";

/** As in package.json. */
const NODE_VERSION_MIN = [20, 19] as const;

export function checkNode({ nodeVersion }: Pick<SystemFacts, "nodeVersion">): Check {
  const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
  const [least, leastMinor] = NODE_VERSION_MIN;
  if (major > least || (major === least && minor >= leastMinor)) return ok("node", nodeVersion);
  const message = `${nodeVersion} is too old; install ${least}.${leastMinor} or newer`;
  return { name: "node", state: "failed", message };
}

/** Compares the memory of a run with what its threads need and with what the machine has. */
export function checkMemory(
  options: Pick<RunOptions, "threads" | "memoryBytes" | "rowBytesMax">,
  { machine, availableMemory }: Pick<SystemFacts, "machine" | "availableMemory">,
): Check {
  const { threads } = budgetThreads(options);
  const { memoryBytes } = options;
  const taken = `${formatBytes(memoryBytes)} for ${formatNumberOf(threads, "thread")}`;
  if (memoryBytes > machine.memoryBytes) {
    const has = `this machine or container has ${formatBytes(machine.memoryBytes)}`;
    return warning("memory", `${taken}, but ${has}; lower ${flagText("memory")}`);
  }
  if (threads < options.threads) {
    const wanted = `${threads} of ${options.threads} threads`;
    return warning(
      "memory",
      `${formatBytes(memoryBytes)} is enough for ${wanted}; raise ${flagText("memory")}`,
    );
  }
  const available = availableMemory();
  if (available >= memoryBytes) return ok("memory", taken);
  const free = `only ${formatBytes(available)} is free now`;
  return warning(
    "memory",
    `up to ${taken}, but ${free}; end other programs, or lower ${flagText("memory")}`,
  );
}

const OPEN_FILES_MIN = 1_024;

export function checkOpenFiles(count: number): Check {
  if (count >= OPEN_FILES_MIN) return ok("open files", `up to ${count}`);
  const advice = `raise the limit to ${OPEN_FILES_MIN} or more (ulimit -n)`;
  return warning("open files", `this process may open only ${count}; ${advice}`);
}

/** The largest difference of clocks that leaves room for the way of an answer. */
const CLOCK_TOLERANCE_MS = 60_000;

/** Compares the clock of this machine with that of a service. No check if the service does not tell. */
export function checkClock(
  whose: string,
  theirMs: number | undefined,
  { now }: Pick<SystemFacts, "now">,
): readonly Check[] {
  if (theirMs === undefined || Number.isNaN(theirMs)) return [];
  const aheadMs = now() - theirMs;
  if (Math.abs(aheadMs) <= CLOCK_TOLERANCE_MS) return [ok("clock", `agrees with ${whose}`)];
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  const difference = `${seconds} s ${aheadMs > 0 ? "ahead of" : "behind"} ${whose}`;
  const harm = "signed requests fail beyond 15 minutes, and times of events are judged by it";
  return [warning("clock", `this machine is ${difference}; set its clock (${harm})`)];
}

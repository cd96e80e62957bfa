// Loaded into a measured process with --import: writes its peak memory in KiB to the file named by
// BENCH_PEAK_FILE when it ends. VmHWM where there is one: getrusage on Linux may count the parent's
// memory from before exec.
import { readFileSync, writeFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

function peakKib() {
  try {
    const line = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"));
    if (line !== null) return Number(line[1]);
  } catch {
    // No /proc here.
  }
  return process.resourceUsage().maxRSS;
}

if (isMainThread && process.env.BENCH_PEAK_FILE !== undefined) {
  process.on("exit", () => writeFileSync(process.env.BENCH_PEAK_FILE, String(peakKib())));
}

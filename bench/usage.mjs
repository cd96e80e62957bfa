// Preloaded into a measured process: writes what it used to file descriptor 3 when it ends. The peak is
// VmHWM where there is one: getrusage on Linux may count the parent's memory from before exec.
import { readFileSync, writeSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

function peakKib(maxRss) {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))[1]);
  } catch {
    return maxRss;
  }
}

if (isMainThread) {
  process.on("exit", () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    const usage = {
      cpuMicroseconds: userCPUTime + systemCPUTime,
      peakBytes: peakKib(maxRSS) * 1024,
    };
    writeSync(3, JSON.stringify(usage));
  });
}

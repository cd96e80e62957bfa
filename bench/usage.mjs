// Preloaded into a measured process: writes its CPU time and peak memory to file descriptor 3 when it
// ends. The peak is VmHWM if the system has it, as getrusage on Linux may count the parent's memory.
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

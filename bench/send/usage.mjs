// Preloaded into the measured process: writes what it used to file descriptor 3 when it ends.
import { writeSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

if (isMainThread) {
  process.on("exit", () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    const usage = { cpuMicroseconds: userCPUTime + systemCPUTime, peakBytes: maxRSS * 1024 };
    writeSync(3, JSON.stringify(usage));
  });
}

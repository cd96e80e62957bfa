// Measures the CPU time of each thread of a running process. Threads end before their process, and the
// system then forgets their times, so they are read again and again. Linux only.
import { readdirSync, readFileSync } from "node:fs";

const EVERY_MS = 20;

/** Watches a process; `stop` gives the threads in the order of their start: name and CPU ms. */
export function watchThreads(pid) {
  const threads = new Map();
  const timer = setInterval(() => look(pid, threads), EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      return [...threads.values()].sort((a, b) => a.systemId - b.systemId);
    },
  };
}

function look(pid, threads) {
  const directory = `/proc/${pid}/task`;
  for (const systemId of namesIn(directory)) {
    try {
      const [cpuNs] = readFileSync(`${directory}/${systemId}/schedstat`, "utf8").split(" ");
      const name = readFileSync(`${directory}/${systemId}/comm`, "utf8").trim();
      threads.set(systemId, { systemId: Number(systemId), name, cpuMs: Number(cpuNs) / 1e6 });
    } catch {
      // It has ended in between.
    }
  }
}

function namesIn(directory) {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

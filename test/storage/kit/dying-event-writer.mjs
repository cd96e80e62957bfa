// A writer's thread that dies. `path` names a file that counts its starts: the first thread dies over
// its first batch, the second while it opens, the third cannot open, the fourth works.
import { readFileSync, writeFileSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";

const starts = Number(readFileSync(workerData.path, "utf8")) + 1;
writeFileSync(workerData.path, String(starts));
if (starts === 2) process.exit(7);
if (starts === 3) {
  const failure = { code: "disk_full", message: "no space is left" };
  parentPort.postMessage({ kind: "failed", failure });
  parentPort.close();
} else {
  parentPort.on("message", ({ kind, batch }) => {
    if (kind === "close") parentPort.close();
    else if (starts === 1) throw new Error("the disk is on fire");
    else {
      const commit = { requests: batch.length, events: batch.length };
      parentPort.postMessage({ kind: "stored", commit });
    }
  });
  parentPort.postMessage({ kind: "ready" });
}

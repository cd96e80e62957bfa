import { parentPort, workerData } from "node:worker_threads";
import { createFormatDetection } from "./detect-format.js";
import type { FromScout, ScoutTask, ToScout } from "./scout-messages.js";
import { PieceDiscovery } from "./sources.js";

// Entry file of a thread that looks at files for the main thread. A bug ends it, whatever Node is told to
// do about rejections, and shows itself where the main thread looks at the same files.
const port = parentPort;
if (port === null) throw new Error("scout-thread runs in a worker thread only");

const { given, ratioMax } = workerData as ScoutTask;
const { signal } = new AbortController();
const pieces = new PieceDiscovery({ detect: createFormatDetection(given), ratioMax, signal });

let previous: Promise<void> = Promise.resolve();
port.on("message", (files: ToScout) => {
  previous = previous
    .then(async () => {
      const found: FromScout = await pieces.discover(files);
      port.postMessage(found);
    })
    .catch(() => process.exit(1));
});

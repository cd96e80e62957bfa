// `switchyard send` and autocannon, each in a process of its own, on the same kind of requests.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { load } from "../service/load.mjs";
import { keys } from "../service/process.mjs";
import { eventPath, serverHeaders } from "../service/requests.mjs";
import { eventBody } from "./rows.mjs";

const main = fileURLToPath(new URL("../../dist/bin/switchyard.js", import.meta.url));
const usage = new URL("usage.mjs", import.meta.url).href;

const SECONDS = 5;

/**
 * Events per second of autocannon, from a cold start like ours, with one body for all requests. By
 * time, as it looks only once a second whether it has sent enough. `keyed`: each request has an
 * `Idempotency-Key` of its own.
 */
export async function runAutocannon(url, { batchSize, connections }, keyed) {
  const { perSecond } = await load({
    url: url + eventPath,
    ...{ method: "POST", headers: serverHeaders, body: eventBody(batchSize) },
    ...{ connections, keyed, duration: SECONDS },
  });
  return perSecond * batchSize;
}

/** Events per second, microseconds of CPU for each event, and peak memory in MB. */
export async function runSend(url, rows, { events, batchSize, connections }) {
  const form = batchSize === 1 ? [] : ["--body", "array", "--batch-size", `${batchSize}`];
  const words = ["send", rows, "--to", url, "--json", "--quiet", ...form];
  const directory = mkdtempSync(join(dirname(rows), "run-"));
  try {
    const child = spawn(
      process.execPath,
      ["--import", usage, main, ...words, "--concurrency", `${connections}`],
      {
        cwd: directory,
        env: { ...process.env, ...keys },
        stdio: ["ignore", "pipe", "pipe", "pipe"],
      },
    );
    const [result, spent] = await outputOf(child);
    if (result.delivery.delivered !== events) throw new Error(JSON.stringify(result));
    return {
      perSecond: events / (result.durationMs / 1000),
      cpuMicroseconds: spent.cpuMicroseconds / events,
      peakMb: spent.peakBytes / 1e6,
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** What it has printed, and what its hook has written to file descriptor 3. */
async function outputOf(child) {
  const texts = ["", "", "", ""];
  for (const stream of [1, 2, 3]) {
    child.stdio[stream].on("data", (chunk) => {
      texts[stream] += chunk;
    });
  }
  const exitCode = await new Promise((resolve) => child.on("close", resolve));
  if (exitCode !== 0) throw new Error(`send ended with ${exitCode}: ${texts[2]}`);
  return [JSON.parse(texts[1]), JSON.parse(texts[3])];
}

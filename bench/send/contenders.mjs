// `switchyard send` and autocannon, each in its own process, with the same kind of requests.
import { mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runMeasured } from "../measured-process.mjs";
import { load } from "../service/load.mjs";
import { keys } from "../service/process.mjs";
import { eventPath, serverHeaders } from "../service/requests.mjs";
import { eventBody } from "./rows.mjs";

const main = fileURLToPath(new URL("../../dist/switchyard.js", import.meta.url));

const SECONDS = 5;

/**
 * Events per second of autocannon, from a cold start like ours, with one body for all requests. By
 * time, as it looks only once a second whether it has sent enough. `keyed`: each request has an
 * `Idempotency-Key` of its own.
 */
export async function runAutocannon(url, { batchSize, connections }, keyed) {
  const { perSecond } = await load({
    url: url + eventPath,
    method: "POST",
    headers: serverHeaders,
    body: eventBody(batchSize),
    connections,
    keyed,
    duration: SECONDS,
  });
  return perSecond * batchSize;
}

/** Events per second, microseconds of CPU for each event, and peak memory in MB. */
export async function runSend(url, rows, { events, batchSize, connections }) {
  const form = ["--batch-size", `${batchSize}`];
  const words = ["send", rows, "--to", url, "--json", "--quiet", ...form];
  const directory = mkdtempSync(join(dirname(rows), "run-"));
  try {
    const { output, cpuSeconds, peakMb } = await runMeasured(
      [main, ...words, "--concurrency", `${connections}`],
      { cwd: directory, env: keys },
    );
    const result = JSON.parse(output);
    if (result.delivery.delivered !== events) throw new Error(output);
    return {
      perSecond: events / (result.durationMs / 1000),
      cpuMicroseconds: (cpuSeconds * 1e6) / events,
      peakMb,
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

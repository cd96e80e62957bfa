// Sends generated events, one per request, to a server in another process that answers at once, and
// has autocannon do the same with one body: events per second, CPU per event, memory.
//   node bench/send.mjs [events, 200000]
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";

const events = Number(process.argv[2] ?? 200_000);
const connections = 32;
const path = "/v1/webhooks/event_webhook";
const secret = "secret-0123456789abcdefghijklmnop";
const directory = mkdtempSync(join(tmpdir(), "switchyard-bench-send-"));
const file = (name) => fileURLToPath(new URL(name, import.meta.url));

const row = (index) => ({
  event_type: `event_${index % 13}`,
  event_time: "2026-01-31 12:00:00.000000",
  user_id: `customer-${index % 5000}`,
  device_id: `device-${index % 9000}`,
  event_properties: { index, page: `/tea/${index % 17}`, price: (index % 9999) / 100 },
  user_properties: { plan: index % 2 === 0 ? "free" : "yearly" },
});

function writeRows(target) {
  for (let first = 0; first < events; first += 20_000) {
    const count = Math.min(20_000, events - first);
    const lines = Array.from({ length: count }, (_, index) => JSON.stringify(row(first + index)));
    writeFileSync(target, `${lines.join("\n")}\n`, { flag: "a" });
  }
}

function startServer() {
  const server = spawn(process.execPath, [file("send/server.mjs")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return new Promise((resolve) => {
    server.stdout.once("data", (chunk) => resolve({ server, url: String(chunk).trim() }));
  });
}

function runSend(url) {
  const words = ["send", "rows.jsonl", "--to", url, "--json", "--quiet"];
  const preload = ["--import", new URL("send/usage.mjs", import.meta.url).href];
  const child = spawn(
    process.execPath,
    [...preload, file("../dist/bin/switchyard.js"), ...words, "--concurrency", `${connections}`],
    {
      cwd: directory,
      env: { ...process.env, SWITCHYARD_SERVER_SECRET: secret },
      stdio: ["ignore", "pipe", "pipe", "pipe"],
    },
  );
  const texts = ["", "", "", ""];
  for (const stream of [1, 2, 3]) {
    child.stdio[stream].on("data", (chunk) => {
      texts[stream] += chunk;
    });
  }
  return new Promise((resolve, reject) => {
    child.on("close", (exitCode) => {
      if (exitCode !== 0) reject(new Error(`send ended with ${exitCode}: ${texts[2]}`));
      else resolve({ result: JSON.parse(texts[1]), usage: JSON.parse(texts[3]) });
    });
  });
}

function runAutocannon(url) {
  const { user_id: userID, event_properties: metadata, event_type: event } = row(1);
  const body = JSON.stringify({ event, timestamp: Date.now(), user: { userID }, metadata });
  return autocannon({
    url: `${url}${path}`,
    ...{ method: "POST", connections, amount: events, body },
    headers: {
      "content-type": "application/json",
      "service-api-key": secret,
      "idempotency-key": "0123456789abcdef0123456789abcdef-100000",
    },
  });
}

try {
  writeRows(join(directory, "rows.jsonl"));
  const { server, url } = await startServer();
  const rival = await runAutocannon(url);
  const rivalRate = events / ((rival.finish - rival.start) / 1000);
  const { result, usage } = await runSend(url);
  server.kill();
  const rate = result.delivery.delivered / (result.durationMs / 1000);
  const show = (value) => Math.round(value).toLocaleString("en-US");
  console.log(`${show(events)} events, one per request, ${connections} connections`);
  console.log(`autocannon  ${show(rivalRate)} requests/s`);
  console.log(`send        ${show(rate)} events/s, ${show((100 * rate) / rivalRate)} % of it`);
  console.log(`            ${show(usage.cpuMicroseconds / events)} µs of CPU per event`);
  console.log(`            ${show(usage.peakBytes / 1e6)} MB peak`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

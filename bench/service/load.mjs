// Runs autocannon in its own process, so that making load does not slow down what is measured. Takes
// options as JSON on standard input: those of autocannon; `paths`, one for each connection in turn; and
// `keyed`, for a new `Idempotency-Key` in each request.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { json } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";

const self = fileURLToPath(import.meta.url);

/** Requests per second, and the latency's median and 99th percentile in ms. Throws if one failed. */
export async function load(options) {
  const child = spawn(process.execPath, [self], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(JSON.stringify(options));
  const result = await json(child.stdout);
  if (result.failures > 0 || result.requests === 0) {
    throw new Error(`${result.failures} of ${result.requests} requests failed: ${options.url}`);
  }
  return result;
}

async function run({ paths, keyed = false, ...options }) {
  const { method, headers, body } = options;
  let connections = 0;
  const result = await autocannon({
    ...options,
    ...(keyed ? { requests: [withKeys(options)] } : {}),
    ...(paths === undefined
      ? {}
      : {
          setupClient: (client) => {
            const path = paths[connections++ % paths.length];
            client.setRequests([{ method, headers, body, path }]);
          },
        }),
  });
  const { requests, latency, errors, timeouts, non2xx, duration } = result;
  return {
    requests: requests.total,
    perSecond: requests.total / duration,
    p50: latency.p50,
    p99: latency.p99,
    failures: errors + timeouts + non2xx,
  };
}

/** New keys of the form that `switchyard send` uses. */
function withKeys({ method, headers, body }) {
  const prefix = randomBytes(16).toString("hex");
  let count = 0;
  return {
    method,
    body,
    setupRequest: (request) => ({
      ...request,
      headers: { ...headers, "idempotency-key": `${prefix}-${count++}` },
    }),
  };
}

if (process.argv[1] === self) {
  console.log(JSON.stringify(await run(await json(process.stdin))));
}

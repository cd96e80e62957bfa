// Starts services in their own processes, and measures them.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../../dist/switchyard.js", import.meta.url));
const emptyEntry = fileURLToPath(new URL("../../dist/.bench/empty.js", import.meta.url));

/** Keys that every service of the benchmark is started with. */
export const keys = {
  SWITCHYARD_CONSOLE_KEY: `console-${"k".repeat(43)}`,
  SWITCHYARD_SERVER_SECRET: `secret-${"s".repeat(43)}`,
};

/** Starts `switchyard serve` on a data directory. */
export function startService(directory) {
  return start([
    main,
    "serve",
    "--listen",
    "0",
    "--data",
    directory,
    "--log-level",
    "warn",
    "--json",
  ]);
}

/** Starts the same app without a store, with one route whose handler does nothing. */
export function startEmpty() {
  return start([emptyEntry]);
}

/** Resolves when the service has printed its URL. */
async function start(args) {
  const begin = performance.now();
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...keys },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const messages = [];
  child.stderr.on("data", (chunk) => messages.push(chunk));
  const exited = new Promise((resolve) => child.on("exit", resolve));
  const url = await Promise.race([
    firstLine(child.stdout).then((line) => JSON.parse(line).url),
    exited.then((code) => {
      throw new Error(
        `${args.join(" ")}\nended with ${code} before it was ready:\n${Buffer.concat(messages)}`,
      );
    }),
  ]);
  return {
    url,
    readyMs: performance.now() - begin,
    peakMb: () => peakMb(child.pid),
    stop: async () => {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

async function firstLine(stream) {
  for await (const line of createInterface({ input: stream })) return line;
  return new Promise(() => {});
}

/** Peak of the resident memory so far; undefined if the system has no /proc. */
function peakMb(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return (Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024) / 1e6;
  } catch {
    return undefined;
  }
}

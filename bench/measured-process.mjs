import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

const usage = new URL("usage.mjs", import.meta.url).href;

/**
 * Runs `node <args>` in a fresh process: wall seconds from its start to its end, CPU seconds of all
 * its threads, peak memory in MB, and what it printed. Throws unless its exit code is 0.
 * `started` is called with its process id.
 */
export async function runMeasured(args, { cwd, env, started = () => {} } = {}) {
  const start = performance.now();
  const child = spawn(process.execPath, ["--import", usage, ...args], {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  started(child.pid);
  const texts = Promise.all([1, 2, 3].map((stream) => text(child.stdio[stream])));
  const code = await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", resolve);
  });
  const seconds = (performance.now() - start) / 1000;
  const [output, messages, used] = await texts;
  if (code !== 0 || used === "")
    throw new Error(`${args.join(" ")}\nended with ${code}:\n${messages}`);
  const { cpuMicroseconds, peakBytes } = JSON.parse(used);
  return { seconds, cpuSeconds: cpuMicroseconds / 1e6, peakMb: peakBytes / 1e6, output };
}

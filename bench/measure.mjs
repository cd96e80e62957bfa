import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const hook = new URL("peak-memory.mjs", import.meta.url).href;
const main = fileURLToPath(new URL("../dist/bin/switchyard.js", import.meta.url));
const rival = fileURLToPath(new URL("duckdb-export.mjs", import.meta.url));

/** The command of each contender: input directory of a kind → directory of days. */
export const contenders = {
  switchyard: (_kind, input, output, threads) => [
    main,
    ...["export", input, "--to", output, "--format", "parquet", "--compression", "snappy"],
    ...["--threads", threads, "--quiet"],
  ],
  duckdb: (kind, input, output, threads) => [rival, kind, input, output, threads],
};

/** Runs one command in a fresh process: seconds from start to end, peak memory in MB. */
export async function measure(args, output, peakFile) {
  rmSync(output, { recursive: true, force: true });
  rmSync(peakFile, { force: true });
  const start = performance.now();
  const child = spawn(process.execPath, ["--import", hook, ...args], {
    env: { ...process.env, BENCH_PEAK_FILE: peakFile },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const messages = [];
  child.stderr.on("data", (chunk) => messages.push(chunk));
  const code = await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  const seconds = (performance.now() - start) / 1000;
  if (code !== 0 || !existsSync(peakFile)) {
    throw new Error(`${args.join(" ")}\nended with ${code}:\n${Buffer.concat(messages)}`);
  }
  const peakMb = (Number(readFileSync(peakFile, "utf8")) * 1024) / 1e6;
  rmSync(output, { recursive: true, force: true });
  return { seconds, peakMb };
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

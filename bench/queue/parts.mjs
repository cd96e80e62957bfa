import { spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";

const OBJECTS_PER_DIRECTORY = 1_000;
const DAYS = 28;
/** A row and its line end. */
export const SPLIT_BYTES = 1_024;

/** Starts a Redis on loopback, without persistence. */
export async function startRedis(directory) {
  mkdirSync(directory, { recursive: true });
  const port = await new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
  const words = `--bind 127.0.0.1 --port ${port} --appendonly no --dir ${directory}`.split(" ");
  const child = spawn("redis-server", [...words, "--save", ""], { stdio: "ignore" });
  const ended = new Promise((resolve, reject) => child.once("exit", resolve).once("error", reject));
  const url = `redis://127.0.0.1:${port}`;
  const client = new Redis(url, { retryStrategy: () => 50 });
  client.on("error", () => undefined);
  const memoryMb = async (name) => {
    const info = await client.info("memory");
    return Number(new RegExp(`^${name}:(\\d+)`, "m").exec(info)[1]) / 1e6;
  };
  const emptyMb = await memoryMb("used_memory");
  return {
    url,
    /** Ends it; returns the peak of what it held more than at its start. */
    async stop() {
      const peakMb = (await memoryMb("used_memory_peak")) - emptyMb;
      client.disconnect();
      child.kill();
      await ended;
      return peakMb;
    },
  };
}

/** Starts a worker; returns once it waits for splits. `stop` lets it end. */
export async function startWorker(main, url, { threads, env, cwd }) {
  const args = [main, "worker", "--queue", url, "--threads", `${threads}`];
  const stdio = ["ignore", "ignore", "pipe"];
  const child = spawn(process.execPath, args, { cwd, env: { ...process.env, ...env }, stdio });
  let messages = "";
  child.stderr.on("data", (chunk) => {
    messages += chunk;
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  while (!messages.includes("waits for splits")) {
    if (child.exitCode !== null) throw new Error(`a worker ended:\n${messages}`);
    await sleep(50);
  }
  return async () => {
    child.kill("SIGTERM");
    if ((await ended) !== 0) throw new Error(`a worker failed:\n${messages}`);
  };
}

/** Writes one row for each split, with the milliseconds that it takes: within 25 % of the mean. */
export function writeTimedRows(file, splits, meanMs) {
  const rows = Array.from({ length: splits }, (_, index) => {
    const ms = Math.round(meanMs * (0.75 + 0.5 * ((index * 0.618_034) % 1)));
    const row = { ...rowOf(index, splits), event_properties: { ms }, padding: "" };
    const left = SPLIT_BYTES - 1 - JSON.stringify(row).length;
    return `${JSON.stringify({ ...row, padding: "x".repeat(left) })}\n`;
  });
  writeFileSync(file, rows.join(""));
}

/** Writes objects of one row each, unless they are there. */
export function writeObjects(directory, count) {
  const done = join(directory, "..", `objects-${count}-are-written`);
  if (existsSync(done)) return;
  for (let index = 0; index < count; index++) {
    const place = join(directory, String(Math.floor(index / OBJECTS_PER_DIRECTORY)));
    if (index % OBJECTS_PER_DIRECTORY === 0) mkdirSync(place, { recursive: true });
    writeFileSync(join(place, `${index}.json`), `${JSON.stringify(rowOf(index, count))}\n`);
  }
  writeFileSync(done, "");
}

function rowOf(index, count) {
  const day = 1 + Math.floor((index * DAYS) / count);
  return {
    event_type: "purchase",
    user_id: `user-${index}`,
    event_time: `2024-02-${String(day).padStart(2, "0")} 12:00:00.000000`,
    uuid: `id-${index}`,
  };
}

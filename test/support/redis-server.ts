import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";

/** A real Redis on loopback, without persistence. */
export interface RedisServer {
  readonly url: string;
  readonly client: Redis;
  /** Ends it with all that it holds. */
  stop(): Promise<void>;
  /** Starts it again on the same port, empty. */
  start(): Promise<void>;
}

/** Returns whether Redis is installed. It has to be in CI, as nothing would be tested. */
export function hasRedis(): boolean {
  const path = process.env["PATH"]?.split(delimiter) ?? [];
  if (path.some((directory) => existsSync(join(directory, "redis-server")))) return true;
  if (process.env["CI"] === "true")
    throw new Error("there is no redis-server: install the package redis-server");
  console.warn(
    "There is no redis-server, so queues are not tested: install the package redis-server.",
  );
  return false;
}

/** Starts a Redis that works in a directory. `options`: as on its command line. */
export async function startRedis(
  directory: string,
  options: readonly string[] = [],
): Promise<RedisServer> {
  mkdirSync(directory, { recursive: true });
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => 50 });
  client.on("error", () => undefined);
  const server: RedisServer = {
    url,
    client,
    async start() {
      const always = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
      child = spawn(
        "redis-server",
        ["--port", String(port), "--dir", directory, ...always, ...options],
        { stdio: "ignore" },
      );
      for (;;) {
        if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}`);
        const answer = await client.ping().catch((error: Error) => error.message);
        // It answers so if it wants a password.
        if (answer === "PONG" || answer.includes("NOAUTH")) return;
        await sleep(20);
      }
    },
    async stop() {
      const ended = new Promise((resolve) => child?.once("exit", resolve));
      child?.kill("SIGKILL");
      await ended;
    },
  };
  await server.start();
  return server;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

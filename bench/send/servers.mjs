// The servers that receive, each in its own process.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { startService } from "../service/process.mjs";

const entry = fileURLToPath(new URL("server.mjs", import.meta.url));

/** Answers every request at once. */
export async function startInstant() {
  const child = spawn(process.execPath, [entry], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = new Promise((resolve) => child.on("exit", resolve));
  const url = await new Promise((resolve) => {
    child.stdout.once("data", (chunk) => resolve(String(chunk).trim()));
  });
  return {
    url,
    async stop() {
      child.kill();
      await exited;
    },
  };
}

/** Our own service, which syncs every event to the disk before it answers. */
export { startService };

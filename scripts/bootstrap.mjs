// Makes a fresh clone runnable: installs when the lock file is newer than what is installed, then
// builds. Plain Node on purpose: it runs before any dependency exists.
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const modifiedMs = (path) => (existsSync(root + path) ? statSync(root + path).mtimeMs : 0);

function run(command, args) {
  const result = spawnSync(command, args, { cwd: root, stdio: ["ignore", 2, 2] });
  if (result.error) throw result.error;
  if (result.status !== 0) process.exit(result.status ?? 1);
}

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Switchyard needs Node 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(1);
}
if (modifiedMs("package-lock.json") > modifiedMs("node_modules/.package-lock.json")) {
  const npm = process.env.npm_execpath;
  run(npm ? process.execPath : "npm", [...(npm ? [npm] : []), "ci", "--no-audit", "--no-fund"]);
}
run(process.execPath, ["scripts/build.mjs"]);

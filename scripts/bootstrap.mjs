// Makes a fresh clone runnable: installs if the lock file is newer than what is installed, then builds.
// Prints a line for each step; the first argument that is not an option is the line of the step after it.
// Plain Node, as it runs before any dependency exists.
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const isOption = (argument) => argument.startsWith("--");
const options = process.argv.slice(2).filter(isOption);
const next = process.argv.slice(2).find((argument) => !isOption(argument));

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Switchyard needs Node 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(1);
}
if (modifiedMs("package-lock.json") > modifiedMs("node_modules/.package-lock.json")) {
  console.error("Installing packages (10 seconds to a minute) …");
  const npm = process.env.npm_execpath;
  run(npm ? process.execPath : "npm", [
    ...(npm ? [npm] : []),
    "ci",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ]);
}
run(process.execPath, ["scripts/build.mjs", ...options]);
if (next !== undefined) console.error(`${next} …`);

function modifiedMs(path) {
  return existsSync(root + path) ? statSync(root + path).mtimeMs : 0;
}

function run(command, args) {
  const result = spawnSync(command, args, { cwd: root, stdio: ["ignore", 2, 2] });
  if (result.error) throw result.error;
  if (result.status !== 0) process.exit(result.status ?? 1);
}

// Other builds of this project, to compare with.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { benchDirectory, log } from "../command.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Returns the command's file of a built checkout, of its `dist`, or of a commit, which is built below .bench/. */
export function mainOf(build) {
  if (!existsSync(build)) return mainOf(buildCommit(build));
  const inDist = join(resolve(build), "switchyard.js");
  if (existsSync(inDist)) return inDist;
  if (!existsSync(join(build, "package.json")))
    throw new Error(`${build} is no checkout of this project, and no dist of one`);
  const { bin } = JSON.parse(readFileSync(join(build, "package.json"), "utf8"));
  const main = join(resolve(build), bin.switchyard);
  if (!existsSync(main)) throw new Error(`${main} does not exist: build that checkout first`);
  return main;
}

function buildCommit(name) {
  const commit = run("git", ["rev-parse", "--verify", `${name}^{commit}`], root).trim();
  const checkout = join(benchDirectory, "builds", commit);
  if (existsSync(join(checkout, "dist", "switchyard.js"))) return checkout;
  log(`building ${name}`);
  mkdirSync(checkout, { recursive: true });
  run("git", ["archive", "--output", `${checkout}.tar`, commit], root);
  run("tar", ["-xf", `${checkout}.tar`, "-C", checkout], root);
  rmSync(`${checkout}.tar`);
  symlinkSync(join(root, "node_modules"), join(checkout, "node_modules"));
  run(process.execPath, ["scripts/build.mjs", "--no-types"], checkout);
  return checkout;
}

function run(command, args, cwd) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${stderr}`);
  return stdout;
}

import { execFile } from "node:child_process";
import { copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { isCi } from "../support/property-runs.js";
import { scratchDirectory } from "../support/scratch.js";
import { watchOutput } from "../support/secret-watch.js";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const root = scratchDirectory("package");
const inCi = test.runIf(isCi);

interface LockFile {
  readonly lockfileVersion: number;
  readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
}

/**
 * A project that depends on the tarball, locked to the versions that are installed here, so that npm
 * finds them in its cache.
 */
async function writeProject(directory: string, tarball: string): Promise<void> {
  const dependencies = { switchyard: `file:${tarball}` };
  await writeFile(path.join(directory, "package.json"), JSON.stringify({ dependencies }));
  const text = await readFile(path.join(repository, "package-lock.json"), "utf8");
  const { lockfileVersion, packages } = JSON.parse(text) as LockFile;
  const ours = Object.entries(packages).filter(([name, { dev }]) => name !== "" && dev !== true);
  const switchyard = { ...packages[""], resolved: `file:${tarball}` };
  const lock = {
    lockfileVersion,
    packages: {
      "": { dependencies },
      "node_modules/switchyard": switchyard,
      ...Object.fromEntries(ours),
    },
  };
  await writeFile(path.join(directory, "package-lock.json"), JSON.stringify(lock));
}

/** Variables of the npm that runs these tests; the source of packages stays. */
function isOfOuterNpm(name: string): boolean {
  return (
    /^npm_/i.test(name) && !/^npm_config_(registry|cache|userconfig|cafile|.*proxy)$/i.test(name)
  );
}

/** Standard output of npm, watched for keys; throws with its errors where it fails. */
async function npm(words: readonly string[], cwd: string): Promise<string> {
  const settings = { npm_config_prefer_offline: "true", npm_config_loglevel: "error" };
  const inherited = Object.entries(process.env).filter(([name]) => !isOfOuterNpm(name));
  const env = { ...Object.fromEntries(inherited), ...settings };
  const { stdout, stderr } = await promisify(execFile)("npm", [...words], { cwd, env });
  watchOutput(`npm ${words.join(" ")}`, () => stdout + stderr);
  return stdout;
}

inCi("the packed package installs elsewhere and runs", { timeout: 180_000 }, async () => {
  // The scripts would build what other tests are using.
  await npm(["pack", "--ignore-scripts", "--pack-destination", root], repository);
  const [tarball = ""] = (await readdir(root)).filter((name) => name.endsWith(".tgz"));
  const project = path.join(root, "project");
  await mkdir(project);
  await copyFile(path.join(root, tarball), path.join(project, tarball));
  await writeProject(project, tarball);
  await npm(["ci", "--engine-strict", "--ignore-scripts", "--no-audit", "--no-fund"], project);

  const installed = path.join(project, "node_modules/switchyard");
  expect((await readdir(installed)).sort()).toEqual([
    "CHANGELOG.md",
    "LICENSE",
    ...(await readdir(repository)).filter((name) => name === "README.md"),
    "dist",
    "docs",
    "package.json",
    "pipeline.schema.json",
    "report.schema.json",
  ]);
  const { version } = JSON.parse(await readFile(path.join(installed, "package.json"), "utf8"));
  expect(await npm(["exec", "--", "switchyard", "--version"], project)).toBe(`${version}\n`);
  const input = path.join(repository, "fixtures/sample/csv/events.csv");
  const words = ["export", input, "--to", "out", "--max-time", "2027-01-01", "--json"];
  const result = JSON.parse(await npm(["exec", "--", "switchyard", ...words], project));
  expect(result).toMatchObject({ exitCode: 0, rows: { read: 250, delivered: 250 } });
});

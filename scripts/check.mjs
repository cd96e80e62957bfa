// Checks types, lint, format, lengths and the imports between modules, in parallel. Prints all findings.
// Remembers in dist/ what it has found good: a second check looks at what has changed since.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { changedSince, fileDigests, importDigest } from "./check-state.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = (path) => `${root}node_modules/${path}`;
const stateFile = `${root}dist/.check.json`;

// TypeScript 7 needs a third of the time. Where npm has no binary of it for a platform, 5.9 checks.
const native = bin(`@typescript/typescript-${process.platform}-${process.arch}`);
const tsc = existsSync(native) ? bin("typescript-7/bin/tsc") : bin("typescript/bin/tsc");
const types = (project, name, ...options) => [
  tsc,
  [
    "-p",
    project,
    "--incremental",
    "--tsBuildInfoFile",
    `dist/.check-${name}.tsbuildinfo`,
    ...options,
  ],
];

const before = existsSync(stateFile) ? JSON.parse(readFileSync(stateFile, "utf8")) : {};
const files = fileDigests(root);
const changed = changedSince(before.files, files);
const imports = importDigest(root);

const checks = [
  ["types", ...types("tsconfig.json", "all")],
  // Finds what declarations cannot name, which only building the types would find.
  ["declarations", ...types("tsconfig.build.json", "declarations", "--noEmit")],
  ["types of the pages", ...types("tsconfig.browser.json", "page")],
];
// Each rule looks at one file alone, so that a file without a change has no new finding.
if (changed.length > 0) {
  const options = ["check", "--error-on-warnings", "--no-errors-on-unmatched"];
  checks.push(["lint and format", bin("@biomejs/biome/bin/biome"), [...options, ...changed]]);
}
if (imports !== before.imports) {
  checks.push(["modules", bin("dependency-cruiser/bin/dependency-cruise.mjs"), ["src"]]);
}

const failed = (await Promise.all(checks.map(run))).filter((name) => name !== undefined);
const has = (name) => failed.includes(name);
mkdirSync(`${root}dist`, { recursive: true });
const state = {
  files: has("lint and format") ? before.files : files,
  imports: has("modules") ? before.imports : imports,
};
writeFileSync(stateFile, JSON.stringify(state));
console.log(
  failed.length === 0
    ? "Checked: no findings."
    : `Checked: ${failed.length} of ${checks.length} failed.`,
);
process.exit(failed.length === 0 ? 0 : 1);

/** Runs a check, prints its findings, and resolves with its name if it has some. */
function run([name, script, args]) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [script, ...args], { cwd: root });
    const chunks = [];
    child.stdout.on("data", (chunk) => chunks.push(chunk));
    child.stderr.on("data", (chunk) => chunks.push(chunk));
    child.on("close", (code) => {
      if (code !== 0) console.log(`--- ${name}\n${Buffer.concat(chunks)}`);
      resolve(code === 0 ? undefined : name);
    });
  });
}

// Checks types, lint, format, lengths and the imports between modules, in parallel. Prints all findings.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = (path) => `${root}node_modules/${path}`;
const checks = [
  [
    "types",
    bin("typescript/bin/tsc"),
    ["-p", "tsconfig.json", "--incremental", "--tsBuildInfoFile", "dist/.check.tsbuildinfo"],
  ],
  // Finds what declarations cannot name, which only building the types would find.
  ["declarations", bin("typescript/bin/tsc"), ["-p", "tsconfig.build.json", "--noEmit"]],
  ["types of the page", bin("typescript/bin/tsc"), ["-p", "src/page/tsconfig.json"]],
  ["lint and format", bin("@biomejs/biome/bin/biome"), ["check", "--error-on-warnings"]],
  ["modules", bin("dependency-cruiser/bin/dependency-cruise.mjs"), ["src"]],
];

const codes = await Promise.all(
  checks.map(
    ([name, script, args]) =>
      new Promise((resolve) => {
        const child = spawn(process.execPath, [script, ...args], { cwd: root });
        const chunks = [];
        child.stdout.on("data", (chunk) => chunks.push(chunk));
        child.stderr.on("data", (chunk) => chunks.push(chunk));
        child.on("close", (code) => {
          if (code !== 0) console.log(`--- ${name}\n${Buffer.concat(chunks)}`);
          resolve(code);
        });
      }),
  ),
);
const failed = codes.filter((code) => code !== 0).length;
console.log(
  failed === 0 ? "Checked: no findings." : `Checked: ${failed} of ${codes.length} failed.`,
);
process.exit(failed === 0 ? 0 : 1);

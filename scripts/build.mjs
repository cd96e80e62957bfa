// Builds dist/: where their members lie and the kernels to WebAssembly, the rest with the TypeScript compiler, the page of reports,
// the data files that the code reads at run time, and the bundle that users run. Steps whose inputs did
// not change are skipped.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { writeLayouts } from "./layouts.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);

const run = (script, args) => {
  const result = spawnSync(process.execPath, [script, ...args], { stdio: ["ignore", 2, 2] });
  if (result.status !== 0) process.exit(result.status ?? 1);
};
const modifiedMs = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);
const filesIn = (directory) =>
  readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`);
const newestMs = (files) => Math.max(...files.map(modifiedMs));

writeLayouts();
mkdirSync("dist/kernels", { recursive: true });
const wasm = "dist/kernels/kernels.wasm";
if (modifiedMs(wasm) < newestMs([...filesIn("src/kernels"), "scripts/build.mjs"])) {
  run("node_modules/assemblyscript/bin/asc.js", [
    "src/kernels/index.ts",
    "--outFile",
    wasm,
    ...["-O3", "--noAssert", "--runtime", "stub", "--enable", "simd"],
    // Names of functions, for profiles: 5 KB more, and the same code byte for byte.
    "--debug",
    ...["--initialMemory", "16", "--maximumMemory", "32767"],
  ]);
}
run("node_modules/typescript/bin/tsc", ["-p", "tsconfig.build.json"]);

// npm writes it anew whenever packages change, which are in the page and in the bundle.
const installed = "node_modules/.package-lock.json";
const page = ["dist/report/html/page.css", "dist/report/html/page.js"];
const pageInputs = [
  ...filesIn("src/report"),
  "src/profile/report.ts",
  "scripts/bundle-page.mjs",
  "scripts/licenses.mjs",
  installed,
];
if (Math.min(...page.map(modifiedMs)) < newestMs(pageInputs)) run("scripts/bundle-page.mjs", []);
cpSync("src/mapper/presets", "dist/mapper/presets", { recursive: true });

const modules = filesIn("dist").filter(
  (file) => !file.startsWith("dist/bin/") && !basename(file).startsWith("."),
);
// What is left of sources that are gone must not be packed. Only such files are removed, one by one, as
// others may be running what is in dist/.
for (const file of modules) {
  const source = file.replace(/^dist/, "src").replace(/(\.d\.ts|\.js)(\.map)?$/, ".ts");
  if (file !== wasm && !page.includes(file) && !existsSync(source)) rmSync(file, { force: true });
}

const bundleInputs = [
  ...modules.filter((file) => file.endsWith(".js")),
  "scripts/bundle.mjs",
  "scripts/licenses.mjs",
  installed,
];
// Of all files of the bundle this one is written last.
if (modifiedMs("dist/bin/LICENSES.txt") < newestMs(bundleInputs)) run("scripts/bundle.mjs", []);

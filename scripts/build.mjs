// Builds dist/: kernels, the pages of reports and of the API, the bundle and the library's types. Each step prints a line.
// Steps whose inputs have not changed are skipped. `--no-types` leaves out the types, which only
// TypeScript programs that import the library need.
import { spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);
if (!existsSync("node_modules/rolldown")) {
  console.error("Nothing is installed: run npm install first.");
  process.exit(1);
}
const { writeKernelExports } = await import("./kernel-exports.mjs");
const { writeLayouts } = await import("./layouts.mjs");
const { bundleApiPage } = await import("./bundle-api-page.mjs");
const { bundleConsolePage, bundleReportPage } = await import("./bundle-page.mjs");
const { bundle, external } = await import("./bundle.mjs");
const consoleTypes = await import("./console-types.mjs");
const libraryTypes = await import("./library-types.mjs");
const { writeSbom } = await import("./sbom.mjs");
const { createProgram } = await import("./type-printer.mjs");

const kernels = "dist/assets/kernels.wasm";
const types = "dist/types";
/** Declarations of all modules that the library imports; the package has those that its users need. */
const allTypes = "dist/.types";
const typesInfo = "dist/.types.tsbuildinfo";

writeLayouts();
writeKernelExports();
mkdirSync("dist/assets", { recursive: true });
const bundles = [
  step("the page of reports", bundleReportPage),
  step("the web console", bundleConsolePage),
  step("the page of the API", bundleApiPage),
  step("the command and the library", bundle),
];
const steps = [
  buildKernels(),
  ...(process.argv.includes("--no-types") ? [] : [buildTypes()]),
  Promise.all(bundles).then((packages) => writeSbom(packages.flat())),
];
const results = await Promise.allSettled(steps);
for (const { reason } of results) if (reason) console.error(reason);
process.exitCode = results.some(({ reason }) => reason) ? 1 : 0;

async function step(name, run) {
  console.error(`Building ${name} …`);
  return run();
}

async function buildKernels() {
  if (modifiedMs(kernels) >= newestMs([...filesIn("src/kernels"), "scripts/build.mjs"])) return;
  const options = [
    // Names of functions, for profiles: 5 KB more, and the same code byte for byte.
    "-O3 --noAssert --runtime stub --enable simd --debug",
    "--initialMemory 16 --maximumMemory 32767",
  ];
  await step("the kernels", () =>
    run("node_modules/assemblyscript/bin/asc.js", [
      "src/kernels/index.ts",
      "--outFile",
      kernels,
      ...options.join(" ").split(" "),
    ]),
  );
}

async function buildTypes() {
  if (modifiedMs(typesInfo) >= newestMs([...filesIn("src"), "pipeline.schema.json"])) return;
  await step("the types of the library", async () => {
    const config = ["-p", "tsconfig.build.json", "--tsBuildInfoFile", typesInfo];
    const output = ["--outDir", allTypes, "--incremental"];
    if (!existsSync(allTypes)) rmSync(typesInfo, { force: true });
    await run("node_modules/typescript/bin/tsc", [...config, ...output]);
    rmSync(types, { recursive: true, force: true });
    const program = createProgram([consoleTypes.entry, libraryTypes.entry]);
    consoleTypes.writeConsoleTypes(program);
    libraryTypes.writeLibraryTypes(program);
    copyImports(`${types}/console/client.d.ts`);
    copyTypes("index.js");
  });
}

/** Copies the declarations of a module and of those that it imports, unless they are there. */
function copyTypes(module) {
  const name = module.replace(/\.js$/, ".d.ts");
  const target = join(types, name);
  if (existsSync(target)) return;
  cpSync(join(allTypes, name), target);
  copyImports(target);
}

/** Throws for a library that the package does not depend on. */
function copyImports(file) {
  for (const [, path] of readFileSync(file, "utf8").matchAll(/(?:from |import\()"([^"]+)"/g)) {
    if (path.startsWith(".")) copyTypes(relative(types, resolve(dirname(file), path)));
    else if (!external.includes(path)) throw new Error(`${file} imports types of ${path}`);
  }
}

function run(script, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", 2, 2] });
    child.on("error", reject);
    child.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(`${script} failed`))));
  });
}

function newestMs(files) {
  return Math.max(...files.map(modifiedMs));
}

function modifiedMs(path) {
  return existsSync(path) ? statSync(path).mtimeMs : 0;
}

function filesIn(directory) {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`);
}

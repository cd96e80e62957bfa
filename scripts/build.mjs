// Builds dist/: the kernels to WebAssembly, the rest with the TypeScript compiler, then the data
// files that the code reads at run time. Steps whose inputs did not change are skipped.
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);

const run = (script, args) => {
  const result = spawnSync(process.execPath, [script, ...args], { stdio: ["ignore", 2, 2] });
  if (result.status !== 0) process.exit(result.status ?? 1);
};
const newestMs = (directory) =>
  Math.max(
    ...readdirSync(directory, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(`${entry.parentPath}/${entry.name}`).mtimeMs),
  );

mkdirSync("dist/kernels", { recursive: true });
const wasm = "dist/kernels/kernels.wasm";
if (
  !existsSync(wasm) ||
  statSync(wasm).mtimeMs < Math.max(newestMs("src/kernels"), statSync("scripts/build.mjs").mtimeMs)
) {
  run("node_modules/assemblyscript/bin/asc.js", [
    "src/kernels/index.ts",
    "--outFile",
    wasm,
    ...["-O3", "--noAssert", "--runtime", "stub", "--enable", "simd"],
    ...["--initialMemory", "16", "--maximumMemory", "16384"],
  ]);
}
run("node_modules/typescript/bin/tsc", ["-p", "tsconfig.build.json"]);
cpSync("src/mapper/presets", "dist/mapper/presets", { recursive: true });
// What is left of sources that are gone must not be packed. Only such files are removed, one by one, as
// others may be running what is in dist/.
for (const entry of readdirSync("dist", { withFileTypes: true, recursive: true })) {
  if (!entry.isFile() || entry.name.startsWith(".")) continue;
  const file = `${entry.parentPath}/${entry.name}`;
  const source = file.replace(/^dist/, "src").replace(/(\.d\.ts|\.js)(\.map)?$/, ".ts");
  if (file !== wasm && !existsSync(source)) rmSync(file, { force: true });
}
if (existsSync("dist/cli/main.js")) chmodSync("dist/cli/main.js", 0o755);

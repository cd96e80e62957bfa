// node scripts/count-files.mjs [checkout]: the figures of ARCHITECTURE.md for a built checkout.
// A file counts as executed if at least one of its functions ran, in any thread. V8's coverage of the
// bundle says which functions ran, and the source maps say which file each is from.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { SourceMap } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL("..", import.meta.url));
const checkout = resolve(process.argv[2] ?? here);
const { bin, dependencies } = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8"));
const main = join(checkout, bin.switchyard);
const key = `console-${"k".repeat(43)}`;
const scratch = mkdtempSync(join(tmpdir(), "count-files-"));

/** Makes the process write its coverage, and begin another one, when it gets a signal. */
const onSignal = 'import v8 from "node:v8"; process.on("SIGUSR2", () => v8.takeCoverage());';
const COVERAGE_WAIT_MS = 1_000;

const exported = await filesOfExport();
const patched = await filesOfPatch();
rmSync(scratch, { recursive: true });
for (const files of [exported, patched]) console.error([...files].sort().join("\n"), "\n");
console.log("| room | files | lines |\n|---|---:|---:|");
for (const [module, { files, lines }] of modules())
  console.log(`| ${module} | ${files} | ${lines} |`);
console.log(`
production packages: ${Object.keys(dependencies).length}
files executed by an export of one NDJSON file: ${exported.size}
files executed by a PATCH of a gate: ${patched.size}`);

/** Module → files and lines of TypeScript; `kernels` is AssemblyScript. */
function modules() {
  const found = new Map();
  const names = readdirSync(join(checkout, "src"), { recursive: true, encoding: "utf8" });
  for (const name of names.filter((file) => /\.tsx?$/.test(file))) {
    const lines = readFileSync(join(checkout, "src", name), "utf8").split("\n").length - 1;
    for (const module of [name.includes("/") ? name.split("/")[0] : name, "~ all"]) {
      const count = found.get(module) ?? { files: 0, lines: 0 };
      found.set(module, { files: count.files + 1, lines: count.lines + lines });
    }
  }
  return [...found].sort(([one], [other]) => (one < other ? -1 : 1));
}

async function filesOfExport() {
  const input = join(here, "fixtures/traps/json-line-ends/input");
  const words = ["export", input, "--to", join(scratch, "out"), "--quiet"];
  const coverage = join(scratch, "export");
  const child = start(words, coverage);
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`the export ended with ${code}`);
  return executed(coverage, readdirSync(coverage));
}

async function filesOfPatch() {
  const coverage = join(scratch, "serve");
  const words = ["serve", "--listen", "0", "--data", join(scratch, "data"), "--json"];
  const child = start(words, coverage);
  const [line] = await once(child.stdout, "data");
  const { url } = JSON.parse(String(line).split("\n")[0]);
  const call = async (method, path, body) => {
    const headers = { "SERVICE-API-KEY": key, "content-type": "application/json" };
    const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`);
    return answer.json();
  };
  const take = async () => {
    child.kill("SIGUSR2");
    await wait(COVERAGE_WAIT_MS);
    return readdirSync(coverage);
  };
  const { data } = await call("POST", "/console/v1/gates", { name: "Gate" });
  const before = await take();
  await call("PATCH", `/console/v1/gates/${data.id}`, { description: "changed" });
  const after = await take();
  child.kill("SIGTERM");
  await once(child, "exit");
  return executed(
    coverage,
    after.filter((name) => !before.includes(name)),
  );
}

function start(words, coverage) {
  mkdirSync(coverage);
  return spawn(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(onSignal)}`, main, ...words],
    {
      cwd: scratch,
      env: { ...process.env, NODE_V8_COVERAGE: coverage, SWITCHYARD_CONSOLE_KEY: key },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
}

/** Paths below src/ of the files that the coverage files name, without extension. */
function executed(directory, names) {
  const reports = names.map((name) => JSON.parse(readFileSync(join(directory, name), "utf8")));
  const scripts = reports
    .flatMap(({ result }) => result)
    .filter(({ url }) => url.startsWith("file:") && existsSync(`${fileURLToPath(url)}.map`));
  return new Set(scripts.flatMap(executedFiles));
}

function executedFiles({ url, functions }) {
  const path = fileURLToPath(url);
  const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, "utf8")));
  const lineStarts = [0];
  for (const { index } of readFileSync(path, "utf8").matchAll(/\n/g)) lineStarts.push(index + 1);
  const fileAt = (offset) => {
    const line = lineStarts.findLastIndex((start) => start <= offset);
    const { originalSource = "" } = map.findEntry(line, offset - lineStarts[line]);
    return /^(?:\.\.\/)+(?:src\/)?((?!node_modules).+)\.[jt]s$/.exec(originalSource)?.[1];
  };
  return functions
    .filter(({ functionName, ranges }) => functionName !== "" && ranges[0].count > 0)
    .map(({ ranges }) => fileAt(ranges[0].startOffset))
    .filter((file) => file !== undefined && !file.includes("node_modules"));
}

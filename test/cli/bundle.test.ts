import { readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { runSwitchyard } from "../support/command-line.js";
import { scratchDirectory } from "../support/scratch.js";
import { killServicesAfterEach, startServiceProcess } from "../support/service-process.js";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const dist = pathToFileURL(join(repository, "dist/")).href;
const bundle = join(repository, "dist/bin");
const root = scratchDirectory("bundle");

killServicesAfterEach();

const texts = new Map(
  readdirSync(bundle)
    .filter((name) => name.endsWith(".js"))
    .map((name) => [name, readFileSync(join(bundle, name), "utf8")]),
);

interface Coverage {
  readonly result: readonly { readonly url: string }[];
}

/** What Node loaded of ours, in all threads, as paths in dist/. */
function loaded(coverageDirectory: string): Set<string> {
  const reports = readdirSync(coverageDirectory).map(
    (name) => JSON.parse(readFileSync(join(coverageDirectory, name), "utf8")) as Coverage,
  );
  const urls = reports.flatMap(({ result }) => result.map(({ url }) => url));
  return new Set(urls.filter((url) => url.startsWith(dist)).map((url) => url.slice(dist.length)));
}

function outsideOfBundle(paths: ReadonlySet<string>): readonly string[] {
  return [...paths].filter((path) => !path.startsWith("bin/"));
}

function matchesIn(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, found = ""]) => found);
}

function post(body: unknown): RequestInit {
  const headers = { "content-type": "application/json" };
  return { method: "POST", headers, body: JSON.stringify(body) };
}

test("help and version load no engine, no service and no configuration", async () => {
  const NODE_V8_COVERAGE = join(root, "version");
  const { exitCode } = await runSwitchyard(["--version"], { env: { NODE_V8_COVERAGE } });
  expect(exitCode).toBe(0);
  const paths = loaded(NODE_V8_COVERAGE);
  expect(paths).toContain("bin/switchyard.js");
  expect(outsideOfBundle(paths)).toEqual([]);
  for (const name of ["engine", "run-steps", "run-serve", "configuration"]) {
    expect(paths).not.toContain(`bin/${name}.js`);
  }
});

test("an export and its threads run from the bundle, without the service", async () => {
  const NODE_V8_COVERAGE = join(root, "export");
  const input = join(repository, "fixtures/sample/csv/events.csv");
  const words = ["export", input, "--to", join(root, "out"), "--max-time", "2027-01-01"];
  const { exitCode } = await runSwitchyard(words, { env: { NODE_V8_COVERAGE } });
  expect(exitCode).toBe(0);
  const paths = loaded(NODE_V8_COVERAGE);
  expect([...paths]).toEqual(expect.arrayContaining(["bin/engine.js", "bin/split-worker.js"]));
  expect(outsideOfBundle(paths)).toEqual([]);
  expect(paths).not.toContain("bin/run-serve.js");
});

test("the service, its thread and its processes run from the bundle, without the engine", async () => {
  const NODE_V8_COVERAGE = join(root, "serve");
  const key = `console-${"k".repeat(43)}`;
  const env = { NODE_V8_COVERAGE, SWITCHYARD_CONSOLE_KEY: key };
  const service = await startServiceProcess(join(root, "data"), { env });
  // Checked in a process, which is killed and reports nothing.
  const schema = '{"required": ["color"]}';
  const body = { name: "Color", schema, defaultValue: { size: 1 } };
  expect(await service.call("/console/v1/dynamic_configs", key, post(body))).toMatchObject({
    status: 400,
    json: { errors: [{ errorMessage: expect.stringContaining("does not fit the schema") }] },
  });
  expect(await service.stop()).toBe(0);
  const paths = loaded(NODE_V8_COVERAGE);
  expect([...paths]).toEqual(
    expect.arrayContaining(["bin/run-serve.js", "bin/event-writer-thread.js"]),
  );
  expect(outsideOfBundle(paths)).toEqual([]);
  expect(paths).not.toContain("bin/engine.js");
});

test("threads and processes start from files of the bundle", () => {
  const files = [...texts.values()].flatMap((text) =>
    matchesIn(text, /new URL\("(\.\/[^"]+\.js)", import\.meta\.url\)(?!\.href)/g),
  );
  expect(files.sort()).toEqual([
    "./count-worker.js",
    "./decode-thread.js",
    "./event-writer-thread.js",
    "./schema-checker-process.js",
    "./scout-thread.js",
    "./send-worker.js",
    "./split-worker.js",
    "./validate-worker.js",
  ]);
  expect([...texts.keys()]).toEqual(expect.arrayContaining(files.map((file) => file.slice(2))));
});

test("the bundle imports itself, Node and two packages, and nothing else", () => {
  const imported = [...texts.values()].flatMap((text) => [
    ...matchesIn(text, /^(?:import|export)\b[^"'`]*?"([^"]+)";$/gm),
    ...matchesIn(text, /\bimport\("([^"]+)"\)/g),
  ]);
  const others = new Set(imported.filter((name) => !isBuiltin(name)));
  const own = new Set([...texts.keys()].map((name) => `./${name}`));
  expect([...others].filter((name) => !own.has(name))).toEqual(["libsql"]);
  // Taken anew after it has failed, so it is required.
  expect([...texts.values()].join()).toContain('require("parquet-wasm/node")');
});

test("every package in the bundle is named with its licence", () => {
  const packages = new Set(
    [...texts.values()].flatMap((text) =>
      matchesIn(text, /^\s*\/\/ \S*node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\/\S+$/gm),
    ),
  );
  expect(packages.size).toBeGreaterThan(20);
  const licenses = readFileSync(join(bundle, "LICENSES.txt"), "utf8");
  const named = new Set(matchesIn(licenses, /^-{80}\n(\S+) \S+ \([^)]+\)$/gm));
  expect([...packages].filter((name) => !named.has(name))).toEqual([]);
});

test("none of our classes of errors is renamed: what is printed and logged has its name", () => {
  const ours = readdirSync(new URL("../../src", import.meta.url), { recursive: true })
    .filter((file) => String(file).endsWith(".ts"))
    .map((file) => readFileSync(new URL(`../../src/${String(file)}`, import.meta.url), "utf8"))
    .flatMap((text) => matchesIn(text, /^export class (\w+Error)\b/gm));
  expect(ours).toContain("SwitchyardError");
  // Libraries with classes of one name set the names of theirs themselves.
  const renamed = [...texts.values()].flatMap((text) =>
    matchesIn(text, /\bvar (\S+)\$\d+ = class\b/g),
  );
  expect(ours.filter((name) => renamed.includes(name))).toEqual([]);
});

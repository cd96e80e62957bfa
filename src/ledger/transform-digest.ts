import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { init, parse } from "es-module-lexer";
import { UsageError } from "../base/errors.js";

/**
 * Returns a digest of a transform module and of everything that it imports: files by their content,
 * packages by their version. It is that of the file alone if it imports nothing. Imports whose name
 * is computed are not seen. Throws `UsageError` (`transform_unreadable`).
 */
export async function digestTransform(module: string): Promise<string> {
  await init;
  const path = resolve(module);
  const files = new Map([[path, digest(readModule(path))]]);
  const packages = new Set<string>();
  // A map that grows is walked to its end.
  for (const file of files.keys()) {
    for (const specifier of importsOf(file)) {
      const imported = resolveFile(specifier, file);
      if (imported === undefined) packages.add(packageOf(specifier, dirname(file)));
      else if (!files.has(imported)) files.set(imported, digest(readModule(imported)));
    }
  }
  const own = files.get(path) ?? "";
  if (files.size === 1 && packages.size === 0) return own;
  const nameOf = (file: string) => relative(dirname(path), file).replaceAll(sep, "/");
  const named = [...files].map(([file, content]) => `${nameOf(file)} ${content}`);
  return digest(JSON.stringify([own, named.sort(), [...packages].sort()]));
}

function readModule(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(
      "transform_unreadable",
      `cannot read the transform module ${path}: ${(error as Error).message}`,
      { cause: error },
    );
  }
}

/** Returns the names that a module imports or requires, without those of Node.js. */
function importsOf(file: string): readonly string[] {
  if (!/\.[cm]?[jt]s$/.test(file)) return [];
  const text = readModule(file).toString();
  const required = [...text.matchAll(/\brequire\s*\(\s*["']([^"']+)["']\s*\)/g)].map(
    ([, name]) => name,
  );
  const names = [...importedBy(text), ...required];
  return names.filter((name): name is string => name !== undefined && !isBuiltin(name));
}

function importedBy(text: string): readonly (string | undefined)[] {
  try {
    return parse(text)[0].map(({ n: name }) => name);
  } catch {
    // The error that Node.js throws when it loads the module says more.
    return [];
  }
}

/** Returns the path of an imported file; undefined for a package, and for what does not exist. */
function resolveFile(specifier: string, importer: string): string | undefined {
  if (!/^(?:\.{0,2}\/|\.{1,2}$|file:|#)/.test(specifier)) return undefined;
  const url = pathToFileURL(importer);
  const named = specifier.startsWith("#") ? undefined : fileURLToPath(new URL(specifier, url));
  if (named !== undefined && /\.[a-z]+$/i.test(named) && existsSync(named)) return named;
  try {
    return createRequire(url).resolve(specifier);
  } catch {
    return undefined;
  }
}

/** Returns name and version of a package, or the specifier if none is installed. */
function packageOf(specifier: string, directory: string): string {
  const [name = ""] = /^(?:@[^/]+\/)?[^/]+/.exec(specifier) ?? [];
  for (let from = directory; ; from = dirname(from)) {
    const file = join(from, "node_modules", name, "package.json");
    if (existsSync(file)) return `${name}@${JSON.parse(readFileSync(file, "utf8")).version}`;
    if (from === dirname(from)) return specifier;
  }
}

function digest(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

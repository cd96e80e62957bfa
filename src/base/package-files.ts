import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

// Resolving the package by its own name works from dist/ in production and from src/ in tests.
const require = createRequire(import.meta.url);
const root = pathToFileURL(require.resolve("switchyard/package.json"));

/** The version of this package. */
export const version: string = require("switchyard/package.json").version;

/** Returns the URL of a file that the build makes: a worker's entry, or an asset below `assets/`. */
export function builtFile(path: string): URL {
  return new URL(`dist/${path}`, root);
}

/**
 * Loads a library that the build puts into a file of its own (`libraries` in `scripts/bundle.mjs`). It is
 * for synchronous code that needs the library in few runs. Elsewhere use `import()`, which the bundler follows.
 */
export function requireBuilt<T>(file: string): T {
  return require(fileURLToPath(builtFile(file))) as T;
}

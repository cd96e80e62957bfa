import { existsSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const modules = new URL("../../node_modules/", import.meta.url);

/**
 * Returns whether the official packages are installed. They have to be in CI, as nothing would be tested;
 * elsewhere only those who change evaluation need them.
 */
export function hasPackages(...names: readonly string[]): boolean {
  const missing = names.filter((name) => !existsSync(new URL(`${name}/package.json`, modules)));
  if (missing.length === 0) return true;
  const list = missing.join(" ");
  if (process.env["CI"] === "true") throw new Error(`not installed: ${list}`);
  console.warn(`SDKs are not tested: npm install --no-save ${list}`);
  return false;
}

/** Loads a package that has no types here. */
export function load<Module>(name: string): Module {
  return require(name) as Module;
}

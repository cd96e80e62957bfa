// The memory of the check: digests of files, and of all import statements of src/.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Directories without a file that Biome checks, beside those whose name begins with a dot. */
const skipped = ["node_modules", "dist", "out", "report", "fixtures", "src/kernels"];
const checked = /\.([cm]?[jt]sx?|jsonc?|css|html|grit)$/;
/** Files that decide what is a finding: a change of one of them is a change of all. */
const rulesOfLint = ["biome.json", "scripts/literal-spreads.grit", "package-lock.json"];
const rulesOfModules = [".dependency-cruiser.cjs", "tsconfig.json", "package-lock.json"];
/** Each module that a statement or a type names; comments and texts that look alike do no harm. */
const named = /\b(?:from|import|require)\b[\s(]*(["'`])[^"'`]*\1/g;

/** Returns the digest of each file that Biome may check, by path. */
export function fileDigests(root) {
  const rules = digestOf(rulesOfLint.map((path) => read(root, path)));
  const paths = filesBelow(root, "").filter((path) => checked.test(path));
  return Object.fromEntries(paths.map((path) => [path, digestOf([rules, read(root, path)])]));
}

/** Returns the paths whose digest is new. */
export function changedSince(before = {}, now) {
  return Object.keys(now).filter((path) => before[path] !== now[path]);
}

/** Returns a digest that changes with each file of src/, each import, and the rules. */
export function importDigest(root) {
  const lines = filesBelow(root, "src").flatMap((path) => [
    path,
    ...(read(root, path).match(named) ?? []),
  ]);
  return digestOf([...rulesOfModules.map((path) => read(root, path)), ...lines]);
}

function filesBelow(root, directory) {
  return readdirSync(join(root, directory), { withFileTypes: true }).flatMap((entry) => {
    const path = directory === "" ? entry.name : `${directory}/${entry.name}`;
    if (!entry.isDirectory()) return [path];
    return path.startsWith(".") || skipped.includes(path) ? [] : filesBelow(root, path);
  });
}

function read(root, path) {
  return readFileSync(join(root, path), "utf8");
}

function digestOf(texts) {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(`${text.length}:${text}`);
  return hash.digest("base64");
}

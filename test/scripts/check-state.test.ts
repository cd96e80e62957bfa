import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, it } from "vitest";
// @ts-expect-error The check is plain scripts.
import { changedSince, fileDigests, importDigest } from "../../scripts/check-state.mjs";
import { scratchDirectory } from "../support/scratch.js";

const root = scratchDirectory("check-state");
const files = {
  "biome.json": "{}",
  "scripts/literal-spreads.grit": "",
  "package-lock.json": "{}",
  ".dependency-cruiser.cjs": "",
  "tsconfig.json": "{}",
  "src/report/one.ts": 'import { two } from "./two.js";\nexport const one = two;\n',
  "src/report/two.ts": "export const two = 2;\n",
};

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

beforeEach(() => {
  rmSync(join(root, "src"), { recursive: true, force: true });
  for (const [path, text] of Object.entries(files)) write(path, text);
});

it("lints what has changed, and everything after a change of the rules", () => {
  const before = fileDigests(root);
  expect(changedSince(undefined, before).sort()).toEqual(Object.keys(files).sort());
  write("src/report/two.ts", "export const two = 3;\n");
  expect(changedSince(before, fileDigests(root))).toEqual(["src/report/two.ts"]);
  write("biome.json", '{ "linter": {} }');
  expect(changedSince(before, fileDigests(root))).toEqual(Object.keys(before));
});

it.each([
  ["an import", "src/report/two.ts", 'import {\n  x,\n} from "../base/x.js";\n'],
  ["a type", "src/report/two.ts", "let a: import('./one.js').A;\n"],
  ["an import at run time", "src/report/two.ts", "await import(`./one.js`);\n"],
  ["an import without names", "src/report/two.ts", 'import "./one.js";\n'],
  ["an export of another file", "src/report/two.ts", 'export * from "./one.js";\n'],
  ["a file", "src/report/three.ts", "export const three = 3;\n"],
  ["a wall", ".dependency-cruiser.cjs", "module.exports = {};\n"],
])("looks at the walls again after a change of %s", (_, path, text) => {
  const before = importDigest(root);
  write(path, text);
  expect(importDigest(root)).not.toBe(before);
});

it("does not look at the walls after other changes", () => {
  const before = importDigest(root);
  write("src/report/two.ts", "export const two = 2 + 1; // Two.\n");
  expect(importDigest(root)).toBe(before);
});

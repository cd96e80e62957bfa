import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { digestTransform } from "../../src/ledger/transform-digest.js";
import { scratchDirectory } from "../support/scratch.js";

/** Writes files to a new directory; returns what changes one and digests the transform again. */
function moduleOf(files: Readonly<Record<string, string>>) {
  const directory = scratchDirectory("transform");
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  const [module = ""] = Object.keys(files);
  const digest = () => digestTransform(join(directory, module));
  return {
    digest,
    async digestWith(name: string, text: string) {
      write(name, text);
      return digest();
    },
  };
}

it("is the digest of the file of a transform without imports", async () => {
  const text = "import { join } from 'node:path';\nexport default (event) => event;";
  const { digest } = moduleOf({ "t.mjs": text });
  expect(await digest()).toBe(createHash("sha256").update(text).digest("hex"));
});

it.each([
  ["an import", "a.mjs"],
  ["an import of an import", "lib/b.mjs"],
  ["an import that is called", "lib/c.js"],
  ["a required file", "lib/d.cjs"],
  ["JSON", "names.json"],
  ["the version of a package", "node_modules/@org/names/package.json"],
])("changes with the content of %s", async (_, name) => {
  const files = {
    "t.mjs": `import { a } from "./a.mjs"; import names from "./names.json" with { type: "json" };
      import org from "@org/names/list"; export default (event) => a(event);`,
    "a.mjs": `export * from "./lib/b.mjs"; export const a = (event) => event; // export from "./none.mjs"`,
    "lib/b.mjs": `const c = await import("./c.js"); import "../a.mjs"; import "./d.cjs";`,
    "lib/c.js": "export const c = 1;",
    "lib/d.cjs": `module.exports = require("./e");`,
    "lib/e.js": "exports.e = 1;",
    "names.json": "[]",
    "node_modules/@org/names/package.json": '{"version":"1.0.0"}',
    "unused.mjs": "export {};",
  };
  const { digest, digestWith } = moduleOf(files);
  const before = await digest();
  expect(await digestWith("unused.mjs", "export const other = 1;")).toBe(before);
  const text = files[name as keyof typeof files];
  const after = await digestWith(name, text.replace("1", "2").concat(" "));
  expect(after).not.toBe(before);
  expect(await digestWith(name, text)).toBe(before);
});

it("does not depend on the directory, and leaves modules that cannot be parsed to Node.js", async () => {
  const files = { "t.mjs": `import "./a.mjs"; import "./none.mjs";`, "a.mjs": "export default {{" };
  expect(await moduleOf(files).digest()).toBe(await moduleOf(files).digest());
});

// The signatures of the kernels for TypeScript: src/batch/kernel-exports.ts is made from what
// src/kernels/index.ts exports whenever kernels are built. (`asc --bindings raw` gives addresses of
// objects types that no caller can name, and takes a compilation of 5 s.)
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fillLines } from "./fill-lines.mjs";

const header = `// Made by scripts/kernel-exports.mjs from the functions that src/kernels/index.ts exports: change
// those, and build. Each function is described where it is written.

/** What the WebAssembly module exports. Objects, and numbers of type usize, are addresses. */
export interface KernelExports {
  readonly memory: WebAssembly.Memory;
  readonly heapBase: WebAssembly.Global;
`;

const parameterTypes = {
  ...Object.fromEntries(["u8", "u32", "i32", "usize", "f64"].map((type) => [type, "number"])),
  u64: "bigint",
  i64: "bigint",
  bool: "boolean",
};
// WebAssembly knows no truth values: what comes out is 0 or 1.
const resultTypes = { ...parameterTypes, bool: "0 | 1", void: "void" };

/**
 * The text of src/batch/kernel-exports.ts. `index`: text of src/kernels/index.ts; `read`: gives the text
 * of a module that it names. Throws for functions that are not there or have other types.
 */
export function kernelExportsText(index, read) {
  const modules = [...index.matchAll(/^export \{([^}]*)\} from "([^"]+)";$/gm)].map(
    ([, names, module]) => moduleText(module, names.match(/\w+/g), read(module)),
  );
  return `${header}${modules.join("")}}\n`;
}

function moduleText(module, names, text) {
  const functions = new Map(
    [...text.matchAll(/^export function (\w+)\(([^)]*)\): (\w+) \{$/gm)].map((found) => [
      found[1],
      found,
    ]),
  );
  const signatures = names.map((name) => {
    const found = functions.get(name);
    if (found === undefined) throw new Error(`${module} exports no function ${name}`);
    return signatureText(name, found[2], found[3]);
  });
  return `\n  // ${module.replace("./", "")}.ts\n${signatures.join("")}`;
}

function signatureText(name, declaration, resultType) {
  const result = resultTypes[resultType];
  if (result === undefined) throw new Error(`${name} returns ${resultType}, which has no type`);
  const parts = declaration.split(",").map((part) => part.trim());
  const parameters = parts.filter((part) => part !== "").map((part) => parameterText(name, part));
  return fillLines("  ", `${name}(`, parameters, `): ${result};`);
}

function parameterText(name, declaration) {
  const [, parameter, type] = /^(\w+): (\w+)$/.exec(declaration) ?? [];
  // The name of a class begins with a capital letter.
  const written = /^[A-Z]/.test(type ?? "") ? "number" : parameterTypes[type];
  if (written === undefined) throw new Error(`${name} takes "${declaration}", which has no type`);
  return `${parameter}: ${written}`;
}

const source = fileURLToPath(new URL("../src", import.meta.url));
const target = join(source, "batch/kernel-exports.ts");

/** What src/batch/kernel-exports.ts has to be. */
export function presentKernelExports() {
  const read = (module) => readFileSync(join(source, "kernels", `${module}.ts`), "utf8");
  return kernelExportsText(read("./index"), read);
}

/** Writes it where it differs, as newer files are compiled again. */
export function writeKernelExports() {
  const text = presentKernelExports();
  if (!existsSync(target) || readFileSync(target, "utf8") !== text) writeFileSync(target, text);
}

// Makes src/batch/layouts.ts, the offsets of the members of the kernels' classes, from src/kernels at
// each build, so that a layout is written once.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fillLines } from "./fill-lines.mjs";

const header = `// Made by scripts/layouts.mjs from the classes of src/kernels: change those, and build. Where their
// members are: \`words\` (u32, i32, addresses) in units of 4 bytes, \`doubles\` (f64) and \`longs\` (u64) of 8.
`;

/** Table of a layout and size for each type of a member; classes are addresses. */
const types = {
  ...Object.fromEntries(["u32", "i32", "usize"].map((type) => [type, ["words", 4]])),
  f64: ["doubles", 8],
  u64: ["longs", 8],
};

/**
 * The text of src/batch/layouts.ts, with the layouts that `users` name: kernels have classes for
 * themselves, too. Both are texts of files. Throws for classes that it cannot lay out.
 */
export function layoutsText(kernels, users) {
  const classes = kernels.flatMap((text) => [
    ...text.matchAll(/^@unmanaged\n(?:export )?class (\w+) \{\n(.*?)^\}/gms),
  ]);
  const names = classes.map(([, name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`two classes of the kernels are called ${twice}`);
  const used = new Set(users.flatMap((text) => text.match(/\b\w+Layout\b/g) ?? []));
  const texts = classes
    .filter(([, name]) => used.has(constantOf(name)))
    .map(([, name, body]) => layoutText(name, body, names));
  return [header, ...texts].join("\n");
}

function constantOf(name) {
  return `${name[0].toLowerCase()}${name.slice(1)}Layout`;
}

function layoutText(name, body, classNames) {
  const tables = { words: [], doubles: [], longs: [] };
  let bytes = 0;
  for (const [, declaration] of body.matchAll(/^ {2}(\w.*);$/gm)) {
    const [, member, type] = /^(\w+): (\w+)$/.exec(declaration) ?? [];
    const [table, size] = types[classNames.includes(type) ? "usize" : type] ?? [];
    if (size === undefined) throw new Error(`${name} has no layout, for "${declaration}"`);
    // As in the compiler: each member at a multiple of its size.
    bytes = Math.ceil(bytes / size) * size;
    tables[table].push([member, bytes / size]);
    bytes += size;
  }
  const isWide = tables.doubles.length + tables.longs.length > 0;
  if (isWide && bytes % 8 !== 0) {
    throw new Error(`${name} has ${bytes} bytes: in an array its doubles would not be aligned`);
  }
  const tablesText = Object.entries(tables).map(tableText);
  return `export const ${constantOf(name)} = {\n  bytes: ${bytes},\n${tablesText.join("")}} as const;\n`;
}

function tableText([table, members]) {
  const texts = members.map(([member, index]) => `${member}: ${index}`);
  return members.length === 0 ? "" : fillLines("  ", `${table}: { `, texts, " },");
}

const source = fileURLToPath(new URL("../src", import.meta.url));
const target = "batch/layouts.ts";

/** Returns the text of src/batch/layouts.ts for the present kernels. */
export function presentLayouts() {
  const names = readdirSync(source, { recursive: true }).filter((name) => name.endsWith(".ts"));
  const read = (chosen) => chosen.sort().map((name) => readFileSync(join(source, name), "utf8"));
  const isKernel = (name) => name.startsWith("kernels");
  const users = names.filter((name) => !isKernel(name) && name !== target);
  return layoutsText(read(names.filter(isKernel)), read(users));
}

/** Writes the file if it differs, as a newer file is compiled again. */
export function writeLayouts() {
  const file = join(source, target);
  const text = presentLayouts();
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
}

// The common parts of the benchmarks' commands: options, the machine, tables of Markdown.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, loadavg, release, totalmem, type } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/** Directory of the data of benchmarks and of their outputs. */
export const benchDirectory = fileURLToPath(new URL("../.bench", import.meta.url));

const USAGE_EXIT_CODE = 2;
const WORD_COLUMNS = 21;

class UsageError extends Error {}

/** The placeholder of a value in the usage, and the function that converts its text. */
const parsers = {
  count: { word: "<n>", parse: parseCount },
  size: { word: "<size>", parse: parseSize },
  list: { word: "<list>", parse: parseList },
  path: { word: "<path>", parse: (text) => text },
  name: { word: "<name>", parse: (text, option) => parseList(text, option)[0] },
};

/**
 * Values by the names of `options`: each has a `type` (`count`, `size`, `list`, `path` or `name`; a flag
 * has none), a `default` as it would be written, the `choices` of lists and names, and `help`. Prints the
 * usage and ends the process if help is asked for or an option is wrong.
 */
export function readOptions(command, options, args = process.argv.slice(2)) {
  const usage = usageOf(command, options);
  try {
    const { values } = parseArgs({
      args,
      options: { ...parseOptions(options), help: { type: "boolean" } },
    });
    if (values.help) end(process.stdout, usage, 0);
    return Object.fromEntries(
      Object.entries(options).map(([name, option]) => [
        name,
        readValue(name, option, values[name]),
      ]),
    );
  } catch (error) {
    if (!(error instanceof UsageError) && !error.code?.startsWith("ERR_PARSE_ARGS")) throw error;
    return end(process.stderr, `${error.message}\n${usage}`, USAGE_EXIT_CODE);
  }
}

function end(stream, text, code) {
  stream.write(`${text}\n`);
  process.exit(code);
}

function parseOptions(options) {
  return Object.fromEntries(
    Object.entries(options).map(([name, option]) => [
      name,
      { type: option.type === undefined ? "boolean" : "string" },
    ]),
  );
}

function readValue(name, option, text = option.default) {
  if (option.type === undefined) return text ?? false;
  return text === undefined ? undefined : parsers[option.type].parse(text, { name, ...option });
}

function parseCount(text, { name }) {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new UsageError(`--${name}: not a count: ${text}`);
  return Number(text);
}

function parseSize(text, { name }) {
  const match = /^(\d+(?:\.\d+)?)(MB|GB)$/i.exec(text);
  if (match === null) throw new UsageError(`--${name}: not a size, as 2GB: ${text}`);
  return Number(match[1]) * (match[2].toUpperCase() === "GB" ? 1e9 : 1e6);
}

function parseList(text, { name, choices }) {
  const list = text.split(",");
  const unknown = list.filter((item) => !choices.includes(item));
  if (unknown.length > 0) {
    throw new UsageError(`--${name}: ${unknown.join(", ")}: choose of ${choices.join(", ")}`);
  }
  return list;
}

function usageOf(command, options) {
  const lines = Object.entries(options).map(([name, { type, help, choices, default: value }]) => {
    const word = type === undefined ? `--${name}` : `--${name} ${parsers[type].word}`;
    const of = choices === undefined ? "" : `; of ${choices.join(", ")}`;
    const otherwise =
      value === undefined || value === choices?.join(",") ? "" : ` (default ${value})`;
    return `  ${word.padEnd(WORD_COLUMNS)}${help}${of}${otherwise}`;
  });
  return [`${command} -- [options]`, ...lines].join("\n");
}

/** Prints progress, which is not part of the figures. */
export function log(text) {
  process.stderr.write(`${text}\n`);
}

/** Prints a line about the measured program, and lines about the machine. `packages`: other contenders. */
export function printMachine(what, packages = {}) {
  const require = createRequire(import.meta.url);
  const own = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;
  const [processor] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const others = Object.entries(packages).map(
    ([name, path]) => `${name} ${require(`${path}/package.json`).version}`,
  );
  console.log(`${what}; ${new Date().toISOString().slice(0, 10)}`);
  console.log(
    `${cpus().length} × ${processor?.model ?? "unknown"}, ${memory}, ${type()} ${release()}, load at the start ${loadavg()[0].toFixed(1)}`,
  );
  console.log(`${[`Node ${process.versions.node}, Switchyard ${own}`, ...others].join(", ")}\n`);
}

/**
 * Prints the head of a table; what it returns prints one row, so that a long benchmark shows what it
 * has. A name that ends in a colon heads a column of figures.
 */
export function openTable(names) {
  const printRow = (cells) => console.log(`| ${cells.join(" | ")} |`);
  printRow(names.map((name) => name.replace(/:$/, "")));
  console.log(`|${names.map((name) => (name.endsWith(":") ? "---:" : "---")).join("|")}|`);
  return printRow;
}

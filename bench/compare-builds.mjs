// node bench/compare-builds.mjs --old <checkout>: exports the same inputs with two built checkouts and
// compares all that they write, byte by byte.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { amplitudeRows, jsonText } from "../fixtures/make/amplitude-rows.mjs";
import { benchDirectory, log, openTable, printMachine, readOptions } from "./command.mjs";
import { mainOf } from "./export/builds.mjs";
import { makeInputs, writeText } from "./export/inputs.mjs";
import { runMeasured } from "./measured-process.mjs";

const options = readOptions("node bench/compare-builds.mjs", {
  old: { type: "path", help: "the other build: a commit or a built checkout" },
  rows: { type: "count", default: "1000000", help: "generated rows" },
  only: { type: "path", default: "", help: "only cases whose names contain this text" },
});
if (options.old === undefined) throw new Error("--old is missing");

const checkout = fileURLToPath(new URL("..", import.meta.url));
const builds = { old: mainOf(options.old), new: mainOf(checkout) };
const fixtures = join(checkout, "fixtures");
const scratch = join(benchDirectory, "compare");
const formats = ["parquet", "jsonl", "jsonl.gz", "csv"];
const isChosen = ({ name }) => name.includes(options.only);

/** Builds up to 0.3 know the second name; a variable that is not known is only reported. */
const limits = { SWITCHYARD_TIME_LIMITS: "..2027-01-01", SWITCHYARD_MAX_TIME: "2027-01-01" };

rmSync(scratch, { recursive: true, force: true });
mkdirSync(scratch, { recursive: true });
await compareAll();
rmSync(scratch, { recursive: true, force: true });

async function compareAll() {
  const cases = [...fixtureCases(), ...(await generatedCases())].filter(isChosen);
  printMachine(`exports of ${builds.old} and ${builds.new}`);
  const printRow = openTable(["case", "exit code:", "files:", "different"]);
  let differences = 0;
  for (const one of cases) {
    const [old, ours] = [await exportWith("old", one), await exportWith("new", one)];
    const names = new Set([...old.files.keys(), ...ours.files.keys()]);
    const different = [...names].filter((name) => old.files.get(name) !== ours.files.get(name));
    if (old.exitCode !== ours.exitCode) different.unshift(`exit code ${old.exitCode} before`);
    differences += different.length;
    printRow([one.name, ours.exitCode, names.size, different.slice(0, 3).join(", ") || "none"]);
  }
  console.log(`\n${cases.length} cases, ${differences} differences`);
  if (differences > 0) process.exitCode = 1;
}

/** Every fixture in every format. */
function fixtureCases() {
  const traps = readdirSync(join(fixtures, "traps")).map((name) => {
    const cwd = join(fixtures, "traps", name);
    // Each build has its own names of options, and both read the same files.
    const inBuild = (build) => {
      const own = join(dirname(dirname(builds[build])), "fixtures/traps", name);
      const from = existsSync(own) ? own : cwd;
      const { args, env } = JSON.parse(readFileSync(join(from, "options.json"), "utf8"));
      const named = args.map((word) => (word === "config.json" ? join(from, word) : word));
      return { cwd, env, first: ["input", ...named] };
    };
    return { name: `trap ${name}`, args: [], inBuild };
  });
  const presets = readdirSync(join(fixtures, "sources")).map((name) => ({
    name: `preset ${name}`,
    cwd: join(fixtures, "sources", name),
    env: limits,
    args: ["inputs", "--preset", name],
  }));
  const sample = { name: "sample", cwd: fixtures, env: limits, args: ["sample"] };
  return [...traps, ...presets, sample].flatMap(({ name, args, ...rest }) =>
    formats.map((format) => ({
      name: `${name}, ${format}`,
      args: [...args, "--format", format],
      ...rest,
    })),
  );
}

/** Generated rows in every shape and format, with the options that take paths of their own. */
async function generatedCases() {
  const inputs = await makeInputs(benchDirectory, options.rows, [
    "ndjson",
    "ndjson-gz",
    "ndjson-one-gz",
    "csv",
    "parquet",
  ]);
  const transform = join(scratch, "rename.mjs");
  writeFileSync(
    transform,
    "export default (event) => ({ ...event, event: event.event.toUpperCase() });\n",
  );
  const salt = { SWITCHYARD_HASH_SALT: "salt" };
  const shapes = Object.entries(inputs).map(([shape, input]) => ({ name: shape, args: [input] }));
  const { ndjson } = inputs;
  const cases = [
    ...shapes,
    ...formats.map((format) => ({ name: `to ${format}`, args: [ndjson, "--format", format] })),
    { name: "zone", args: [ndjson, "--day-zone", "Asia/Kathmandu"] },
    {
      name: "drop and hash",
      args: [ndjson, "--drop", "user.plan", "--hash", "user.email"],
      env: salt,
    },
    { name: "transform", args: [ndjson, "--transform", transform] },
    { name: "small parts", args: [ndjson, "--part-size", "1MiB", "--split-size", "4MiB"] },
    ...formats.map((format) => ({
      name: `many days to ${format}`,
      args: [manyDays(), "--split-size", "8MiB", "--format", format],
    })),
  ];
  return cases.flatMap(({ name, args, env }) =>
    [1, 2].map((threads) => ({
      name: `${name}, threads ${threads}`,
      cwd: scratch,
      env,
      args: [...args, "--threads", `${threads}`],
    })),
  );
}

/** Rows of 400 days in no order, which an export spills and merges. */
function manyDays() {
  const file = join(benchDirectory, `many-days-${options.rows}.jsonl`);
  if (existsSync(file)) return file;
  log(`generating ${options.rows} rows of 400 days`);
  const fromMs = Date.UTC(2025, 0, 1);
  const toMs = fromMs + 400 * 86_400_000;
  const rows = amplitudeRows({ seed: 9, count: options.rows, fromMs, toMs, users: 100_000 });
  let index = 0;
  const time = () => {
    const ms = fromMs + ((index++ * 7_919) % 400) * 86_400_000;
    return new Date(ms).toISOString().replace("T", " ").slice(0, -1);
  };
  writeText(file, rows, (row) => `${jsonText({ ...row, event_time: time() })}\n`);
  return file;
}

/** The exit code and the digest of each file that one build writes. */
async function exportWith(build, { args, inBuild, ...one }) {
  const { cwd, env, first = [] } = inBuild?.(build) ?? one;
  const output = join(scratch, "out");
  rmSync(output, { recursive: true, force: true });
  const words = [builds[build], "export", ...first, ...args, "--to", output, "--quiet"];
  const exitCode = await runMeasured(words, { cwd, env }).then(
    () => 0,
    (error) => Number(/ended with (\d+)/.exec(error.message)?.[1] ?? -1),
  );
  return { exitCode, files: existsSync(output) ? digests(output) : new Map() };
}

function digests(output) {
  const names = readdirSync(output, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(output.length + 1))
    .filter((name) => !name.startsWith("_switchyard"));
  return new Map(names.map((name) => [name, digest(name, readFileSync(join(output, name)))]));
}

function digest(name, bytes) {
  const isText = name === "manifest.json" || name.startsWith("rejects/");
  const content = isText ? withoutRun(bytes.toString()) : withoutVersion(name, bytes);
  return createHash("sha256").update(content).digest("hex");
}

/** Parquet files name the version that wrote them. */
function withoutVersion(name, bytes) {
  if (!name.endsWith(".parquet")) return bytes;
  const text = bytes.toString("latin1");
  return Buffer.from(text.replace(/switchyard version [\d.]+/i, "switchyard"), "latin1");
}

/**
 * Leaves out what differs from run to run or from version to version, digests of files that are compared
 * themselves among them, and the messages, which are for people.
 */
function withoutRun(text) {
  const lines = text.startsWith("{\n") ? [text] : text.split("\n").filter((line) => line !== "");
  const volatile = ["version", "sha256", "startedAt", "endedAt", "durationMs", "epochs", "message"];
  return JSON.stringify(
    lines.map((line) =>
      JSON.parse(line, (key, value) => (volatile.includes(key) ? undefined : value)),
    ),
  );
}

// The benchmark's data: invented Amplitude rows, the same ones in every shape, kept in .bench/.
import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { amplitudeRows, jsonText } from "../../fixtures/make/amplitude-rows.mjs";
import { runSql, sqlText } from "../../fixtures/make/duckdb.mjs";
import { createRandom } from "../../fixtures/make/random.mjs";
import { log } from "../command.mjs";

const GZIP_FILES = 8;
/** Rows of a file, if a tool exports one each hour: years of them are tens of thousands of files. */
const HOURLY_ROWS = 200;
const DAYS = 10;
/** Files of narrow Parquet, whose rows are too small for a file to make a split. */
const NARROW_FILES = 8;
const NARROW = "narrow-";
const narrowNames =
  "event_type event_time user_id device_id event_properties user_properties".split(" ");
const REPEATED_SHARE = 0.05;
/** Repeats that are held back: they come up to twenty times as many rows after the first. */
const REPEATS_WAITING = 5_000;
const BUFFER_CHARACTERS = 4_000_000;

/**
 * Makes what is missing of the shapes; returns the directory of each. With `repeats`, one row in twenty
 * comes a second time, mostly within the next 100,000 rows.
 */
export async function makeInputs(root, rows, shapes, { repeats = false } = {}) {
  const directory = join(root, `data-${rows}${repeats ? "-repeats" : ""}`);
  const targets = {};
  const wide = () => (repeats ? withRepeats(rowsOf(rows)) : rowsOf(rows));
  const narrow = () => narrowed(wide());
  const lines = shapes.map((shape) => (isNarrow(shape) ? `${NARROW}ndjson` : "ndjson"));
  for (const shape of new Set(["ndjson", ...lines, ...shapes])) {
    const target = join(directory, shape);
    const [make, ndjson] = isNarrow(shape) ? [narrow, `${NARROW}ndjson`] : [wide, "ndjson"];
    await makeOnce(target, `${rows} rows as ${shape}`, () =>
      writers[baseOf(shape)](target, make, join(directory, ndjson, "events.jsonl"), rows),
    );
    targets[shape] = target;
  }
  return targets;
}

/** The format of a shape's files and the pattern of their names. */
export function filesOf(shape) {
  const [format, ...rest] = baseOf(shape).split("-");
  if (format === "ndjson") return { format, pattern: rest.length > 0 ? "*.jsonl.gz" : "*.jsonl" };
  return { format, pattern: `*.${format}` };
}

/** Rows of narrow data have no insert ids. */
export const hasInsertIds = (shape) => !isNarrow(shape);

const isNarrow = (shape) => shape.startsWith(NARROW);
const baseOf = (shape) => (isNarrow(shape) ? shape.slice(NARROW.length) : shape);

function* narrowed(rows) {
  for (const row of rows) yield Object.fromEntries(narrowNames.map((name) => [name, row[name]]));
}

/** Calls `make` to fill the directory, unless an earlier call completed. */
async function makeOnce(target, what, make) {
  if (existsSync(`${target}.done`)) return;
  log(`generating ${what}`);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  await make();
  writeFileSync(`${target}.done`, "");
}

export function bytesIn(directory) {
  return readdirSync(directory).reduce(
    (sum, name) => sum + statSync(join(directory, name)).size,
    0,
  );
}

function rowsOf(count) {
  const fromMs = Date.UTC(2026, 0, 1);
  return amplitudeRows({
    seed: 7,
    count,
    fromMs,
    toMs: fromMs + DAYS * 86_400_000,
    users: 100_000,
  });
}

function* withRepeats(rows) {
  const random = createRandom(23);
  const waiting = [];
  for (const row of rows) {
    yield row;
    if (random() < REPEATED_SHARE) waiting.push(row);
    if (waiting.length > REPEATS_WAITING)
      yield* waiting.splice(Math.floor(random() * waiting.length), 1);
  }
  yield* waiting;
}

const writers = {
  ndjson(target, rows) {
    writeText(join(target, "events.jsonl"), rows(), (row) => `${jsonText(row)}\n`);
  },
  "ndjson-gz": (target, _rows, ndjson) => writeGzip(target, ndjson, GZIP_FILES),
  "ndjson-one-gz": (target, _rows, ndjson) => writeGzip(target, ndjson, 1),
  "ndjson-hourly-gz": (target, _rows, ndjson, count) =>
    writeGzip(target, ndjson, Math.ceil(count / HOURLY_ROWS)),
  csv(target, rows) {
    const names = columnsOf(rows);
    const file = join(target, "events.csv");
    const record = (row) => `${names.map((name) => csvCell(row[name])).join(",")}\n`;
    writeText(file, rows(), record, `${names.join(",")}\n`);
  },
  parquet: (...target) => writeParquet("snappy", ...target),
  "parquet-zstd": (...target) => writeParquet("zstd", ...target),
};

async function writeParquet(compression, target, rows, ndjson, count) {
  const names = columnsOf(rows);
  const files = names.length === narrowNames.length ? NARROW_FILES : 1;
  const columns = names.map((name) => `${sqlText(name)}: ${sqlText(columnType(name))}`).join(", ");
  const lines = `read_json(${sqlText(ndjson)}, format = 'newline_delimited', columns = {${columns}})`;
  const part = Math.ceil(count / files);
  for (let file = 0; file < files; file++) {
    await runSql(
      `COPY (SELECT * FROM ${lines} LIMIT ${part} OFFSET ${part * file}) TO ` +
        `${sqlText(join(target, `events-${file}.parquet`))} (FORMAT parquet, COMPRESSION ${compression})`,
    );
  }
}

function columnsOf(rows) {
  const [first] = rows();
  return Object.keys(first);
}

async function writeGzip(target, ndjson, files) {
  const cuts = lineCuts(ndjson, files);
  for (let part = 0; part < files; part++) {
    const [start, end] = [cuts[part], cuts[part + 1] - 1];
    const file = join(target, `events-${part}.jsonl.gz`);
    await pipeline(createReadStream(ndjson, { start, end }), createGzip(), createWriteStream(file));
  }
}

function columnType(name) {
  if (name === "event_time") return "TIMESTAMP";
  if (["amplitude_id", "event_id", "session_id", "app"].includes(name)) return "BIGINT";
  return "VARCHAR";
}

function csvCell(value) {
  if (value === null) return "";
  const text = typeof value === "object" ? jsonText(value) : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** `format` of each row, after `head`. */
export function writeText(file, rows, format, head = "") {
  const descriptor = openSync(file, "w");
  let pending = [head];
  let characters = 0;
  for (const row of rows) {
    const text = format(row);
    pending.push(text);
    characters += text.length;
    if (characters > BUFFER_CHARACTERS) {
      writeSync(descriptor, pending.join(""));
      pending = [];
      characters = 0;
    }
  }
  writeSync(descriptor, pending.join(""));
  closeSync(descriptor);
}

/** Offsets that cut a file of lines into `parts` of about the same size. */
function lineCuts(file, parts) {
  const size = statSync(file).size;
  const descriptor = openSync(file);
  const buffer = Buffer.alloc(65_536);
  const cuts = [0];
  for (let part = 1; part < parts; part++) {
    const near = Math.floor((size * part) / parts);
    readSync(descriptor, buffer, 0, buffer.length, near);
    cuts.push(near + buffer.indexOf("\n") + 1);
  }
  closeSync(descriptor);
  return [...cuts, size];
}

import { SEND_BATCH_ROWS_MAX, SEND_CONCURRENCY_MAX } from "../../base/limits.js";
import { logLevels } from "../../base/log-levels.js";
import { defaultPreset, presetNames } from "../../mapper/presets.js";
import { formatKinds } from "../../readers/source.js";
import { parquetCompressions } from "../../sinks/parquet/page-compression.js";
import { bodyForms } from "../../sinks/webhook/request-batch.js";
import { outputFormatNames, outputFormats } from "../output-formats.js";
import * as type from "./option-types.js";

const detected = "detected for each input";

const off = { type: type.onOff, default: false };

const rejectLimit = {
  type: type.rejectLimit,
  description: "Number or share of rejected rows up to which the exit code is still 0",
  default: 0,
};

/** Every option, in the order of help and documentation. */
export const optionTable = {
  inputs: {
    type: type.list,
    flag: false,
    description: "Files, directories (recursive) and globs to read; they need no flag",
  },
  preset: {
    type: type.choice(presetNames),
    description: "Mapping to start from, by the name of the tool that wrote the export",
    default: defaultPreset,
  },
  inputFormat: {
    type: type.choice(formatKinds),
    description: "Format of all inputs",
    otherwise: detected,
  },
  csvDelimiter: {
    type: type.character,
    description: "Character between the cells of CSV inputs; also by name: tab, comma, pipe",
    otherwise: detected,
  },
  csvQuote: {
    type: type.characterOrNone,
    description: "Character around cells of CSV inputs; none if quotes have no meaning",
    otherwise: detected,
  },
  csvColumns: {
    type: type.columnNames,
    description: "Names of the columns of CSV inputs, in order, separated by commas",
    otherwise: "the header",
  },
  csvHeader: {
    type: type.onOff,
    negation: "The first record of each CSV input is a row like the others",
    description: "The first record of each CSV input is its header",
    otherwise: detected,
  },
  maxRowSize: {
    type: type.rowSize,
    description: "Reject rows that are longer than this when decompressed; at most 64MiB",
    default: "16MiB",
  },
  maxRatio: {
    type: type.count(1, 1_000_000),
    placeholder: "<factor>",
    description:
      "Treat an input that decompresses to more than this many times its size as a decompression bomb and fail it",
    default: 1000,
  },
  transform: {
    type: type.file,
    placeholder: "<module>",
    description: "Module whose default export takes an event and returns one, several, or null",
  },
  fromTime: {
    type: type.time,
    description: "Leave out events before this time (ISO date, date-time or epoch milliseconds)",
  },
  toTime: { type: type.time, description: "Leave out events at or after this time" },
  includeEvent: {
    type: type.names,
    description: "Keep only events of this name; * and ? are wildcards",
    otherwise: "all",
  },
  excludeEvent: {
    type: type.names,
    description: "Leave out events of this name; * and ? are wildcards",
  },
  minTime: {
    type: type.time,
    description: "Reject events before this time as wrong",
    default: "1971-01-01",
  },
  maxTime: {
    type: type.time,
    description: "Reject events at or after this time as wrong",
    otherwise: "the end of tomorrow, UTC",
  },
  drop: {
    type: type.privacyPaths,
    description: "Remove the value at this path of the event: user.email, metadata.address",
  },
  hash: {
    type: type.privacyPaths,
    description: "Replace the value at this path of the event by its salted SHA-256",
  },
  hashSaltFile: {
    type: type.file,
    description:
      "File with the salt for hashed paths; SWITCHYARD_HASH_SALT can hold the salt itself",
  },
  service: {
    type: type.choice(["embedded"]),
    flag: false,
    description:
      "Service that `migrate` uses to send and qualify: embedded starts one inside the process, with its data in the directory of serve.data",
    otherwise: "those of send.to and qualify.console",
  },
  sample: {
    section: "validate",
    type: type.share,
    description:
      "Read only this share of the inputs, spread over all of them; an input that cannot be split is read whole or not at all",
    default: "100%",
  },
  report: {
    section: "validate",
    type: type.directory,
    description: "Directory for the report, created if it is missing",
    default: "./report",
  },
  apply: {
    section: "validate",
    ...off,
    description: "Show the safe fixes for the findings and write them into the configuration file",
  },
  to: {
    section: "export",
    type: type.directory,
    description: "Directory to write to, created if it is missing",
  },
  format: {
    section: "export",
    type: type.choice(outputFormatNames),
    description: `Format of the written files: ${outputFormatNames
      .map((name) => `${name} (${outputFormats[name].title})`)
      .join(", ")}`,
    default: "parquet",
  },
  compression: {
    section: "export",
    type: type.choice(parquetCompressions),
    description: "Compression inside Parquet files; zstd needs Node 22.15 or newer",
    default: "snappy",
  },
  dataset: {
    section: "export",
    type: type.dataset,
    description: "Name of the directory that holds the days",
    default: "events",
  },
  dayZone: {
    section: "export",
    type: type.zone,
    description: "Time zone that decides which day an event belongs to",
    default: "UTC",
  },
  partSize: {
    section: "export",
    type: type.size,
    description: "Close a file and begin the next one when it has reached this size",
    default: "128MiB",
  },
  splitSize: {
    section: "export",
    type: type.size,
    description:
      "Bytes of input that one thread reads and commits at a time; with less, a kill loses less work, and parts are smaller",
    default: "64MiB",
  },
  csvSafe: {
    section: "export",
    ...off,
    description: "Put ' before CSV cells that a spreadsheet would run as a formula",
  },
  threads: {
    section: "export",
    type: type.count(1, 256),
    description: "Worker threads",
    otherwise: "as many as the machine can run at once",
  },
  memory: {
    section: "export",
    type: type.size,
    description:
      "Memory for the whole process; if it is too small for all threads, fewer are started",
    otherwise: "half of the memory of the machine or container",
  },
  maxRejects: {
    section: "export",
    ...rejectLimit,
  },
  fresh: {
    section: "export",
    ...off,
    description: "Delete what an earlier run left in the directory and start over",
  },
  sendTo: {
    section: "send",
    key: "to",
    type: type.url,
    description:
      "Base URL of the service that receives the events, without /v1/webhooks/event_webhook",
  },
  body: {
    section: "send",
    type: type.choice(bodyForms),
    description: "Content of one request: one event as an object, or several as an array",
    default: "object",
  },
  batchSize: {
    section: "send",
    type: type.count(1, SEND_BATCH_ROWS_MAX),
    description: "Events in one request, with --body array",
    default: 500,
  },
  concurrency: {
    section: "send",
    type: type.count(1, SEND_CONCURRENCY_MAX),
    description: "Requests in flight at the same time; after a kill up to that many are sent again",
    default: 32,
  },
  rate: {
    section: "send",
    type: type.events,
    description: "Events per second, at most",
    otherwise: "as fast as the service accepts them",
  },
  burst: {
    section: "send",
    type: type.events,
    description: "Events that may be sent at once after a pause, with --rate",
    otherwise: "those of one second",
  },
  timeout: {
    section: "send",
    type: type.seconds(3_600),
    description: "Time limit for a connection, and for a whole response",
    default: 30,
  },
  giveUpAfter: {
    section: "send",
    type: type.seconds(604_800),
    description: "Stop after this time without one success; the run can be resumed",
    default: 900,
  },
  sendAuthHeader: {
    section: "send",
    key: "authHeader",
    type: type.header,
    description: "Header that carries the server secret",
    default: "SERVICE-API-KEY",
  },
  serverSecretFile: {
    section: "send",
    type: type.file,
    description: "File with the server secret; SWITCHYARD_SERVER_SECRET can hold the secret itself",
  },
  runs: {
    section: "send",
    type: type.directory,
    description: "Directory that records what was sent, and holds the rejects",
    default: "./.switchyard/runs",
  },
  sendMaxRejects: {
    section: "send",
    key: "maxRejects",
    ...rejectLimit,
  },
  sendFresh: {
    section: "send",
    key: "fresh",
    ...off,
    description: "Forget what an earlier run of the same command has sent, and send everything",
  },
  console: {
    section: "qualify",
    type: type.text,
    placeholder: "<base_url>",
    description: "Address of the console, without /console/v1",
  },
  consoleKeyFile: {
    section: "qualify",
    type: type.file,
    description: "File with the console key; SWITCHYARD_CONSOLE_KEY can hold the key itself",
  },
  qualifyAuthHeader: {
    section: "qualify",
    key: "authHeader",
    type: type.header,
    description: "Header that carries the console key",
    default: "SERVICE-API-KEY",
  },
  from: {
    section: "qualify",
    type: type.file,
    placeholder: "<dir|manifest>",
    description: "Export whose events are qualified: its directory, or its manifest.json",
    otherwise: "the one on the command line, else in export.to, else the inputs are read",
  },
  nameTemplate: {
    section: "qualify",
    type: type.text,
    placeholder: "<template>",
    description: "Name of the qualifying events; {event} is the event's name",
    default: "{event}",
  },
  sqlTemplate: {
    section: "qualify",
    type: type.text,
    placeholder: "<template>",
    description:
      "SQL of the qualifying events; {event} is the event's name as a quoted literal, {table} the table",
    default: "SELECT * FROM {table} WHERE event = {event}",
  },
  table: {
    section: "qualify",
    type: type.text,
    placeholder: "<table>",
    description: "Table that the exported days are loaded into, as SQL writes it",
    default: "events",
  },
  timestampColumn: {
    section: "qualify",
    type: type.text,
    placeholder: "<column>",
    description: "Column of the table with the time of an event",
    default: "timestamp",
  },
  tag: {
    section: "qualify",
    type: type.list,
    placeholder: "<tag>",
    description: "Tag of the qualifying events",
    otherwise: "the tags that they have",
  },
  yes: {
    section: "qualify",
    ...off,
    description: "Make the changes; without it they are only shown",
  },
  dryRun: {
    section: "qualify",
    ...off,
    description: "Let the console check every change and store none",
  },
  port: {
    section: "serve",
    type: type.count(0, 65_535),
    placeholder: "<port>",
    description: "Port to listen on; 0 picks a free one, and the first line printed names it",
    default: 8080,
  },
  host: {
    section: "serve",
    type: type.text,
    placeholder: "<host>",
    description: "Address to listen on; 0.0.0.0 is every IPv4 address of the machine",
    default: "127.0.0.1",
  },
  data: {
    section: "serve",
    type: type.directory,
    description:
      "Directory for the service's databases, created if it is missing; :memory: stores nothing",
    otherwise: "./.switchyard",
  },
  authHeader: {
    section: "serve",
    type: type.header,
    description: "Header that carries the key of a request",
    default: "SERVICE-API-KEY",
  },
  logLevel: {
    section: "serve",
    type: type.choice(logLevels),
    description: "Lowest level that is logged; the log is one JSON object a line on standard error",
    default: "info",
  },
  json: {
    ...off,
    description: "Print the result as one JSON object on standard output",
  },
  quiet: {
    ...off,
    description: "Print no progress and no summary; errors are still printed",
  },
} satisfies Readonly<Record<string, type.OptionRow>>;

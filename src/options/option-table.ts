import { outputFormatNames } from "../formats/output-formats.js";
import { defaultPreset, presetNames } from "../mapper/presets.js";
import { profiles, type TimestampUnit, timestampUnits } from "../sinks/output-columns.js";
import { parquetCompressions } from "../sinks/parquet/page-compression.js";
import { compactChoices } from "../sinks/staged-parts.js";
import { formatKinds } from "../sources/source.js";
import { csvRows, storeRows } from "./input-rows.js";
import * as type from "./option-types.js";
import { damagedChoices, tableLogs } from "./options.js";
import { outputRows } from "./output-rows.js";
import { ownRejectLimit, serviceRows } from "./service-rows.js";

const detected = "detected for each input";

const redisUrl = type.textType(
  type.validText(
    (text) => /^rediss?:\/\/[^/]/.test(text) && URL.canParse(text),
    "the address of a Redis, such as redis://127.0.0.1:6379",
  ),
  "<url>",
);

/** Every option, in the order of help and documentation. */
export const optionTable = {
  inputs: {
    type: type.paths,
    flag: false,
    description: "Files, directories (recursive) and globs to read; they need no flag",
  },
  inputFormat: {
    type: type.choice(formatKinds),
    placeholder: "<format>",
    description: "Format of all inputs",
    otherwise: detected,
  },
  ...csvRows,
  ...storeRows,
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
  limit: {
    type: type.count(1, Number.MAX_SAFE_INTEGER),
    placeholder: "<rows>",
    description:
      "Read only the first rows of the inputs, in their order, to try a command; the result is marked as partial",
    otherwise: "all rows",
  },
  damaged: {
    type: type.choice(damagedChoices),
    description: "What to do with rows that fail a checksum; `send` always keeps them",
    default: "leave-out",
  },
  preset: {
    type: type.choice(presetNames),
    description: "Mapping to start from, by the name of the tool that wrote the export",
    default: defaultPreset,
  },
  transform: {
    type: type.file,
    placeholder: "<module>",
    description: "Module whose default export takes an event and returns one, several, or null",
  },
  dedupe: {
    type: type.dedupeRange,
    description:
      "Remove events that repeat an earlier one, by insert id, within its day or within all",
    otherwise: "off; day if no range is given",
  },
  dedupeBy: {
    type: type.keyTargetNames,
    description:
      "Targets that make the key of --dedupe, instead of the preset's: event,timestamp,…",
    otherwise: "insertID, with mixpanel also event, timestamp and distinctID",
  },
  requireFields: {
    ...type.off,
    description: "Fail if a mapped field has no value in any row, or in any row of a source",
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
  timeLimits: {
    replaces: "minTime maxTime",
    type: type.timeLimits,
    description:
      "Reject events outside of these times as wrong, such as 2015-01-01..2027-01-01; either may be left out",
    otherwise: "1971-01-01.. up to the end of tomorrow, UTC",
  },
  maxRejects: {
    type: type.rejectLimit,
    description:
      "Maximum rejected rows (count or %); above it the exit code is 3; applies to all steps",
    default: 0,
  },
  acceptFindings: {
    type: type.list,
    flag: false,
    description: "Codes of findings that do not count in the verdict of a dry run",
  },
  drop: {
    type: type.privacyPaths,
    description: "Remove the value at this path of the event: user.email, metadata.address",
  },
  hash: {
    type: type.privacyPaths,
    description: "Replace the value at this path of the event by its salted SHA-256",
  },
  cutQuery: {
    type: type.propertyPaths,
    description: "Cut URLs at this path of the event before their query: metadata.page_url",
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
    ...type.off,
    description: "Show the safe fixes for the findings and write them into the configuration file",
  },
  to: {
    section: "export",
    type: type.output,
    description:
      "Output directory, created if it is missing, or an address in a store: s3://bucket/prefix; - writes JSON lines to standard output",
  },
  format: {
    section: "export",
    type: type.choice(outputFormatNames),
    placeholder: "<format>",
    description: "Format of the written files",
    default: "parquet",
  },
  compression: {
    section: "export",
    type: type.choice(parquetCompressions),
    placeholder: "<codec>",
    description: "Compression inside Parquet files; zstd needs Node 22.15 or newer",
    default: "snappy",
  },
  layout: {
    section: "export",
    replaces: "dataset dayName partition",
    type: type.layout,
    description:
      "Path of the day directories, such as events/day={day}/event={event}, with a directory for each event",
    default: "events/{day}",
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
  compact: {
    section: "export",
    type: type.choice(compactChoices),
    placeholder: "<when>",
    description:
      "Join the small parts of a day; auto joins those below 1MiB, always all below the part size",
    default: "auto",
  },
  csvSafe: {
    section: "export",
    ...type.off,
    description: "Put ' before CSV cells that a spreadsheet would run as a formula",
  },
  tableLog: {
    section: "export",
    type: type.choice(tableLogs),
    placeholder: "<format>",
    description: "Write the log of a Delta table beside the days of Parquet files",
    default: "none",
  },
  insertId: {
    section: "export",
    type: type.onOff,
    default: true,
    description: "Write the insert ids of events, if the mapping has one",
    negation: "Leave out the insert ids of events",
  },
  profile: {
    section: "export",
    type: type.choice(profiles),
    placeholder: "<profile>",
    description:
      "Columns of the written files: those of events, or those for the bucket ingestion of an experimentation platform",
    default: "event",
  },
  timestampUnit: {
    section: "export",
    type: type.choice(Object.keys(timestampUnits) as TimestampUnit[]),
    placeholder: "<unit>",
    description:
      "Unit of the timestamps of a profile; with s, fractions of a second are dropped; timestamp is the type of the format, or ISO 8601",
    otherwise: "ms; s with the profile platform",
  },
  columns: {
    section: "export",
    type: type.outputColumns,
    description:
      "Columns of the written files instead of a profile, as <name>=<source>: event_name=event, time=timestamp:s, price=value:double",
    otherwise: "those of the profile",
  },
  fresh: {
    section: "export",
    ...type.off,
    description: "Delete what an earlier run left in the directory and start over",
  },
  shard: {
    section: "export",
    type: type.shard,
    description:
      "Read only every n-th split, as process i of n (0/20 to 19/20), and write no manifest; with /20, i is read from the environment of the array job",
  },
  finish: {
    section: "export",
    ...type.off,
    description: "Do not read inputs; merge the output of all shards and write the manifest",
  },
  queue: {
    section: "export",
    type: redisUrl,
    description:
      "Redis that distributes the splits; `switchyard worker` reads them, this process plans and finishes",
  },
  splitSize: {
    section: "export",
    type: type.size,
    description:
      "Bytes of input that one thread reads and commits at a time; smaller splits lose less work in a crash but make smaller parts",
    default: "64MiB",
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
  exportMaxRejects: {
    section: "export",
    ...ownRejectLimit,
    description: "maxRejects for export, validate and qualify only",
  },
  ...serviceRows,
  ...outputRows,
} satisfies Readonly<Record<string, type.OptionRow>>;

import { defaultPreset, presetNames } from "../mapper/presets.js";
import { compactChoices } from "../sinks/staged-parts.js";
import { formatKinds } from "../sources/source.js";
import { repairs } from "../target/target-rules.js";
import { defaultTarget, targetNames } from "../target/targets.js";
import { dedupe } from "./dedupe-option.js";
import { fetchRows } from "./fetch-rows.js";
import { formatType } from "./format-option.js";
import { csvRows, storeRows } from "./input-rows.js";
import { validText } from "./option-schemas.js";
import * as type from "./option-types.js";
import { damagedChoices, tableLogs } from "./options.js";
import { outputRows } from "./output-rows.js";
import { serviceRows } from "./service-rows.js";

const detected = "detected for each input";

const redisUrl = type.textType(
  () =>
    validText(
      (text) => /^rediss?:\/\/[^/]/.test(text) && URL.canParse(text),
      "the address of a Redis, such as redis://127.0.0.1:6379",
    ),
  "<url>",
);

/** Every option, in the order of help and documentation. */
export const optionTable = {
  inputs: {
    replaces: "from",
    type: type.paths,
    flag: false,
    description: "Files, directories (recursive) and globs to read",
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
    description: "Reject rows that are longer than this when decompressed",
    default: "16MiB",
  },
  maxRatio: {
    type: type.count(1, 1_000_000),
    placeholder: "<factor>",
    description: "Fail inputs that decompress to more than this many times their size",
    default: 1000,
  },
  limit: {
    type: type.count(1, Number.MAX_SAFE_INTEGER),
    placeholder: "<rows>",
    description: "Read only the first rows of the inputs",
    otherwise: "all rows",
  },
  damaged: {
    type: type.choice(damagedChoices),
    description: "What to do with rows that fail a checksum",
    default: "leave-out",
  },
  preset: {
    type: type.choice(presetNames),
    description: "Mapping to start from",
    default: defaultPreset,
  },
  transform: {
    type: type.file,
    placeholder: "<module>",
    description: "Module whose default export takes an event and returns one, several, or null",
  },
  identity: {
    type: type.file,
    description: "Table anonymous id to user id that fills user ids that are null",
  },
  target: {
    type: type.target,
    placeholder: "<name|file>",
    description: `Platform that the events are for: ${targetNames.join(", ")}, or a file`,
    default: defaultTarget,
  },
  repair: {
    type: type.repair,
    description: `Change what the target would drop, cut or not find: all, or some of ${repairs.join(", ")}`,
    default: false,
    negation: "Repair nothing, whatever the configuration says",
  },
  dedupe: {
    replaces: "dedupeBy",
    type: dedupe,
    description: "Remove events that repeat an earlier one",
    otherwise: "off; else day,by=insertID, with mixpanel by=insertID,event,timestamp,distinctID",
  },
  requireFields: {
    ...type.off,
    description: "Fail if a mapped field has no value in any row, or in any row of a source",
  },
  fromTime: {
    type: type.time,
    description: "Leave out events before this time",
  },
  toTime: { type: type.time, description: "Leave out events at or after this time" },
  includeEvent: {
    type: type.names,
    description: "Keep only events of this name, which may have * and ?",
    otherwise: "all",
  },
  excludeEvent: {
    type: type.names,
    description: "Leave out events of this name, which may have * and ?",
  },
  timeLimits: {
    replaces: "minTime maxTime",
    type: type.timeLimits,
    description: "Reject events outside of these times, such as 2015-01-01..2027-01-01",
    otherwise: "1971-01-01.. up to the end of tomorrow, UTC",
  },
  maxRejects: {
    type: type.rejectLimit,
    alsoIn: ["export", "send"],
    replaces: "exportMaxRejects sendMaxRejects",
    description: "More rejected rows (count or %) end with exit code 3",
    default: 0,
  },
  acceptFindings: {
    type: type.list,
    flag: false,
    description: "Codes of findings that do not count in the verdict of a dry run",
  },
  drop: {
    type: type.privacyPaths,
    description: "Remove the value at this path, such as user.email",
  },
  hash: {
    type: type.privacyPaths,
    description: "Replace the value at this path by its salted SHA-256",
  },
  cutQuery: {
    type: type.propertyPaths,
    description: "Cut URLs at this path of the event before their query",
  },
  hashSaltFile: {
    type: type.file,
    description: "File with the salt for hashed paths",
  },
  service: {
    type: type.choice(["embedded"]),
    flag: false,
    description: "Service of a migration, which is started inside the process",
    otherwise: "those of send.to and qualify.console",
  },
  ...fetchRows,
  sample: {
    section: "validate",
    type: type.share,
    description: "Read only this share of the inputs, spread over all of them",
    default: "100%",
  },
  quick: {
    section: "validate",
    ...type.off,
    description: "Read a small sample in seconds, and estimate all rows with their errors",
  },
  report: {
    section: "validate",
    type: type.directory,
    description: "Directory for the report",
    default: "./report",
  },
  compare: {
    section: "validate",
    type: type.file,
    description: "Earlier report.json, to list what has changed since",
  },
  apply: {
    section: "validate",
    ...type.off,
    description: "Write the safe fixes for the findings into the configuration file",
  },
  to: {
    section: "export",
    type: type.output,
    description: "Directory, store address, or - for standard output",
  },
  format: {
    section: "export",
    replaces: "compression csvSafe",
    type: formatType,
    description: "Format of the written files",
    default: "parquet",
  },
  layout: {
    section: "export",
    replaces: "dataset dayName partition",
    type: type.layout,
    description: "Path of the days, such as day={day}/event={event}",
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
    description: "Size of a file at which the next one begins",
    default: "128MiB",
  },
  compact: {
    section: "export",
    type: type.choice(compactChoices),
    placeholder: "<when>",
    description: "Join the small parts of a day",
    default: "auto",
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
  columns: {
    section: "export",
    replaces: "profile timestampUnit",
    type: type.outputColumns,
    description:
      "Columns of the written files: event, or a list such as name=event,time=timestamp:s",
    otherwise: "those of the target, else event",
  },
  fresh: {
    section: "export",
    ...type.off,
    description: "Delete what an earlier run left in the directory and start over",
  },
  shard: {
    section: "export",
    replaces: "finish",
    type: type.shard,
    description: "Read every n-th split, as process i of n, and finish after all of them",
  },
  queue: {
    section: "export",
    type: redisUrl,
    description: "Redis that distributes the splits to processes of `switchyard worker`",
  },
  splitSize: {
    section: "export",
    type: type.size,
    description: "Bytes of input that one thread reads and commits at a time",
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
    description: "Memory for the whole process",
    otherwise: "half of the memory of the machine or container",
  },
  ...serviceRows,
  ...outputRows,
} satisfies Readonly<Record<string, type.OptionRow>>;

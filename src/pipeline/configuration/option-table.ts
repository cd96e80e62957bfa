import { SEND_BATCH_ROWS_MAX, SEND_CONCURRENCY_MAX } from "../../base/limits.js";
import { defaultPreset, presetNames } from "../../mapper/presets.js";
import { formatKinds } from "../../readers/source.js";
import { partitions } from "../../sinks/directory-names.js";
import { profiles, type TimestampUnit, timestampUnits } from "../../sinks/output-columns.js";
import { parquetCompressions } from "../../sinks/parquet/page-compression.js";
import { compactChoices } from "../../sinks/staged-parts.js";
import { bodyForms, idempotencyKeys } from "../../sinks/webhook/request-batch.js";
import { damagedChoices, tableLogs } from "../options.js";
import { outputFormatNames } from "../output-formats.js";
import { csvOptions } from "./csv-options.js";
import { machineOptions } from "./machine-options.js";
import * as type from "./option-types.js";
import { outputOptions } from "./output-options.js";
import { serviceRows } from "./service-rows.js";
import { storeOptions } from "./store-options.js";

const detected = "detected for each input";

/** The limit of one step; flags and variables that set `maxRejects` count for it too. */
const ownRejectLimit = {
  key: "maxRejects",
  flag: false,
  type: type.rejectLimit,
  general: "maxRejects",
  otherwise: "maxRejects",
} as const;

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
  ...csvOptions,
  ...storeOptions,
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
  damaged: {
    type: type.choice(damagedChoices),
    description: "Rows that may be altered, as the checksum over them fails; send keeps them",
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
    otherwise: "insertID, with mixpanel also event, timestamp, userID and stableID",
  },
  requireFields: {
    ...type.off,
    description: "Fail if a mapped field has no value in all rows, or in all rows of a source",
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
  maxRejects: {
    type: type.rejectLimit,
    description:
      "Number or share of rejected rows up to which the exit code is still 0; for all steps",
    default: 0,
  },
  acceptFindings: {
    type: type.list,
    flag: false,
    description:
      "Codes of findings that do not count in the verdict of a dry run; write beside them in a comment who accepts them, and why",
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
    ...type.off,
    description: "Show the safe fixes for the findings and write them into the configuration file",
  },
  to: {
    section: "export",
    type: type.output,
    description:
      "Directory to write to, created if it is missing, or a place in a store: s3://bucket/prefix",
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
  dataset: {
    section: "export",
    type: type.dataset,
    description: "Name of the directory that holds the days",
    default: "events",
  },
  dayName: {
    section: "export",
    type: type.dayName,
    description: "Name of the directory of a day; day={day} makes the day a column of readers",
    default: "{day}",
  },
  partition: {
    section: "export",
    type: type.choice(partitions),
    placeholder: "<levels>",
    description:
      "Levels of directories: day, or day,event with a directory for each event of a day",
    default: "day",
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
      "Join the small parts of a day: those below 1MiB (auto), all below the part size (always), or none (never)",
    default: "auto",
  },
  csvSafe: {
    section: "export",
    ...type.off,
    description: "Put ' before CSV cells that a spreadsheet would run as a formula",
  },
  exportTable: {
    section: "export",
    key: "table",
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
      "Columns of the written files: those of events, or those that the bucket ingestion of an experimentation platform takes",
    default: "event",
  },
  timestampUnit: {
    section: "export",
    type: type.choice(Object.keys(timestampUnits) as TimestampUnit[]),
    placeholder: "<unit>",
    description:
      "Unit of the timestamps of a profile; a second loses its fraction; timestamp is the type of the format, or ISO 8601",
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
  ...machineOptions,
  exportMaxRejects: {
    section: "export",
    ...ownRejectLimit,
    description: "The same for an export, its dry run and qualify alone",
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
    placeholder: "<form>",
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
  idempotency: {
    section: "send",
    type: type.choice(idempotencyKeys),
    placeholder: "<source>",
    description:
      "Source of the Idempotency-Key of a request; insertID needs --body object, and is the same in every migration",
    default: "position",
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
    description: "Time limit for a whole response, and up to 10 for a connection",
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
    type: type.output,
    description:
      "Directory that records what was sent, and holds the rejects; with --queue, one that all workers see, or a place in a store",
    default: "./.switchyard/runs",
  },
  sendMaxRejects: {
    section: "send",
    ...ownRejectLimit,
    description: "The same for sending alone; a migration checks it before it sends anything",
  },
  sendFresh: {
    section: "send",
    key: "fresh",
    ...type.off,
    description: "Forget what an earlier run of the same command has sent, and send everything",
  },
  ...serviceRows,
  ...outputOptions,
} satisfies Readonly<Record<string, type.OptionRow>>;

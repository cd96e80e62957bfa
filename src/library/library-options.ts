import type { PresetName } from "../mapper/presets.js";
import type { CsvDialectName } from "../readers/csv/csv-dialects.js";
import type { FormatKind } from "../sources/source.js";

/** Bytes, or text with a unit: `512MB`, `2GiB`. */
export type Size = number | string;

/** A date (`2026-01-31`), a date-time (`2026-01-31T17:00:00Z`), or milliseconds since 1970 UTC. */
export type Time = number | string;

/** A number of rows, or a share of all rows: `1%`. */
export type RejectLimit = number | string;

export type { PresetName };

/** Rows in a run: read + added = delivered + rejected + filtered + duplicates. */
export interface RowCounts {
  readonly read: number;
  /** Events beyond the first that a transform made of one row. */
  readonly added: number;
  readonly delivered: number;
  readonly rejected: number;
  readonly filtered: number;
  /** Events that repeat an earlier one; absent without `dedupe`. */
  readonly duplicates?: number;
}

/**
 * Options of object stores: `s3://`, `gs://` and `az://`. Credentials, and what is not given here,
 * come from the environment, as with the stores' own tools: see docs/object-stores.md.
 */
export interface StoreOptions {
  /** Address of the S3 store, if it is not AWS: that of R2, MinIO, Ceph, B2 … */
  readonly s3Endpoint?: string | undefined;
  /** Region of the S3 store. */
  readonly s3Region?: string | undefined;
  /** Checksums of objects in S3. `supported` adds a SHA-256 that the store keeps to written ones, `off` compares none of read ones. Default: `required`. */
  readonly s3Checksums?: "required" | "supported" | "off" | undefined;
  /** Requests per second to a store, at most, of all threads. */
  readonly maxRequestsPerSecond?: number | undefined;
}

/** The dialect of CSV inputs; members that are missing are detected. */
export interface CsvDialectOptions {
  /** Program that wrote the inputs. */
  readonly name?: CsvDialectName | undefined;
  /** Text between the cells; also by name: `tab`, `comma`, `pipe`. */
  readonly delimiter?: string | undefined;
  /** Character around cells; `none` if quotes have no meaning. */
  readonly quote?: string | undefined;
  /** Character that makes a quote in a quoted cell a part of its text. */
  readonly escape?: string | undefined;
  /** Texts that mean null, in addition to empty cells and the unquoted `\\N`. */
  readonly null?: string | readonly string[] | undefined;
  /** Skip lines that begin with this character. */
  readonly comment?: string | undefined;
  /** Lines to skip at the start of each input. */
  readonly skip?: number | undefined;
  /** Names of the columns, in order. Default: the header. */
  readonly columns?: readonly string[] | undefined;
  /** The first record of each input is its header. */
  readonly header?: boolean | undefined;
  /** An encoding of the Encoding Standard, such as `windows-1252`. Default: UTF-8 or UTF-16. */
  readonly encoding?: string | undefined;
}

/**
 * Options that decide how inputs are read and mapped. Names, values and defaults are those of
 * `pipeline.config.json`: see docs/configuration.md. No file and no environment variable is read
 * for them, except for stores.
 */
export interface ReadingOptions extends StoreOptions {
  /** Directory that relative paths are resolved against. Default: the current directory. */
  readonly cwd?: string | undefined;
  /** Mapping to start from. Default: `amplitude`. */
  readonly preset?: PresetName | undefined;
  /** Changes to the preset's mapping, as `mapping` of the configuration: see docs/mapping.md. */
  readonly mapping?: object | undefined;
  /** Format of all inputs. Default: detected for each input. */
  readonly inputFormat?: FormatKind | undefined;
  /** Dialect of CSV inputs: `snowflake,null=NULL`, or its members. Default: detected. */
  readonly csvDialect?: string | CsvDialectOptions | undefined;
  /** Longer rows, decompressed, are rejected. Default: 16 MiB; at most 64 MiB. */
  readonly maxRowSize?: Size | undefined;
  /** Inputs that decompress to more than this many times their size fail. Default: 1,000. */
  readonly maxRatio?: number | undefined;
  /**
   * How rows of a compressed unit are treated if its checksum fails. Default: `leave-out`. `send`
   * and `readEvents` give them out before they know.
   */
  readonly damaged?: "leave-out" | "keep" | undefined;
  /** Read only the first rows of the inputs, in their order; rejected rows count. Default: all. */
  readonly limit?: number | undefined;
  /** Path of a module whose default export takes an event and returns one, several, or null. */
  readonly transform?: string | undefined;
  /** Leave out events before this time. */
  readonly fromTime?: Time | undefined;
  /** Leave out events at or after this time. */
  readonly toTime?: Time | undefined;
  /** Take only events of these names; `*` and `?` are wildcards. */
  readonly includeEvent?: readonly string[] | undefined;
  /** Leave out events of these names; `*` and `?` are wildcards. */
  readonly excludeEvent?: readonly string[] | undefined;
  /** Reject events outside of these times: `2015-01-01..`. Default: 1971 up to the end of tomorrow, UTC. */
  readonly timeLimits?: string | undefined;
  /** Paths of the event to leave out, such as `user.email`. */
  readonly drop?: readonly string[] | undefined;
  /** Paths of the event to replace by their salted SHA-256. Needs `hashSalt`. */
  readonly hash?: readonly string[] | undefined;
  /** Paths of properties whose URLs lose their query, such as `metadata.page_url`. */
  readonly cutQuery?: readonly string[] | undefined;
  /** A secret: salt for `hash`. It is never written or printed. */
  readonly hashSalt?: string | undefined;
}

/** A part of the event that a key can be made of. */
export type KeyTarget =
  | "insertID"
  | "distinctID"
  | "event"
  | "timestamp"
  | "userID"
  | "stableID"
  | "value"
  | "user"
  | "metadata";

/** Options of runs that read all inputs to their end. */
interface RunOptions extends ReadingOptions {
  /** Remove events that repeat an earlier one, within its day or within all; `true` is `day`. Default: off. */
  readonly dedupe?: boolean | "day" | "all" | undefined;
  /** Targets that make the key of `dedupe`. Default: the insert id, or what the preset says. */
  readonly dedupeBy?: readonly KeyTarget[] | undefined;
  /** Rejected rows up to which `tooManyRejects` is false. Default: 0. */
  readonly maxRejects?: RejectLimit | undefined;
  /**
   * Reject with `fields_missing` after the run if a mapped field has no value in any row, or in any
   * row of a source. What the run has written stays.
   */
  readonly requireFields?: boolean | undefined;
}

/** Columns of events. */
interface ColumnOptions {
  /**
   * `event`, `platform` (the bucket ingestion of an experimentation platform), both also with the unit of
   * timestamps (`event:s`), or a list: `["name=event", "price=value:double"]`. Default: `event`.
   */
  readonly columns?: string | readonly string[] | undefined;
  /** Write the insert ids of events, if the mapping has one. Default: true. */
  readonly insertId?: boolean | undefined;
}

/** Signal and callbacks of a run. */
export interface RunControl {
  /** Shuts the run down cleanly: it resolves with the outcome `interrupted` and can be resumed. */
  readonly signal?: AbortSignal | undefined;
  /** Called about twice a second, and once at the end. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Called with notices, e.g. when a run is resumed or fewer threads are used than requested. */
  readonly onNote?: ((text: string) => void) | undefined;
}

/** A moment of a run. Bytes are bytes on disk. */
export interface Progress {
  /**
   * `keys`: all rows are read a first time, to find repeated events. `merging`: all rows are read,
   * and rows that were spilled are written to their days.
   */
  readonly phase: "reading" | "keys" | "merging";
  readonly bytesDone: number;
  readonly bytesTotal: number;
  /** Rows that this run has read; in the phase `merging`, rows that it has merged. */
  readonly rows: number;
  /** Rows that this run has rejected. */
  readonly rejects: number;
}

/** Options of `exportEvents`: those of the configuration's root and of its section `export`. */
export interface ExportEventsOptions extends RunOptions, ColumnOptions, RunControl {
  /** Files, directories (recursive) and globs, also of a store: `s3://bucket/exports/`. */
  readonly inputs: string | readonly string[];
  /** Directory to write to, created if it does not exist, or an address such as `s3://bucket/prefix`. */
  readonly to: string;
  /** Format of the parts. Default: `parquet`. */
  readonly format?: "parquet" | "jsonl" | "jsonl.gz" | "csv" | "arrow" | undefined;
  /** Compression inside Parquet parts; `zstd` needs Node 22.15. Default: `snappy`. */
  readonly compression?: "snappy" | "none" | "gzip" | "zstd" | undefined;
  /** Path of the day directories: `events/day={day}`, `{day}/event={event}`. Default: `events/{day}`. */
  readonly layout?: string | undefined;
  /** IANA zone or fixed offset that decides the day of an event. Default: `UTC`. */
  readonly dayZone?: string | undefined;
  /** A part that reaches this size is followed by the next one. Default: 128 MiB. */
  readonly partSize?: Size | undefined;
  /** Input that one thread reads and commits at a time. Default: 64 MiB. */
  readonly splitSize?: Size | undefined;
  /** Put `'` before CSV cells that a spreadsheet would run as a formula. */
  readonly csvSafe?: boolean | undefined;
  /** Join the small parts of a day: those below 1 MiB, all below the part size, or none. Default: `auto`. */
  readonly compact?: "auto" | "always" | "never" | undefined;
  /** Write the log of a Delta table beside the days of Parquet parts. Default: `none`. */
  readonly tableLog?: "none" | "delta" | undefined;
  /** Worker threads. Default: as many as the machine can run at once. */
  readonly threads?: number | undefined;
  /** Memory that the run may use. Default: half of the memory of the machine or container. */
  readonly memory?: Size | undefined;
  /** Discard what an earlier run left in the directory. */
  readonly fresh?: boolean | undefined;
  /** Write to a store that cannot write on condition, where a second run would not be noticed. */
  readonly unsafeLock?: boolean | undefined;
}

/** Options of `validateExport`. Those of an export and of sending are for the estimates. */
export interface ValidateExportOptions extends RunOptions, ColumnOptions, RunControl {
  /** Files, directories (recursive) and globs, also of a store: `s3://bucket/exports/`. */
  readonly inputs: string | readonly string[];
  /** Share of the inputs to read, spread over all of them: `1%` or 0.01. Default: all. */
  readonly sample?: number | string | undefined;
  /** Directory for report.html and report.json. Default: no files are written. */
  readonly report?: string | undefined;
  readonly format?: ExportEventsOptions["format"];
  readonly compression?: ExportEventsOptions["compression"];
  readonly csvSafe?: boolean | undefined;
  /** Events per second that would be sent. Default: 1,000. */
  readonly rate?: number | undefined;
  /** Codes of findings that do not count in the verdict: see docs/findings.md. */
  readonly acceptFindings?: readonly string[] | undefined;
  /** IANA zone or fixed offset of days and hours. Default: `UTC`. */
  readonly dayZone?: string | undefined;
  readonly splitSize?: Size | undefined;
  readonly threads?: number | undefined;
  readonly memory?: Size | undefined;
}

/** Options of `sendEvents`: those of the configuration's root and of its section `send`. */
export interface SendEventsOptions extends RunOptions, RunControl {
  /** Files, directories (recursive) and globs, also of a store: `s3://bucket/exports/`. */
  readonly inputs: string | readonly string[];
  /** Base URL of the service, without `/v1/webhooks/event_webhook`. */
  readonly to: string;
  /** A secret: the server secret of the service. It is never written or printed. */
  readonly serverSecret: string;
  /** Events of one request, which has an array if there are several. Default: 1. */
  readonly batchSize?: number | undefined;
  /** Requests at the same time. Default: 32. */
  readonly concurrency?: number | undefined;
  /** Source of the `Idempotency-Key` of a request; `insertID` needs `batchSize: 1`. Default: `position`. */
  readonly idempotency?: "position" | "insertID" | undefined;
  /** Maximum number of events per second. */
  readonly rate?: number | undefined;
  /** Events that may be sent at once after a pause, with `rate`. */
  readonly burst?: number | undefined;
  /** Seconds for a connection, and for a whole response. Default: 30. */
  readonly timeout?: number | undefined;
  /** Seconds without a success after which the run stops; it can be resumed. Default: 900. */
  readonly giveUpAfter?: number | undefined;
  /** Header that carries the secret. Default: `SERVICE-API-KEY`. */
  readonly authHeader?: string | undefined;
  /**
   * Directory that remembers what was sent, and keeps the rejects. Default: `./.switchyard/runs`.
   */
  readonly runs?: string | undefined;
  readonly splitSize?: Size | undefined;
  readonly memory?: Size | undefined;
  /** Forget what an earlier run with the same options has sent. */
  readonly fresh?: boolean | undefined;
}

/** Options of `verifyExport`. */
export interface VerifyExportOptions extends StoreOptions {
  /** Directory that a relative directory is resolved against. Default: the current directory. */
  readonly cwd?: string | undefined;
  /** Read the rows of an export in a store, not only the checksums that the store has. */
  readonly read?: boolean | undefined;
  /** An abort rejects the promise with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called about twice a second, and once at the end. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** A rejected row. */
export interface RejectedRow {
  /** Name of the source. */
  readonly source: string;
  /** 1-based number of the row, where the reader knows it. */
  readonly row?: number;
  /** 0-based offset in the decompressed source, where there is one. */
  readonly byte?: number;
  /** Stable code: see docs/rejects.md. */
  readonly code: string;
  readonly message: string;
}

/** A source that could not be read to its end. */
export interface FailedSource {
  /** Name of the source. */
  readonly source: string;
  /** Stable code: see docs/errors.md. */
  readonly code: string;
  readonly message: string;
}

/** Options of `readEvents`. */
export interface ReadEventsOptions extends ReadingOptions, ColumnOptions {
  /** An abort makes the iteration throw the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called with each rejected row. Without it, the iteration throws `rejects_exceeded` at its end
   * if more rows were rejected than `maxRejects` allows.
   */
  readonly onReject?: ((row: RejectedRow) => void) | undefined;
  /** Called with each source that fails; the next one follows. Without it, the iteration throws. */
  readonly onFailure?: ((failure: FailedSource) => void) | undefined;
  /** Default: 0. */
  readonly maxRejects?: RejectLimit | undefined;
}

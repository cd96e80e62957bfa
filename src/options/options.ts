import type { Naming } from "../base/option-text.js";
import type { TargetTypes } from "../batch/text-types.js";
import type { OutputFormat, PartOptions } from "../formats/output-formats.js";
import type { SharedIdentity } from "../mapper/identity-table.js";
import type { PrivacyPaths, TargetOptions } from "../mapper/mapper-options.js";
import type { Mapping } from "../mapper/mapping.js";
import type { Shard } from "../plan/shard.js";
import type { DirectoryTemplate } from "../sinks/directory-names.js";
import type { RowsOptions } from "../sinks/output-columns.js";
import type { ParquetCompression } from "../sinks/parquet/parquet-compressions.js";
import type { Compact } from "../sinks/staged-parts.js";
import type { Format, GivenDialect } from "../sources/source.js";
import type { S3Options } from "../store/object-store.js";
import type { BodyForm } from "../webhook/body-form.js";
import type { Success } from "../webhook/judge-answer.js";
import type { DedupeOptions } from "./dedupe-options.js";

/** Treatment of rows that may be altered. */
export const damagedChoices = ["leave-out", "keep"] as const;
type Damaged = (typeof damagedChoices)[number];

/** The number or share of rejected rows at which a run still counts as done. */
export type MaxRejects = { readonly rows: number } | { readonly share: number };

/**
 * The resolved options that all kinds of runs share: defaults are filled in, paths are absolute,
 * names are checked. Plain data that survives a structured clone. Times are milliseconds since 1970
 * UTC, sizes are bytes.
 */
export interface RunOptions {
  /** Files, directories and globs as the user gave them, relative to `cwd`. */
  readonly inputs: readonly string[];
  readonly cwd: string;
  /** Absolute paths of the configuration and of what other steps write; never inputs. */
  readonly notInputs: readonly string[];
  /** Absolute; holds the ledger, the rejects and the manifest. */
  readonly outputDirectory: string;
  /**
   * Subdirectory for the temporary files of this process; absent if no other process can read the same
   * split. A process that was paused for too long may still write while another one reads its split.
   */
  readonly temporaryName?: string;
  /** If absent, detected from the first bytes of each source. */
  readonly inputFormat?: Format["kind"];
  /** The settings of the CSV dialect that the user gave; the others are detected. */
  readonly csv: GivenDialect;

  /** Name of the preset that `mapping` came from, for reports. */
  readonly preset: string;
  /** The preset's mapping with the user's changes. */
  readonly mapping: Mapping;
  /** The salt is passed to the workers, never into a file or a message. */
  readonly privacy: PrivacyPaths;
  /** Absolute path of the module that may change events. */
  readonly transformPath?: string;
  /** Absolute path of the table anonymous id → user id that fills users. */
  readonly identityPath?: string;
  /** The table, as threads get it. */
  readonly identity?: SharedIdentity;
  /** Events before it are rejected. */
  readonly minTimeMs: number;
  /**
   * Events at or after it are rejected. `tomorrow`: the end of the UTC day after the run's first
   * start, which a resumed run keeps.
   */
  readonly maxTimeMs: number | "tomorrow";
  /** Events before it are filtered. */
  readonly fromTimeMs?: number;
  /** Events at or after it are filtered. */
  readonly toTimeMs?: number;
  /** The rules of the platform that the events are for; absent if it has none for events. */
  readonly target?: TargetOptions;
  /** Events with other texts are rejected. */
  readonly types?: TargetTypes;
  /** Names with `*` and `?`; empty means all. */
  readonly includeEvents: readonly string[];
  readonly excludeEvents: readonly string[];

  /** Worker threads, at least 1; fewer are started if `memoryBytes` is too small for all. */
  readonly threads: number;
  /** Memory limit of the whole process. */
  readonly memoryBytes: number;
  readonly rowBytesMax: number;
  /** Decompressed bytes per compressed byte. */
  readonly ratioMax: number;
  readonly splitBytes: number;
  readonly s3: S3Options;
  /** Treatment of rows that a checksum found altered; sending keeps them. */
  readonly damaged: Damaged;
  readonly maxRejects: MaxRejects;
  /** The events that are removed as duplicates; absent: none. */
  readonly dedupe?: DedupeOptions;
  /** Absolute; the directory in which a dry run keeps keys for the run that follows. */
  readonly keptKeysDirectory?: string;
  /** Delete what an earlier run left in the output directory and start over. */
  readonly fresh: boolean;
  /** How messages name options; absent: as flags. */
  readonly naming?: Naming;
  /** Read only the first rows of the inputs, in their order; absent: all. */
  readonly limit?: number;
}

/** The options of a run whose output can be in a store. */
export interface StoredOptions extends RunOptions {
  /** Write to a store that ignores conditions. */
  readonly unsafeLock: boolean;
}

/** The request to count the events of inputs; a count leaves no files behind. */
export type CountRequest = Omit<RunOptions, "outputDirectory">;

/** The request of `identities`. */
export interface IdentitiesRequest extends CountRequest {
  /** Absolute path of the table. */
  readonly tablePath: string;
}

/** The options of a worker that finds links between ids. */
export interface IdentitiesOptions extends RunOptions {
  /** Some sources are files of merged ids. */
  readonly hasMerges: boolean;
}

/** The request of `validate`. */
export interface ValidateRequest extends CountRequest, PartOptions {
  /** Format of the export whose size is estimated. */
  readonly format: OutputFormat;
  /** IANA name or fixed offset that days and hours are in. */
  readonly dayZone: string;
  /** The key by which duplicates are counted, although they are not removed; ignored for a sample. */
  readonly countedKey?: DedupeOptions;
  /** Share of the inputs to read; 1 is all. */
  readonly sampleShare: number;
  /** Read a sample of byte ranges, and estimate all rows from it; absent: count what is read. */
  readonly quick?: QuickLimits;
  /** Absolute; holds the report. */
  readonly reportDirectory: string;
}

/** The size of the sample of a quick dry run. */
export interface QuickLimits {
  /** Pieces of files, row groups and beginnings of files, over all inputs. */
  readonly units: number;
  readonly pieceBytes: number;
  /** Rows of a source that cannot be cut; of a row group, 20 times as many. */
  readonly firstRows: number;
}

/** The options of a dry run's worker. */
export interface ValidateOptions
  extends Omit<ValidateRequest, "sampleShare" | "quick" | "reportDirectory"> {
  /** As in `RunOptions`. */
  readonly outputDirectory: string;
  /** Milliseconds since 1970 UTC; later events are in the future. */
  readonly nowMs: number;
}

/** The logs of table formats that an export can write. */
export const tableLogs = ["none", "delta"] as const;
type TableLog = (typeof tableLogs)[number];

/** The options of an export. */
export interface ExportOptions extends StoredOptions, RowsOptions, DirectoryTemplate {
  readonly format: OutputFormat;
  readonly compression: ParquetCompression;
  /** IANA name or fixed offset that decides which day a timestamp belongs to. */
  readonly dayZone: string;
  readonly partBytes: number;
  /** The log of a table format that is written beside the days. */
  readonly table: TableLog;
  readonly csvSafe: boolean;
  readonly compact: Compact;
  /** Read only the splits of a shard, and do not write a manifest. */
  readonly shard?: Shard;
  /** Merge what shards have read and write the manifest; do not read any split. */
  readonly finish: boolean;
  /** Address of Redis, may hold a password: workers that share this queue read the splits. */
  readonly queue?: string;
}

/** The options of an export to standard output. */
export interface StreamOptions extends Omit<RunOptions, "outputDirectory">, RowsOptions {}

/** The output of an export that is standard output instead of a directory. */
export const STANDARD_OUTPUT = "-";

/** The options of sending. */
export interface SendOptions extends StoredOptions {
  /** Name of the service: its URL with the path, or another name if the URL can change. */
  readonly destination: string;
  /** URL that events are sent to, with its path. */
  readonly eventUrl: string;
  readonly body: BodyForm;
  /** Members that an answer must have to accept events; default: none. */
  readonly success?: Success;
  /**
   * The key whose digest is the idempotency key of an event; if absent, the position of the event is used.
   */
  readonly idempotency?: DedupeOptions;
  /** Events of one request. */
  readonly batchRows: number;
  /** Requests in progress at the same time. */
  readonly concurrency: number;
  /** Events per second; unlimited if absent. */
  readonly rate?: number;
  /** Events that may be sent at once after a pause. */
  readonly burst?: number;
  readonly timeoutMs: number;
  readonly giveUpAfterMs: number;
  /** Header that carries the secret. */
  readonly authHeader: string;
  /** A secret: passed to the worker, never into a file or a message. */
  readonly serverSecret: string;
  /** Digest of the options that decide which event is the n-th of a range. */
  readonly keySeed: string;
  /** The service has accepted events of an earlier start of this run. */
  readonly isReached: boolean;
  /** Absent if one process sends all splits. */
  readonly shared?: SharedSending;
}

/** Identifies a process among those that send the splits of a run. */
export interface SharedSending {
  /** Its unique name. */
  readonly owner: string;
  /** Buffer of its `ClaimTime`. */
  readonly claimTime: SharedArrayBuffer;
  /** Address of Redis, may hold a password: it keeps the common rate of all processes. */
  readonly queue: string;
  /** Address of the run if it is in a store; the output directory is then a copy of it. */
  readonly address?: string;
}

/** The request of `send`; the rest of its options is derived from it. */
export interface SendRequest
  extends Omit<SendOptions, "outputDirectory" | "keySeed" | "isReached" | "shared"> {
  /** Address of Redis, may hold a password: workers that share this queue send the splits. */
  readonly queue?: string;
  /** Absolute; holds a directory for each run. */
  readonly runsDirectory: string;
  /** Arguments that resume the run, without the program's name. */
  readonly command: readonly string[];
}

/** JSON that commands print: the result only, or a line for each thing that they tell too. */
export const jsonOutputs = ["result", "log"] as const;
export type JsonOutput = (typeof jsonOutputs)[number];

/** The warehouses that `load-sql` knows. */
export const warehouses = ["bigquery", "snowflake", "redshift", "clickhouse", "duckdb"] as const;
export type Warehouse = (typeof warehouses)[number];

/** The options that each worker sets itself: its machine, its access to stores, its secrets. */
export interface OwnOptions extends Pick<ExportOptions, "threads" | "memoryBytes"> {
  readonly s3: S3Options;
  readonly salt?: string;
  readonly serverSecret?: string;
  /** Absolute paths of the transform module and the table of identities, if they differ from the coordinator's. */
  readonly transformPath?: string;
  readonly identityPath?: string;
}

/** The options of a worker. */
export interface WorkerOptions extends OwnOptions {
  /** Address of Redis; may hold a password. */
  readonly queue: string;
  /** Write to a store that ignores conditions. */
  readonly unsafeLock: boolean;
}

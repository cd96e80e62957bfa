import type { Mapping } from "../mapper/mapping.js";
import type { CsvDialect, Format } from "../readers/source.js";
import type { ParquetCompression } from "../sinks/parquet/page-compression.js";
import type { BodyForm } from "../sinks/webhook/request-batch.js";
import type { OutputFormat } from "./output-formats.js";

/** Which paths of user and metadata are dropped or replaced by a salted SHA-256. */
export interface PrivacyOptions {
  readonly drop: readonly string[];
  readonly hash: readonly string[];
  /** A secret: goes to the workers, never into a file or a message. */
  readonly salt?: string;
}

/** How many rejected rows a run may have and still be called done. */
export type MaxRejects = { readonly rows: number } | { readonly share: number };

/**
 * What every run needs to know, whatever becomes of its events, resolved: defaults filled in, paths
 * absolute, names checked. Plain data that survives a structured clone. Times are milliseconds since
 * 1970 UTC, sizes are bytes.
 */
export interface RunOptions {
  /** Files, directories and globs as the user gave them, relative to `cwd`. */
  readonly inputs: readonly string[];
  readonly cwd: string;
  /** Absolute; what other steps write, and the configuration: no inputs, wherever they lie. */
  readonly notInputs: readonly string[];
  /** Absolute; holds the ledger, the rejects and the manifest. */
  readonly outputDirectory: string;
  /** Where absent, each source's own bytes decide. */
  readonly inputFormat?: Format["kind"];
  /** What the user says about CSV; the rest is detected. */
  readonly csv: Partial<CsvDialect>;

  /** Name of the preset that `mapping` came from, for reports. */
  readonly preset: string;
  /** The preset's mapping with the user's changes. */
  readonly mapping: Mapping;
  readonly privacy: PrivacyOptions;
  /** Absolute path of the module that may change events. */
  readonly transformPath?: string;
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
  /** Names with `*` and `?`; empty means all. */
  readonly includeEvents: readonly string[];
  readonly excludeEvents: readonly string[];

  /** Worker threads, at least 1; fewer are started where `memoryBytes` does not suffice. */
  readonly threads: number;
  /** What the whole process may take. */
  readonly memoryBytes: number;
  readonly rowBytesMax: number;
  /** Decompressed bytes per compressed byte. */
  readonly ratioMax: number;
  readonly splitBytes: number;
  readonly maxRejects: MaxRejects;
  /** Throw away what an earlier run left in the output directory and start over. */
  readonly fresh: boolean;
}

/** Everything that counting the events of inputs needs to know: it leaves nothing behind. */
export type CountRequest = Omit<RunOptions, "outputDirectory">;

/** What a user asks of `validate`. */
export interface ValidateRequest extends CountRequest {
  /** IANA name or fixed offset that days and hours are in. */
  readonly dayZone: string;
  /** Share of the inputs to read; 1 is all. */
  readonly sampleShare: number;
  /** Absolute; holds the report. */
  readonly reportDirectory: string;
}

/** Everything that a worker of a dry run needs to know, on the same terms. */
export interface ValidateOptions extends RunOptions {
  readonly dayZone: string;
  /** Milliseconds since 1970 UTC: events that are later are in the future. */
  readonly nowMs: number;
}

/** Everything that an export needs to know, on the same terms. */
export interface ExportOptions extends RunOptions {
  /** Name of the directory that holds the days. */
  readonly dataset: string;
  readonly format: OutputFormat;
  readonly compression: ParquetCompression;
  /** IANA name or fixed offset that decides which day a timestamp belongs to. */
  readonly dayZone: string;
  readonly partBytes: number;
  readonly csvSafe: boolean;
}

/** Everything that sending needs to know, on the same terms. */
export interface SendOptions extends RunOptions {
  /**
   * What the service is called: its URL, path included, or a name where that is not the same every time.
   */
  readonly destination: string;
  /** Where the events go, path included. */
  readonly eventUrl: string;
  readonly body: BodyForm;
  /** Events of one request. */
  readonly batchRows: number;
  /** Requests under way at the same time. */
  readonly concurrency: number;
  /** Events per second; no limit where absent. */
  readonly rate?: number;
  /** Events that may go out at once after a rest. */
  readonly burst?: number;
  readonly timeoutMs: number;
  readonly giveUpAfterMs: number;
  /** Header that carries the secret. */
  readonly authHeader: string;
  /** A secret: goes to the worker, never into a file or a message. */
  readonly serverSecret: string;
  /** Whatever decides, beside its content, which events are the n-th of a range. */
  readonly keySeed: string;
}

/** What a user asks of `send`: directory and seed follow from it. */
export interface SendRequest extends Omit<SendOptions, "outputDirectory" | "keySeed"> {
  /** Absolute; holds a directory for each run. */
  readonly runsDirectory: string;
  /** Words that take the run up again, without the program's name. */
  readonly command: readonly string[];
}

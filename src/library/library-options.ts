import type { z } from "zod";
import type { KeyTarget } from "../mapper/preset.js";
import type { PresetName } from "../mapper/presets.js";
import type { optionTable } from "../options/option-table.js";
import type { Section } from "../options/option-types.js";
import type { commandOptions } from "./library-configuration.js";
import type { FailedSource, RejectedRow } from "./results.js";
import type { RunControl } from "./run-control.js";

// The types of options are those of the option table. The build writes them as plain interfaces, each
// member with its sentence of the table (scripts/library-types.mjs).

type Table = typeof optionTable;

type Fixed<Value> = Value extends (infer Item)[]
  ? readonly Item[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Fixed<Value[Key]> }
    : Value;

type InputOf<Name extends keyof Table> = z.input<ReturnType<Table[Name]["type"]["schema"]>>;

type SectionOf<Name extends keyof Table> = Table[Name] extends { readonly section: infer In }
  ? In
  : "root";

type LocalName<Name extends keyof Table> = Table[Name] extends {
  readonly key: infer Key extends string;
}
  ? Key
  : Name;

/** The options of a section that a program can give, by their names in it. */
type OptionsOf<In extends Section | "root"> = {
  readonly [Name in Exclude<keyof Table, keyof typeof commandOptions> as SectionOf<Name> extends In
    ? LocalName<Name>
    : never]?: Fixed<InputOf<Name>> | undefined;
};

type RootSection = OptionsOf<"root">;
type ExportSection = OptionsOf<"export">;
type SendSection = OptionsOf<"send">;
type ColumnOptions = Pick<ExportSection, "columns" | "insertId">;
type MachineOptions = Pick<ExportSection, "splitSize" | "memory">;
type OfStores = "s3Endpoint" | "s3Region" | "s3Checksums" | "maxRequestsPerSecond";
/** Options that change or leave out events, which rows that link ids ignore. */
type FilterNames =
  | "transform"
  | "identity"
  | "fromTime"
  | "toTime"
  | "includeEvent"
  | "excludeEvent"
  | "drop"
  | "hash"
  | "cutQuery";
/** Options of runs that read all inputs to their end. */
type OfRuns = "dedupe" | "requireFields" | "maxRejects";

export type { KeyTarget, PresetName };

/** Bytes, or text with a unit: `512MB`, `2GiB`. */
export type Size = InputOf<"partSize">;

/** A date (`2026-01-31`), a date-time (`2026-01-31T17:00:00Z`), or milliseconds since 1970 UTC. */
export type Time = InputOf<"fromTime">;

/** A number of rows, or a share of all rows: `1%`. */
export type RejectLimit = InputOf<"maxRejects">;

/** The dialect of CSV inputs; members that are missing are detected. */
export type CsvDialectOptions = Exclude<NonNullable<RootSection["csvDialect"]>, string>;

/** The events among which repeated ones are found, and what makes them the same event. */
export type DedupeMembers = Extract<RootSection["dedupe"], object>;

/**
 * Options of object stores: `s3://`, `gs://` and `az://`. Credentials, and what is not given here,
 * come from the environment, as with the stores' own tools: see docs/object-stores.md.
 */
export interface StoreOptions extends Pick<RootSection, OfStores> {}

/**
 * Options that decide how inputs are read and mapped. Names, values and defaults are those of
 * `pipeline.config.json`: see docs/configuration.md. No file and no environment variable is read
 * for them, except for stores.
 */
export interface ReadingOptions
  extends Omit<RootSection, OfRuns | "inputs" | "authHeader" | "acceptFindings"> {
  /** Directory that relative paths are resolved against. Default: the current directory. */
  readonly cwd?: string | undefined;
  /** Changes to the preset's mapping, as `mapping` of the configuration: see docs/mapping.md. */
  readonly mapping?: object | undefined;
  /** A secret: salt for `hash`. It is never written or printed. */
  readonly hashSalt?: string | undefined;
}

interface WholeRunOptions extends ReadingOptions, Pick<RootSection, OfRuns>, RunControl {
  /** Files, directories (recursive) and globs, also of a store: `s3://bucket/exports/`. */
  readonly inputs: string | readonly string[];
}

/** Options of `exportEvents`: those of the configuration's root and of its section `export`. */
export interface ExportEventsOptions extends WholeRunOptions, Omit<ExportSection, "to"> {
  /** Directory to write to, created if it does not exist, or an address such as `s3://bucket/prefix`. */
  readonly to: string;
}

/** Options of `validateExport`. Those of an export and of sending are for the estimates. */
export interface ValidateExportOptions
  extends WholeRunOptions,
    OptionsOf<"validate">,
    ColumnOptions,
    MachineOptions,
    Pick<RootSection, "acceptFindings">,
    Pick<ExportSection, "format" | "dayZone" | "threads">,
    Pick<SendSection, "rate"> {}

/** Options of `sendEvents`: those of the configuration's root and of its section `send`. */
export interface SendEventsOptions
  extends WholeRunOptions,
    Omit<SendSection, "to">,
    MachineOptions,
    Pick<RootSection, "authHeader"> {
  /** Base URL of the service, without `/v1/webhooks/event_webhook`. */
  readonly to: string;
  /** A secret: the server secret of the service. It is never written or printed. */
  readonly serverSecret: string;
}

/** Options of `identities`. */
export interface IdentitiesOptions
  extends Omit<WholeRunOptions, FilterNames | "dedupe" | "requireFields" | "hashSalt">,
    MachineOptions,
    Pick<ExportSection, "threads"> {
  /** File to write, which ends in `.parquet`, `.csv` or `.jsonl`. */
  readonly to: string;
}

/** Options of `verifyExport`. */
export interface VerifyExportOptions
  extends StoreOptions,
    OptionsOf<"verify">,
    Pick<RunControl, "onProgress"> {
  /** Directory that a relative directory is resolved against. Default: the current directory. */
  readonly cwd?: string | undefined;
  /** An abort rejects the promise with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `readEvents`. */
export interface ReadEventsOptions
  extends ReadingOptions,
    ColumnOptions,
    Pick<RootSection, "maxRejects"> {
  /** An abort makes the iteration throw the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called with each rejected row. Without it, the iteration throws `rejects_exceeded` at its end
   * if more rows were rejected than `maxRejects` allows.
   */
  readonly onReject?: ((row: RejectedRow) => void) | undefined;
  /** Called with each source that fails; the next one follows. Without it, the iteration throws. */
  readonly onFailure?: ((failure: FailedSource) => void) | undefined;
}

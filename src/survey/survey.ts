import type { RejectCodeName } from "../base/reject-codes.js";
import type { WrittenChanges, WrittenMapping } from "../mapper/mapping.js";
import type { PresetName } from "../mapper/presets.js";
import type { DiscoveryFailure } from "../sources/source-discovery.js";

/** The result of sampling the inputs: plain data. Names of sources and fields come from the inputs. */
export interface Survey {
  /** Sources that were found and can be opened. */
  readonly sources: number;
  /** Bytes on disk of the sources; a zip entry counts with its compressed size. */
  readonly bytes: number;
  readonly shapes: readonly SourceShape[];
  readonly sample: SampleCounts;
  readonly mapping: FoundMapping;
  /** Fields that the mapping does not use, in the sampled rows. */
  readonly unused: readonly UnusedField[];
  /** Columns that the mapping keeps beside the properties, with dots. */
  readonly kept: readonly string[];
  /** Texts of CSV cells that probably mean null. */
  readonly nulls: readonly NullText[];
  readonly time: FoundTime;
  readonly trial: MappingTrial;
  /** The first sources that cannot be read or whose format is unknown. */
  readonly failures: readonly DiscoveryFailure[];
  readonly failuresTotal: number;
  /** Uncertain points, in sentences. */
  readonly doubts: readonly string[];
}

/** A text of CSV cells that probably means null. */
export interface NullText {
  readonly text: string;
  /** Columns in which it occurs often enough. */
  readonly columns: readonly string[];
  /** Cells of these columns in the sampled rows. */
  readonly cells: number;
}

/** A field of the rows that does not reach the event. */
export interface UnusedField {
  /** Its path, with dots. */
  readonly field: string;
  readonly path: readonly string[];
  /** Sampled rows in which it is present and not null. */
  readonly filled: number;
}

/** Sources that are read in the same way. */
export interface SourceShape {
  /** For example `newline-delimited JSON in gzip`. */
  readonly words: string;
  readonly sources: number;
  /** Name of one of the sources. */
  readonly example: string;
}

interface SampleCounts {
  readonly sources: number;
  readonly rows: number;
  /** Elements of the list that the mapping's `rows` names; the number of rows if it names none. */
  readonly elements: number;
  /** Rows that could not be read. */
  readonly faults: number;
}

/** The mapping that was found, and its origin. */
export type FoundMapping = {
  /** Reasons for it, in sentences. */
  readonly reasons: readonly string[];
} & (
  | {
      readonly kind: "preset" | "given";
      readonly preset: PresetName;
      /** The `mapping` that the configuration needs. */
      readonly changes?: WrittenChanges;
    }
  /** Guessed from names and values of fields. */
  | { readonly kind: "guess"; readonly changes: WrittenMapping }
);

export interface FoundTime {
  /** The field, with dots. */
  readonly field: string;
  /** Undefined if its values are not times. */
  readonly form: TimeForm | undefined;
  /** Zone that the mapping assumes for times without one. */
  readonly zone: string;
}

/** Counts of the sampled rows after mapping. */
export interface MappingTrial {
  readonly rows: number;
  readonly delivered: number;
  /** Rows that the filters leave out. */
  readonly filtered: number;
  readonly rejects: Readonly<Partial<Record<RejectCodeName, number>>>;
  /** Milliseconds since 1970 UTC of the earliest and the latest event; undefined if there is none. */
  readonly firstMs?: number;
  readonly lastMs?: number;
}

/** The form of times, as seen in a sample. */
export interface TimeForm {
  /** Description for people. */
  readonly words: string;
  /** The format that the mapping needs, or several; undefined if `auto` reads the times. */
  readonly format?: string | string[];
  /** Another pattern that reads some of the times as others. */
  readonly otherFormat?: string;
  /** True if some times are not epochs and name no zone. */
  readonly isLocal: boolean;
}

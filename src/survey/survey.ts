import type { RejectCodeName } from "../base/reject-codes.js";
import type { WrittenChanges, WrittenMapping } from "../mapper/mapping.js";
import type { PresetName } from "../mapper/presets.js";
import type { TimeForm } from "./time-form.js";

/** What a look at inputs has found: plain data. Names of sources and fields are from the inputs. */
export interface Survey {
  /** All that were found and can be opened. */
  readonly sources: number;
  /** Bytes of them on disk; a zip counts what its entries take in it. */
  readonly bytes: number;
  readonly shapes: readonly SourceShape[];
  readonly sample: SampleCounts;
  readonly mapping: FoundMapping;
  readonly time: FoundTime;
  readonly trial: Trial;
  /** Sources that cannot be read, or not be told; the first few of them. */
  readonly failures: readonly SurveyFailure[];
  readonly failuresTotal: number;
  /** What is not certain, in sentences. */
  readonly doubts: readonly string[];
}

/** Sources that are read in the same way. */
export interface SourceShape {
  /** Such as `newline-delimited JSON in gzip`. */
  readonly words: string;
  readonly sources: number;
  /** Name of one of them. */
  readonly example: string;
}

export interface SampleCounts {
  readonly sources: number;
  readonly rows: number;
  /** Rows that could not be read. */
  readonly faults: number;
}

export interface SurveyFailure {
  readonly name: string;
  readonly code: string;
  readonly message: string;
}

/** Where the mapping comes from. */
export type FoundMapping = {
  /** What speaks for it, in sentences. */
  readonly reasons: readonly string[];
} & (
  | {
      readonly kind: "preset" | "given";
      readonly preset: PresetName;
      /** The `mapping` that the configuration needs. */
      readonly changes?: WrittenChanges;
    }
  /** By names and values of fields. */
  | { readonly kind: "guess"; readonly changes: WrittenMapping }
);

export interface FoundTime {
  /** The field, with dots. */
  readonly field: string;
  /** Undefined where its values are no times. */
  readonly form: TimeForm | undefined;
  /** Zone of times that name none, by the mapping. */
  readonly zone: string;
}

/** What the mapping makes of the sample. */
export interface Trial {
  readonly rows: number;
  readonly delivered: number;
  /** Rows that the mapping leaves out on purpose. */
  readonly filtered: number;
  readonly rejects: Readonly<Partial<Record<RejectCodeName, number>>>;
  /** Milliseconds since 1970 UTC of the earliest and the latest event; undefined without any. */
  readonly firstMs?: number;
  readonly lastMs?: number;
}

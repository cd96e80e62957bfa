import type { WrittenMapping } from "./mapping.js";

/** Targets that the key of repeated events can be made of. */
export const keyTargets = [
  "insertID",
  "distinctID",
  "event",
  "timestamp",
  "userID",
  "stableID",
  "value",
  "user",
  "metadata",
] as const;
export type KeyTarget = (typeof keyTargets)[number];

/** A field that only one tool's rows have. */
interface PresetMark {
  /** Steps joined by dots. */
  readonly path: string;
  /** Text that the value contains, in any case; for names that several tools use. */
  readonly contains?: string;
}

/** The facts that tell one tool's rows from those of others. */
export interface PresetSignature {
  /** Required paths: most rows have one of each list. */
  readonly required: readonly (readonly string[])[];
  /** Known names at the root of the rows. */
  readonly columns: readonly string[];
  readonly marks: readonly PresetMark[];
}

/** All facts about the exports of one tool, from the vendor's documentation. */
export interface Preset extends PresetSignature {
  /** The tool's name. */
  readonly vendor: string;
  readonly mapping: WrittenMapping;
  /** The key that the vendor documents for repeated events; the insert id if absent. */
  readonly dedupeBy?: readonly KeyTarget[];
  /** Columns beside the properties that `init` adds to `metadata` if the rows have them. */
  readonly moreMetadata?: readonly string[];
  /** Beginnings of the names of columns, one for each kind of event, that `init` adds to `metadata`. */
  readonly columnsOfKinds?: {
    /** Objects whose members become properties. */
    readonly objects: string;
    /** Values that become a property each. */
    readonly values: string;
  };
  /** The zone of times without one, if the vendor documents it. */
  readonly zone?: "UTC";
  /** Facts that cannot be detected in rows, each with its configuration line. */
  readonly doubts: readonly string[];
}

/** Splits a text at blanks. */
export function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

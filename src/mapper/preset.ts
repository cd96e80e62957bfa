import type { WrittenMapping } from "./mapping.js";

/** Something that only one tool's rows have. */
export interface PresetMark {
  /** Steps joined by dots. */
  readonly path: string;
  /** Text that the value contains, in any case; needed where the name alone says nothing. */
  readonly contains?: string;
}

/** Everything about the exports of one tool, from the vendor's own documentation of them. */
export interface Preset {
  /** The tool's name. */
  readonly vendor: string;
  readonly mapping: WrittenMapping;
  /** Paths without which the preset delivers nothing; one of each list is in most rows. */
  readonly required: readonly (readonly string[])[];
  /** Names at the root of the rows, as far as they are known. */
  readonly columns: readonly string[];
  readonly marks: readonly PresetMark[];
  /** The zone of times that name none, where the vendor documents it. */
  readonly zone?: "UTC";
  /** Facts that rows cannot tell, each with the line of the configuration for it. */
  readonly doubts: readonly string[];
}

import { rowFieldsOf } from "../mapper/field-use.js";
import type { RunOptions } from "../pipeline/options.js";
import { createFormatDetection, openRange } from "../readers/formats.js";
import type { OpenReader } from "../readers/reader.js";
import { openWith } from "../readers/sampled-source.js";
import type { DetectFormat } from "../readers/source-discovery.js";

type DetectionOptions = Pick<RunOptions, "csv" | "inputFormat" | "mapping">;

/** Detects formats as a run with these options does. `rowFields`: names of members that rows may have. */
export function detectionOf(
  { csv, inputFormat, mapping }: DetectionOptions,
  rowFields = rowFieldsOf(mapping),
): DetectFormat {
  return createFormatDetection({ csv, kind: inputFormat, rowFields });
}

/** Opens the sources that a run with these options has discovered. */
export function openSources(
  options: DetectionOptions,
  rowFields?: ReturnType<typeof rowFieldsOf>,
): OpenReader {
  return openWith(detectionOf(options, rowFields), openRange);
}

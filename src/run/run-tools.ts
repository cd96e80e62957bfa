import { omitUndefined } from "../base/omit-undefined.js";
import { createFormatDetection, openRange } from "../formats/input-formats.js";
import { openWith } from "../formats/sampled-source.js";
import { rowFieldsOf } from "../mapper/field-use.js";
import type { MapperOptions } from "../mapper/mapper-options.js";
import { changesEvents } from "../mapper/privacy-path.js";
import { loadTransform } from "../mapper/transform.js";
import type { RunOptions } from "../options/options.js";
import type { OpenReader } from "../readers/reader.js";
import type { DetectFormat } from "../sources/source-discovery.js";

/** Returns the options of a worker's mapper. Loads the transform module. */
export async function loadMapperOptions(
  options: RunOptions,
  maxTimeMs: number,
): Promise<MapperOptions> {
  const { minTimeMs, fromTimeMs, toTimeMs, includeEvents, excludeEvents, privacy } = options;
  const { transformPath, types } = options;
  const transform = transformPath === undefined ? undefined : await loadTransform(transformPath);
  return {
    mapping: options.mapping,
    minTimeMs,
    maxTimeMs,
    includeEvents,
    excludeEvents,
    ...omitUndefined({ fromTimeMs, toTimeMs, transform, types }),
    ...(changesEvents(privacy) ? { privacy } : {}),
  };
}

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

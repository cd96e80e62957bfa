import { omitUndefined } from "../base/omit-undefined.js";
import type { MapperOptions } from "../mapper/mapper-options.js";
import { loadTransform } from "../mapper/transform.js";
import type { RunOptions } from "../pipeline/options.js";

/** Returns the options of a worker's mapper. Loads the transform module. */
export async function loadMapperOptions(
  options: RunOptions,
  maxTimeMs: number,
): Promise<MapperOptions> {
  const { minTimeMs, fromTimeMs, toTimeMs, includeEvents, excludeEvents, privacy } = options;
  const { transformPath, types } = options;
  const isPrivate = privacy.drop.length > 0 || privacy.hash.length > 0;
  const transform = transformPath === undefined ? undefined : await loadTransform(transformPath);
  return {
    mapping: options.mapping,
    minTimeMs,
    maxTimeMs,
    includeEvents,
    excludeEvents,
    ...omitUndefined({ fromTimeMs, toTimeMs, transform, types }),
    ...(isPrivate ? { privacy } : {}),
  };
}

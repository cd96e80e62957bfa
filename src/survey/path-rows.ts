import type { WrittenChanges } from "../mapper/mapping.js";
import { PATH_FIELD, pathColumnsOf } from "../sources/path-columns.js";
import type { SampledSource } from "./sample-rows.js";

/** Adds the columns of the path to rows, as the fields that a mapping can name. */
export function withPath(sample: SampledSource): SampledSource {
  const columns = pathColumnsOf(sample.source);
  if (columns.size === 0) return sample;
  const path = Object.fromEntries(columns);
  const rows = sample.rows.map((row) => (PATH_FIELD in row ? row : { ...row, [PATH_FIELD]: path }));
  return { ...sample, rows };
}

/** Says which targets of a mapping are from paths because the rows lack them. */
export function doubtOfPath(changes: WrittenChanges = {}): string {
  const used = Object.entries(changes).flatMap(([target, written]) => {
    const isObject = typeof written === "object" && written !== null && "field" in written;
    const path = String(isObject ? written.field : written);
    return path.startsWith(`${PATH_FIELD}.`) ? [`${target} from ${path}`] : [];
  });
  return `The rows lack a part of an event, which the directories of the files have: ${used.join(", ")}.`;
}

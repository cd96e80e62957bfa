import { columnsOf } from "../formats/input-formats.js";
import type { WrittenChanges } from "../mapper/mapping.js";
import type { Preset } from "../mapper/preset.js";
import { presets } from "../mapper/presets.js";
import type { SampledSource, SampleTools } from "./sample-rows.js";
import type { FoundMapping } from "./survey.js";

/**
 * Returns changes that add columns of one kind of event each to `metadata`, also those that no sampled row
 * fills, without the preset's fields that are not columns; undefined if there are none. Such columns are in
 * Parquet.
 */
export async function withKinds(
  found: FoundMapping,
  samples: readonly SampledSource[],
  { readerOptions }: Pick<SampleTools, "readerOptions">,
): Promise<Pick<WrittenChanges, "metadata"> | undefined> {
  if (found.kind === "guess") return undefined;
  const { mapping, columnsOfKinds }: Preset = presets[found.preset];
  const written = found.changes?.metadata ?? mapping.metadata;
  if (columnsOfKinds === undefined || !Array.isArray(written)) return undefined;
  const files = samples.filter(({ source }) => source.format.kind === "parquet");
  const names = await Promise.all(files.map(({ source }) => columnsOf(source, readerOptions)));
  const columns = [...new Set(names.flat())];
  const kinds = columns.filter((column) => column.startsWith(columnsOfKinds.objects));
  const more = columns.filter((column) => column.startsWith(columnsOfKinds.values));
  if (kinds.length + more.length === 0) return undefined;
  const fields = written.flatMap((part) =>
    typeof part === "object" && "fields" in part ? part.fields : [],
  );
  const own = fields.filter((field) => typeof field === "string" && columns.includes(field));
  // An event is of one kind: the first of these columns that is not null.
  const parts = kinds.length === 0 ? [] : [kinds];
  return { metadata: [...parts, { fields: [...own, ...more] }] };
}

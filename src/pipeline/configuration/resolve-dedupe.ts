import { UsageError } from "../../base/errors.js";
import type { Mapping } from "../../mapper/mapping.js";
import type { KeyTarget, Preset } from "../../mapper/preset.js";
import { presets } from "../../mapper/presets.js";
import { type DedupeOptions, dedupeRanges } from "../dedupe/dedupe-options.js";
import type { CompleteValues, OptionValues } from "./option-names.js";

/**
 * Resolves which repeated events are removed; undefined if none are. Throws `UsageError` if events
 * have no key, or one that privacy removes.
 */
export function resolveDedupe(
  values: Pick<CompleteValues, "dayZone" | "preset"> &
    Pick<OptionValues, "dedupe" | "dedupeBy" | "drop">,
  mapping: Mapping,
  flag = "--dedupe",
): DedupeOptions | undefined {
  const { dedupeBy, dayZone, preset, drop = [] } = values;
  const within = values.dedupe ?? (dedupeBy === undefined ? undefined : dedupeRanges[0]);
  if (within === undefined) return undefined;
  const { dedupeBy: known = ["insertID"] }: Preset = presets[preset];
  const by =
    dedupeBy ?? known.filter((target) => target === "insertID" || isMapped(mapping, target));
  const unmapped = by.find((target) => !isMapped(mapping, target));
  if (unmapped === "insertID") {
    throw new UsageError(
      "dedupe_key_missing",
      `${flag} needs an insert id, and the mapping has none: map insertID to the field that tells a repeated event from another one${flag === "--dedupe" ? ", or pass --dedupe-by event,timestamp,userID,stableID,metadata" : ""}.`,
    );
  }
  if (unmapped !== undefined) {
    throw new UsageError(
      "dedupe_key_missing",
      `--dedupe-by names ${unmapped}, which the mapping does not fill: map it, or leave it out.`,
    );
  }
  const dropped = dedupeBy?.find((target) => drop.includes(target));
  if (dropped !== undefined) {
    throw new UsageError(
      "dedupe_key_missing",
      `--dedupe-by names ${dropped}, which --drop removes from every event: use --hash ${dropped} instead of --drop, or leave it out of the key.`,
    );
  }
  return { within, by, dayZone };
}

function isMapped(mapping: Mapping, target: KeyTarget): boolean {
  const source = mapping[target];
  if (Array.isArray(source)) return source.length > 0;
  return !("choices" in source && source.choices.length === 0);
}

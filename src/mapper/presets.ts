import { UsageError } from "../base/errors.js";
import amplitude from "./presets/amplitude.json" with { type: "json" };
import ga4 from "./presets/ga4.json" with { type: "json" };
import mixpanel from "./presets/mixpanel.json" with { type: "json" };
import posthog from "./presets/posthog.json" with { type: "json" };
import rudderstack from "./presets/rudderstack.json" with { type: "json" };
import segment from "./presets/segment.json" with { type: "json" };

const presets = { amplitude, mixpanel, posthog, ga4, segment, rudderstack } as const;

export type PresetName = keyof typeof presets;

export const presetNames = Object.keys(presets) as readonly PresetName[];

export const defaultPreset: PresetName = "amplitude";

/** Returns the preset's mapping. Throws `UsageError` for an unknown name. */
export function loadPreset(name: string): unknown {
  if (!isPresetName(name)) {
    throw new UsageError(
      "preset_unknown",
      `Unknown preset ${JSON.stringify(name)}. There are: ${presetNames.join(", ")}.`,
    );
  }
  return presets[name];
}

function isPresetName(name: string): name is PresetName {
  return Object.hasOwn(presets, name);
}

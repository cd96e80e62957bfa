import { readFileSync } from "node:fs";
import { UsageError } from "../base/errors.js";

/** Every preset and the file of its mapping, beside this one in src and in dist. */
const files = {
  amplitude: "./presets/amplitude.json",
  mixpanel: "./presets/mixpanel.json",
  posthog: "./presets/posthog.json",
  ga4: "./presets/ga4.json",
  segment: "./presets/segment.json",
  rudderstack: "./presets/rudderstack.json",
} as const;

export type PresetName = keyof typeof files;

export const presetNames = Object.keys(files) as readonly PresetName[];

export const defaultPreset: PresetName = "amplitude";

/** The preset's mapping as it stands in its file. Throws `UsageError` for an unknown name. */
export function loadPreset(name: string): unknown {
  if (!isPresetName(name)) {
    throw new UsageError(
      "preset_unknown",
      `Unknown preset ${JSON.stringify(name)}. There are: ${presetNames.join(", ")}.`,
    );
  }
  return JSON.parse(readFileSync(new URL(files[name], import.meta.url), "utf8"));
}

function isPresetName(name: string): name is PresetName {
  return Object.hasOwn(files, name);
}

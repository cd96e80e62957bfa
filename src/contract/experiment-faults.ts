import { sum } from "../base/sum.js";
import { QUALITY_SCORES_MAX } from "./experiment-fields.js";
import type { RuleFault } from "./fields.js";

/** In floating point, 14.8 and six times 14.2 add up to a little more than 100. */
const SIZE_TOLERANCE = 1e-6;

/** Returns the faults across fields of a create or a full update. */
export function bodyFaults(value: unknown): readonly RuleFault[] {
  return [...scoreCountFaults(value), ...experimentFaults(value)];
}

/** Returns the faults across fields of a partial update, which has only some of the fields. */
export function patchFaults(value: unknown): readonly RuleFault[] {
  return [...scoreCountFaults(value), ...partFaults(value)];
}

/** Returns the faults across fields of an experiment. Quality scores are merged later. */
export function experimentFaults(value: unknown): readonly RuleFault[] {
  return [...partFaults(value), ...sprtFaults(value)];
}

/** Applies the rules that do not depend on other fields of the stored experiment. */
function partFaults(value: unknown): readonly RuleFault[] {
  return [
    ...sizeFaults(value),
    ...duplicates(value, "groups", "name", "Duplicate group name(s) given"),
    ...duplicates(value, "groups", "id", "Duplicate group id(s) given"),
    ...duplicates(value, "manualQualityScores", "criteriaName", "Duplicate criteria name(s) given"),
  ];
}

/**
 * `manual` needs mde, mean and stdDev for every metric; `in_experiment_control` needs only mde.
 * `defaultSPRTMDE` is the default of mde.
 */
function sprtFaults(value: unknown): readonly RuleFault[] {
  const mode = member(value, "sprtBaselineMode");
  if (mode !== "manual" && mode !== "in_experiment_control") return [];
  const hasDefault = member(value, "defaultSPRTMDE") !== undefined;
  const needed = [...(hasDefault ? [] : ["mde"]), ...(mode === "manual" ? ["mean", "stdDev"] : [])];
  if (needed.length === 0) return [];
  return items(member(value, "sprtMDESettings")).flatMap((setting, index) =>
    settingFaults(setting, ["sprtMDESettings", index, "groupSettings"], mode, needed),
  );
}

function settingFaults(
  setting: unknown,
  path: RuleFault["path"],
  mode: string,
  needed: readonly string[],
): RuleFault[] {
  const groupSettings = member(setting, "groupSettings");
  if (!Array.isArray(groupSettings)) return [];
  if (groupSettings.length === 0) {
    return [{ path, message: `Must give ${needed.join(", ")} with sprtBaselineMode ${mode}` }];
  }
  return groupSettings.flatMap((groupSetting: unknown, index) =>
    needed
      .filter((name) => member(groupSetting, name) === undefined)
      .map((name) => ({
        path: [...path, index, name],
        message: `Required with sprtBaselineMode ${mode}`,
      })),
  );
}

function scoreCountFaults(value: unknown): RuleFault[] {
  if (items(member(value, "manualQualityScores")).length <= QUALITY_SCORES_MAX) return [];
  return [
    { path: ["manualQualityScores"], message: `Must be at most ${QUALITY_SCORES_MAX} items` },
  ];
}

function sizeFaults(value: unknown): RuleFault[] {
  const total = sum(
    items(member(value, "groups"))
      .map((group) => member(group, "size"))
      .filter((size) => typeof size === "number" || typeof size === "string")
      .map(Number)
      // A size out of bounds is reported at its own field.
      .filter((size) => size >= 0 && size <= 100),
    (size) => size,
  );
  if (total <= 100 + SIZE_TOLERANCE) return [];
  return [{ path: ["groups"], message: `Group sizes must add up to at most 100, not ${total}` }];
}

/** Returns a fault for each item that repeats a text in `key`. Empty texts do not count. */
function duplicates(value: unknown, list: string, key: string, message: string): RuleFault[] {
  const seen = new Set<string>();
  return items(member(value, list)).flatMap((item, index) => {
    const text = member(item, key);
    if (typeof text !== "string" || text === "") return [];
    if (seen.has(text)) return [{ path: [list, index, key], message }];
    seen.add(text);
    return [];
  });
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

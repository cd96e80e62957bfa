import { UsageError } from "../base/errors.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { option } from "../base/option-text.js";
import type { TargetOptions } from "../mapper/mapper-options.js";
import type { Target } from "../target/target.js";
import type { Repair } from "../target/target-rules.js";
import { loadTarget } from "../target/targets.js";
import type { OptionValues } from "./option-names.js";

/**
 * Returns the values with the zone of the target's days, if days are repaired and no zone is given. Throws `UsageError` (`target_invalid`).
 */
export function withTarget(values: OptionValues): OptionValues {
  if (values.target === undefined) return values;
  const { days } = loadTarget(values.target);
  const isRepaired = values.repair?.includes("days") === true;
  const dayZone = isRepaired ? days?.zone : undefined;
  return { ...omitUndefined({ dayZone }), ...values };
}

/** Returns what a target does with events; undefined if it has no rule for them. */
export function targetOptionsOf(
  target: Target,
  repair: readonly Repair[],
): TargetOptions | undefined {
  const { name, title, names, values, metadata, users, days, billing } = target;
  const rules = omitUndefined({ names, values, metadata, users, days, billing });
  if (Object.keys(rules).length > 0) return { rules: { name, title, ...rules }, repair };
  if (repair.length === 0) return undefined;
  throw new UsageError(
    "repair_useless",
    `${option("repair")} needs a target with rules, and ${target.name} has none: pass ${option("target")} statsig.`,
  );
}

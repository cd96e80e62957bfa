import type { Warning } from "../contract/common.js";
import type { Experiment } from "../contract/experiment.js";
import type { Rule } from "../contract/rule.js";
import { missingWarnings, ruleWarnings, type Surroundings } from "./rule-warnings.js";

interface WarnedGate {
  readonly rules: readonly Rule[];
  readonly holdoutIDs: readonly string[];
}

/** Returns what can never work as meant in a gate. */
export function gateWarnings(
  { rules, holdoutIDs }: WarnedGate,
  surroundings: Surroundings,
): readonly Warning[] {
  return [...ruleWarnings(rules, surroundings), ...holdoutWarnings(holdoutIDs, surroundings)];
}

/** Returns a warning for each holdout that does not exist. */
export function holdoutWarnings(
  holdoutIDs: readonly string[],
  surroundings: Surroundings,
): readonly Warning[] {
  return holdoutIDs.flatMap((id, index) =>
    missingWarnings("holdout", id, `holdoutIDs[${index}]`, surroundings, "it holds nobody out"),
  );
}

type WarnedExperiment = Pick<Experiment, "id" | "status" | "groups" | "targetingGateID">;

/** Returns what can never work as meant in an experiment, and what moves its units to other groups. */
export function experimentWarnings(
  next: WarnedExperiment,
  surroundings: Surroundings,
  before?: WarnedExperiment,
): readonly Warning[] {
  const { targetingGateID } = next;
  const missing = ["gate", targetingGateID, "targetingGateID", surroundings] as const;
  return [...groupWarnings(next, before), ...missingWarnings(...missing, "nobody takes part")];
}

function groupWarnings(next: WarnedExperiment, before: WarnedExperiment | undefined): Warning[] {
  const isActive = before?.status === "active" && next.status === "active";
  if (!isActive || rangesOf(next) === rangesOf(before)) return [];
  const message =
    "The experiment is active: units move to other groups, and their events count for both. " +
    "Restart it as new instead";
  return [{ property: "groups", message }];
}

/** Returns the part of the units that each group has. */
function rangesOf({ groups }: WarnedExperiment): string {
  let end = 0;
  const ranges = groups.map(({ id, size }) => {
    const start = end;
    end += Number(size);
    return { id, start, end };
  });
  return JSON.stringify(ranges.filter(({ start, end }) => start < end));
}

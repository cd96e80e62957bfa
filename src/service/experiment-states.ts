import type { Experiment } from "../contract/experiment.js";
import type { ExperimentStatus } from "../contract/experiment-setup.js";
import type { Fault } from "../contract/faults.js";

/** Where an experiment stands, and since when: times are ms since the epoch. */
export type ExperimentState = Pick<Experiment, "status" | "startTime" | "endTime" | "decisionTime">;

/** What every experiment begins with, and goes back to when it leaves the archive. */
export const setupState: ExperimentState = {
  status: "setup",
  startTime: null,
  endTime: null,
  decisionTime: null,
};

/** Where each status may lead; that it may stay goes without saying. */
const nextStatuses: Readonly<Record<ExperimentStatus, readonly ExperimentStatus[]>> = {
  setup: ["active", "archived"],
  active: ["assignment_stopped", "experiment_stopped", "decision_made", "abandoned", "archived"],
  assignment_stopped: ["experiment_stopped", "decision_made", "abandoned", "archived"],
  experiment_stopped: ["decision_made", "abandoned", "archived"],
  decision_made: ["archived"],
  abandoned: ["archived"],
  archived: ["setup"],
};

export function statusFaults(from: ExperimentStatus, to: ExperimentStatus): readonly Fault[] {
  if (from === to || nextStatuses[from].includes(to)) return [];
  const errorMessage = `Cannot go from ${from} to ${to}: from ${from} it goes to ${nextStatuses[from].join(", ")}`;
  return [{ property: "status", errorMessage }];
}

/**
 * The state after a step that `statusFaults` has nothing against. An experiment starts when it becomes
 * active, and ends when it is stopped, decided, abandoned or archived, whichever comes first; while
 * assignment alone is stopped it goes on.
 */
export function stateAfter(
  { status, startTime, endTime, decisionTime }: ExperimentState,
  to: ExperimentStatus,
  time: number,
): ExperimentState {
  if (status === to) return { status, startTime, endTime, decisionTime };
  switch (to) {
    case "setup":
      return setupState;
    case "active":
      return { ...setupState, status: to, startTime: time };
    case "assignment_stopped":
      return { status: to, startTime, endTime, decisionTime };
    case "decision_made":
      return { status: to, startTime, endTime: endTime ?? time, decisionTime: time };
    case "experiment_stopped":
    case "abandoned":
      return { status: to, startTime, endTime: endTime ?? time, decisionTime };
    case "archived":
      // What never started has no end either.
      return {
        status: to,
        startTime,
        endTime: startTime === null ? null : (endTime ?? time),
        decisionTime,
      };
  }
}

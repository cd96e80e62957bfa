import type { Experiment } from "../contract/experiment.js";
import type { ExperimentStatus } from "../contract/experiment-setup.js";
import type { Fault } from "../contract/faults.js";

/** The status of an experiment and its times, in ms since the epoch. */
export type ExperimentState = Pick<Experiment, "status" | "startTime" | "endTime" | "decisionTime">;

/** The state of a new experiment, and of one that leaves the archive. */
export const setupState: ExperimentState = {
  status: "setup",
  startTime: null,
  endTime: null,
  decisionTime: null,
};

/** The statuses that may follow each status. It may also stay the same. */
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
  const errorMessage = `Cannot change from ${from} to ${to}; allowed after ${from}: ${nextStatuses[from].join(", ")}`;
  return [{ property: "status", errorMessage }];
}

/**
 * Returns the state after a change that `statusFaults` allows. An experiment starts when it becomes
 * active. It ends when it is first stopped, decided, abandoned or archived; stopping assignment alone
 * does not end it.
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
      // An experiment that never started has no end.
      return {
        status: to,
        startTime,
        endTime: startTime === null ? null : (endTime ?? time),
        decisionTime,
      };
  }
}

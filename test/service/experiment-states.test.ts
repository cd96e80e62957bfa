import { describe, expect, it } from "vitest";
import { type ExperimentStatus, experimentStatuses } from "../../src/contract/experiment-fields.js";
import {
  type ExperimentState,
  setupState,
  stateAfter,
  statusFaults,
} from "../../src/service/experiment-states.js";

/** Rows go to columns: `x` where the step is allowed. */
const matrix = `
                    setup active assignment_stopped experiment_stopped decision_made abandoned archived
setup               x     x      -                  -                  -             -         x
active              -     x      x                  x                  x             x         x
assignment_stopped  -     -      x                  x                  x             x         x
experiment_stopped  -     -      -                  x                  x             x         x
decision_made       -     -      -                  -                  x             -         x
abandoned           -     -      -                  -                  -             x         x
archived            x     -      -                  -                  -             -         x
`;

interface Step {
  readonly from: ExperimentStatus;
  readonly to: ExperimentStatus;
  readonly isAllowed: boolean;
}

function stepsOf(table: string): readonly Step[] {
  const [columns = [], ...rows] = table
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/));
  return rows.flatMap(([from, ...cells]) =>
    cells.map((cell, index) => ({
      from: from as ExperimentStatus,
      to: columns[index] as ExperimentStatus,
      isAllowed: cell === "x",
    })),
  );
}

const steps = stepsOf(matrix);

describe("the steps of an experiment", () => {
  it("are all in the matrix", () => {
    const pairs = experimentStatuses.flatMap((from) => experimentStatuses.map((to) => [from, to]));
    expect(steps.map(({ from, to }) => [from, to].join()).sort()).toEqual(
      pairs.map((pair) => pair.join()).sort(),
    );
  });

  it.each(steps.filter(({ isAllowed }) => isAllowed))("lead from $from to $to", ({ from, to }) => {
    expect(statusFaults(from, to)).toEqual([]);
    expect(stateAfter({ ...setupState, status: from }, to, 5).status).toBe(to);
  });

  it.each(steps.filter(({ isAllowed }) => !isAllowed))(
    "do not lead from $from to $to, and the fault names both and what is possible",
    ({ from, to }) => {
      const [fault, ...others] = statusFaults(from, to);
      expect(others).toEqual([]);
      expect(fault?.property).toBe("status");
      expect(fault?.errorMessage).toMatch(
        new RegExp(`^Cannot change from ${from} to ${to}; allowed after ${from}: [a-z_, ]+$`),
      );
    },
  );
});

describe("the times of an experiment", () => {
  const after = (...path: readonly ExperimentStatus[]): ExperimentState =>
    path.reduce((state, to, index) => stateAfter(state, to, (index + 1) * 10), setupState);
  const times = ({ startTime, endTime, decisionTime }: ExperimentState) => [
    startTime,
    endTime,
    decisionTime,
  ];

  it.each<[readonly ExperimentStatus[], readonly (number | null)[]]>([
    [["setup"], [null, null, null]],
    [["active"], [10, null, null]],
    [
      ["active", "active"],
      [10, null, null],
    ],
    [
      ["active", "assignment_stopped"],
      [10, null, null],
    ],
    [
      ["active", "experiment_stopped"],
      [10, 20, null],
    ],
    [
      ["active", "abandoned"],
      [10, 20, null],
    ],
    [
      ["active", "decision_made"],
      [10, 20, 20],
    ],
    [
      ["active", "decision_made", "decision_made"],
      [10, 20, 20],
    ],
    [
      ["active", "assignment_stopped", "experiment_stopped", "decision_made"],
      [10, 30, 40],
    ],
    [
      ["active", "experiment_stopped", "abandoned"],
      [10, 20, null],
    ],
    [
      ["active", "archived"],
      [10, 20, null],
    ],
    [
      ["active", "decision_made", "archived"],
      [10, 20, 20],
    ],
    [["archived"], [null, null, null]],
    [
      ["active", "decision_made", "archived", "setup"],
      [null, null, null],
    ],
    [
      ["active", "archived", "setup", "active"],
      [40, null, null],
    ],
  ])("after %j are %j (start, end, decision)", (path, expected) => {
    expect(times(after(...path))).toEqual(expected);
  });

  it("hold for an experiment that started at the epoch too", () => {
    const started = stateAfter(setupState, "active", 0);
    expect(times(stateAfter(started, "archived", 7))).toEqual([0, 7, null]);
  });

  it("are not before the start if the clock was set back since", () => {
    const started = stateAfter(setupState, "active", 9);
    expect(times(stateAfter(started, "decision_made", 7))).toEqual([9, 9, 9]);
    expect(times(stateAfter(started, "archived", 7))).toEqual([9, 9, null]);
  });
});

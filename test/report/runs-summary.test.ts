import { expect, test } from "vitest";
import type { ListedEpoch } from "../../src/check/run-history.js";
import { describeRuns } from "../../src/report/runs-summary.js";

const epoch = (number: number): ListedEpoch => ({
  number,
  startedAt: `2026-01-0${number + 1}T00:00:00.000Z`,
  sources: 1,
  delivered: 2,
  rejected: 0,
  splitsDone: 1,
  splitsTotal: 1,
  firstDay: "2026-01-01",
  lastDay: "2026-01-03",
});

test("an export of many epochs lists the latest, and counts the others", () => {
  const epochs = Array.from({ length: 7 }, (_, number) => epoch(number));
  const history = { epochs, endedAt: null, durationMs: null, failures: 0 };
  const counts = {
    startedAt: epochs[0]?.startedAt ?? null,
    delivered: 14,
    rejected: 0,
    splitsDone: 7,
    splitsTotal: 7,
  };
  const listed = { directory: "/out", state: "done", ...history, ...counts } as const;
  expect(describeRuns([listed], [], "/runs", "switchyard").split("\n").slice(2, 4)).toEqual([
    "  2 earlier epochs, see --json",
    "  epoch 2  2026-01-03T00:00:00Z  1 input, 2 events, 2026-01-01 to 2026-01-03",
  ]);
});

import { expect, it } from "vitest";
import { estimateDelivery } from "../../src/engine/complete-report.js";
import { PartSizeFold } from "../../src/profile/part-size-fold.js";
import { cleanReport } from "../report/example-report.js";

const noEvents = { names: [], days: [] };

/** A split that measured parts of a header of 100 bytes and a tenth of the JSON. */
function measured(): PartSizeFold {
  const partSizes = new PartSizeFold();
  partSizes.add({
    events: noEvents,
    partSizes: [200, 3_200, 51_200].map((n) => [n, 100 + n / 10]),
  });
  return partSizes;
}
const report = { ...cleanReport, partSizes: measured() };

it("estimates an export from measured parts, one for each day, and its time by that of the dry run", () => {
  const bytes = 13_440_000 / 10 + cleanReport.days.length * 100;
  expect(estimateDelivery(report)).toEqual({
    export: { bytes, durationMs: 2_000 },
    send: { eventsPerSecond: 1_000, durationMs: 67_200 },
  });
});

it("scales a sample to all rows, at the configured rate", () => {
  const estimates = estimateDelivery({ ...report, sample: { share: 0.01 } }, 500);
  expect(estimates.export.bytes).toBe(134_400_000 + cleanReport.days.length * 100);
  expect(estimates.send).toEqual({ eventsPerSecond: 500, durationMs: 13_440_000 });
  expect(estimates.export.durationMs).toBe(500 + 1_500 * 100);
});

it("does not scale the time in which a short run starts", () => {
  const run = { ...report.run, durationMs: 400 };
  const estimates = estimateDelivery({ ...report, run, sample: { share: 0.001 } });
  expect(estimates.export.durationMs).toBe(400);
});

it("estimates no bytes if nothing was measured", () => {
  expect(new PartSizeFold().estimate(0, 0)).toBe(0);
});

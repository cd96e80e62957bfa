import { expect, it } from "vitest";
import { planReady } from "../../../src/check/ready/ready-plan.js";
import type { Manifest } from "../../../src/ledger/manifest.js";

/** A manifest of days with 10 events each, and its counts by day. */
function exportOf(days: readonly string[], facts: Record<string, unknown> = {}) {
  const manifest = {
    dayZone: "-08:00",
    days: days.map((day) => ({ day, rows: 10 })),
    run: { epochs: ["2026-01-02T00:00:00.000Z", "2026-01-05T08:00:00.000Z"] },
    configuration: { toTime: null },
    ...facts,
  } as unknown as Manifest;
  const lines = days.map((day) => `${JSON.stringify({ day, events: [["click", 10]] })}\n`);
  return { manifest, counts: lines.join("") };
}

const days = ["2026-01-03", "2026-01-04", "2026-01-05"];

function namesOf(announce: readonly { readonly day: string }[]): readonly string[] {
  return announce.map(({ day }) => day);
}

it("announces the days that were over when the last inputs were read, oldest first", () => {
  const { manifest, counts } = exportOf(days);
  const plan = planReady(manifest, counts, {});
  // 2026-01-05T08:00Z is the end of the 4th at -08:00.
  expect(namesOf(plan.announce)).toEqual(["2026-01-03", "2026-01-04"]);
  expect(plan).toMatchObject({ held: ["2026-01-05"], unchanged: 0, reloadRows: 0 });
  const early = { run: { epochs: ["2026-01-05T07:59:59.999Z"] } };
  const before = planReady(exportOf(days, early).manifest, counts, {});
  expect([namesOf(before.announce), before.held]).toEqual([
    ["2026-01-03"],
    ["2026-01-04", "2026-01-05"],
  ]);
});

it("holds back a day of which the export takes only the beginning, and all later ones", () => {
  const { manifest, counts } = exportOf(days, {
    configuration: { toTime: "2026-01-04T20:00:00.000Z" },
  });
  expect(planReady(manifest, counts, {}).held).toEqual(["2026-01-04", "2026-01-05"]);
  const whole = exportOf(days, { configuration: { toTime: "2026-01-05T08:00:00.000Z" } });
  expect(planReady(whole.manifest, counts, {}).held).toEqual(["2026-01-05"]);
});

it("announces changed days again, and counts all their events", () => {
  const first = exportOf(days);
  const known = Object.fromEntries(
    planReady(first.manifest, first.counts, {}).announce.map(({ day, rows, digest }) => [
      day,
      { rows, digest, at: "2026-01-05T09:00:00.000Z" },
    ]),
  );
  expect(planReady(first.manifest, first.counts, known)).toMatchObject({
    announce: [],
    unchanged: 2,
  });
  // As many events of another name are another day.
  const counts = first.counts.replace('["click",10]', '["click",9],["view",1]');
  expect(planReady(first.manifest, counts, known)).toMatchObject({
    announce: [{ day: "2026-01-03", rows: 10, isReload: true }],
    unchanged: 1,
    reloadRows: 10,
  });
});

it("leaves out days without events", () => {
  const { manifest, counts } = exportOf(days, {
    days: days.map((day, index) => ({ day, rows: index === 0 ? 0 : 10 })),
  });
  expect(namesOf(planReady(manifest, counts, {}).announce)).toEqual(["2026-01-04"]);
});

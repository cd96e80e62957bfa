import { expect, it } from "vitest";
import type { Report } from "../../../src/profile/report.js";
import { findFindings } from "../../../src/report/findings/findings.js";
import { cleanReport, exampleEvent, exampleProperty, properties } from "../example-report.js";

const halfRows = 14 * 1_200;

/** The clean report, whose first event has one key until a day and another from then on. */
function withKeys(last: string, rows = halfRows, first = "2026-01-15"): Report {
  const old = exampleProperty("plan", {
    rows,
    types: { string: rows },
    days: { first: "2026-01-01", last },
  });
  const next = exampleProperty("plan_type", { days: { first, last: "2026-01-28" } });
  const event = exampleEvent("brewed", { properties: properties(old, next) });
  return { ...cleanReport, events: [event, ...cleanReport.events.slice(1)] };
}

const vanishedIn = (report: Report) =>
  findFindings(report).filter(({ code }) => code === "property_vanished");

it("a property that vanishes is found, with what begins then", () => {
  const [finding, ...more] = vanishedIn(withKeys("2026-01-14"));
  expect(more).toEqual([]);
  expect(finding).toMatchObject({
    severity: "info",
    title: 'Property "plan" was last seen on 2026-01-14',
    event: "brewed",
    day: "2026-01-14",
    rows: halfRows,
  });
  expect(finding?.detail).toContain('First seen then: "plan_type".');
  expect(vanishedIn(withKeys("2026-01-14", halfRows, "2026-01-01"))[0]?.detail).not.toContain(
    "First seen",
  );
});

it("a rare property, one that lasts, or empty metadata is not a vanished property", () => {
  expect(vanishedIn(withKeys("2026-01-14", halfRows / 3))).toEqual([]);
  expect(vanishedIn(withKeys("2026-01-27"))).toEqual([]);
  const report = withKeys("2026-01-14");
  const days = report.days.map((day, place) =>
    place < 14 ? day : { ...day, empty: { ...day.empty, metadata: day.events } },
  );
  expect(vanishedIn({ ...report, days })).toEqual([]);
});

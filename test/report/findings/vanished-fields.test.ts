import { describe, expect, it } from "vitest";
import type { Report, ReportDay } from "../../../src/profile/report.js";
import { findFindings } from "../../../src/report/findings/findings.js";
import { cleanReport, evenDay, evenDays } from "../example-report.js";

/** The clean report, with `metadata` empty in this share of each day's events. */
function withEmpty(
  shareOf: (place: number) => number,
  days: readonly ReportDay[] = evenDays(),
): Report {
  const changed = days.map((day, place) => ({
    ...day,
    empty: { ...day.empty, metadata: Math.round(day.events * shareOf(place)) },
  }));
  return { ...cleanReport, days: changed };
}

const titlesOf = (report: Report) =>
  findFindings(report)
    .filter(({ code }) => code === "field_vanished")
    .map(({ title }) => title);

describe("a field that vanishes", () => {
  it.each([
    ["to the end", (place: number) => place >= 14, "no values from 2026-01-15 on"],
    ["from the start", (place: number) => place < 14, "no values before 2026-01-15"],
    [
      "for some days",
      (place: number) => place >= 9 && place < 12,
      "no values from 2026-01-10 to 2026-01-12",
    ],
  ])("is found %s", (_, isEmpty, text) => {
    const report = withEmpty((place) => (isEmpty(place) ? 1 : 0.02));
    expect(titlesOf(report)).toEqual([`metadata has ${text}`]);
  });

  it("is found although a few late events have the field, on most days", () => {
    const report = withEmpty((place) => (place >= 10 ? 0.999 : 0.02));
    expect(titlesOf(report)).toEqual(["metadata has almost no values from 2026-01-11 on"]);
  });

  it("is told with its rows, its first day, and fields that are not mapped", () => {
    const report = withEmpty((place) => (place >= 14 ? 1 : 0.02));
    const unusedFields = [{ field: "event_props", share: 0.5 }];
    const [finding] = findFindings({ ...report, unusedFields });
    expect(finding).toMatchObject({
      code: "field_vanished",
      severity: "warning",
      rows: 14 * report.days[0]!.events,
      day: "2026-01-15",
    });
    expect(finding?.detail).toContain("on the other days, 98.0 % of the events have a value");
    expect(finding?.detail).toContain('Fields that are not mapped: "event_props".');
  });

  it("is not one event name that ends, or becomes rare", () => {
    // The second of two names is the only one with values.
    const days = evenDays().map((day, place) => {
      const left = place < 14 ? day.events / 2 : 1;
      return {
        ...day,
        events: day.events / 2 + left,
        byEvent: [
          [0, day.events / 2],
          [1, left],
        ] as const,
      };
    });
    expect(titlesOf(withEmpty((place) => (place < 14 ? 0.5 : 1), days))).toEqual([]);
  });

  it("is not found in few events, on a single day, or if it comes and goes", () => {
    const few = evenDays().map((day, place) => (place < 14 ? day : evenDay(place, 0)));
    const rare = few.map((day, place) =>
      place < 14
        ? day
        : {
            ...day,
            events: 2,
            byEvent: [
              [0, 1],
              [1, 1],
            ] as const,
          },
    );
    expect(titlesOf(withEmpty((place) => (place < 14 ? 0.02 : 1), rare))).toEqual([]);
    expect(titlesOf(withEmpty((place) => (place === 10 ? 1 : 0)))).toEqual([]);
    expect(titlesOf(withEmpty((place) => ([5, 6].includes(place % 7) ? 1 : 0)))).toEqual([]);
    expect(titlesOf(withEmpty((place) => (place < 2 ? 0 : 1)))).toEqual([]);
    expect(titlesOf(withEmpty(() => 1))).toEqual([]);
  });
});

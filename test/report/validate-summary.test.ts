import { expect, it } from "vitest";
import type { Finding, Report } from "../../src/profile/report.js";
import { drawDays, summarizeValidate } from "../../src/report/validate-summary.js";
import { cleanReport, evenDay, evenDays } from "./example-report.js";

const places = {
  files: ["/r/report.html", "/r/report.json"],
  next: { command: "switchyard export in --to out" },
};
const finding: Finding = {
  code: "ids_junk",
  severity: "warning",
  title: "5 events have \u001b[31ma user id",
  rows: 5,
  detail: "null: 5",
  fix: {
    path: ["mapping", "userID"],
    value: "u",
    isSafe: true,
    line: '"mapping": {"userID": "u"}',
  },
};

it("shows a report on one screen", () => {
  const days = evenDays().with(9, evenDay(9, 50)).with(10, evenDay(10, 0));
  const rows = { ...cleanReport.rows, read: 67_300, rejected: 60, filtered: 40 };
  const report: Report = { ...cleanReport, days, rows, findings: [finding] };
  expect(
    summarizeValidate(report, places),
  ).toBe(`Read 67,300 rows in 2.0 s (33,650 rows/s); nothing was sent
  verdict   Ready: every one of 67,200 rows becomes an event.
  rows      67,300 read = 67,200 events + 60 rejected + 40 filtered
  days      28: 2026-01-01 to 2026-01-28 (UTC)
            █████████▅·█████████████████
  events    brewed 50.0 %, bought 50.0 %
  identity  200 users in 89.3 % of the events, 220 devices in 100.0 %
  export    about 2.00 MB in 2.0 s
  send      13.4 MB in 1:07 min at 1,000 events/s
  qualify   2 qualifying events

Findings: 1 warning
  warning  5 events have \\u001b[31ma user id [ids_junk]
           → "mapping": {"userID": "u"}  (safe: --apply writes it)

  report    /r/report.html
            /r/report.json
  next      switchyard export in --to out`);
});

it("shows what to do by hand before the next command", () => {
  const next = { first: "fix the errors above, then:", command: "switchyard validate in" };
  expect(summarizeValidate(cleanReport, { ...places, next })).toMatch(
    /\n {2}next {6}fix the errors above, then:\n {12}switchyard validate in$/,
  );
});

it("says that there are no findings, and that it was a sample", () => {
  const summary = summarizeValidate({ ...cleanReport, sample: { share: 0.01 } }, places);
  expect(summary).toContain("Read a sample of 67,200 rows (1.0 %) in");
  expect(summary).toContain("No findings: no problem was found.");
  expect(summary).toContain("  send      about 1.34 GB in ");
  const verdict = { tone: "error", sentence: "Not known." } as const;
  expect(summarizeValidate({ ...cleanReport, verdict }, places)).toContain(
    "No findings in what was read.",
  );
  const quick = summarizeValidate({ ...cleanReport, sample: { share: 0.000_123 } }, places);
  expect(quick).toContain("Read a sample of 67,200 rows (0.012 %) in");
});

it("lists every finding on one line, the first with their fixes, and only some names", () => {
  const findings = Array.from({ length: 90 }, () => ({ ...finding, title: "x".repeat(900) }));
  const events = Array.from({ length: 300 }, (_, index) => ({
    ...cleanReport.events[0]!,
    event: `${index}${"y".repeat(400)}`,
  }));
  const summary = summarizeValidate({ ...cleanReport, findings, events }, places);
  const lines = summary.split("\n");
  expect(lines.filter((one) => /^ {2}warning {2}x+… \[ids_junk\]$/.test(one))).toHaveLength(90);
  expect(lines.filter((one) => one.includes("→"))).toHaveLength(6);
  expect(summary).toContain("The report has the other lines that fix findings.");
  expect(summary).toContain("and 296 more names");
  const others = { names: null, rows: 7 };
  const capped = summarizeValidate({ ...cleanReport, events, otherEvents: others }, places);
  expect(capped).toContain("and at least 296 more names");
  expect(capped).toContain("qualify   at least 2 qualifying events");
});

it("draws many days in groups", () => {
  expect(drawDays(evenDays(120), 60)).toBe("█".repeat(60));
  expect(drawDays(evenDays(121), 60)).toBe("█".repeat(41));
  expect(drawDays([], 60)).toBe("");
});

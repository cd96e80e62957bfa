import { expect, test } from "vitest";
import type { Report } from "../../../src/profile/report.js";
import { verdictOf } from "../../../src/report/html/client/verdict.js";
import { exampleReport } from "./example-report.js";

const full = exampleReport({ days: 20, names: 5 });
const rows = { ...full.rows, read: 1_000, mapped: 1_000, rejected: 0, filtered: 0 };

function verdict(change: Partial<Report>): string {
  return verdictOf({ ...full, rows, findings: [], ...change }).sentence;
}

test("a clean report is ready, and others say why they are not", () => {
  const find = (severity: string) => full.findings.filter((one) => one.severity === severity);
  expect(verdict({})).toBe("Ready: every one of 1,000 rows becomes an event.");
  expect(verdict({ rows: { ...rows, mapped: 999, filtered: 1 } })).toBe(
    "Ready: all but 1 of 1,000 rows become events.",
  );
  expect(verdict({ rows: { ...rows, mapped: 990, rejected: 10 } })).toBe(
    "Ready: 99.0 % of 1,000 rows become events.",
  );
  expect(verdict({ findings: find("warning") })).toBe(
    "Nearly ready: every one of 1,000 rows becomes an event, with 1 warning to check.",
  );
  expect(verdict({ findings: full.findings })).toBe(
    "Not ready: every one of 1,000 rows becomes an event, with 2 errors to fix and 1 warning to check.",
  );
  expect(verdict({ rows: { ...rows, mapped: 0, rejected: 1_000 } })).toBe(
    "No row becomes an event.",
  );
  expect(verdict({ rows: { ...rows, read: 0, mapped: 0 } })).toBe("There are no rows to migrate.");
});

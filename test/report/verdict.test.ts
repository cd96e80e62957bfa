import { expect, test } from "vitest";
import type { MaxRejects } from "../../src/options/options.js";
import type { Finding, Report } from "../../src/profile/report.js";
import { acceptFindings, checkAccepted, verdictOf } from "../../src/report/verdict.js";
import { exampleReport } from "../report-page/example-report.js";

const full = exampleReport({ days: 20, names: 5 });
const rows = { ...full.rows, read: 1_000, mapped: 1_000, rejected: 0, filtered: 0 };

function verdict(change: Partial<Report>, maxRejects: MaxRejects = { rows: 0 }): string {
  return verdictOf({ ...full, rows, findings: [], ...change }, maxRejects).sentence;
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
    "Not ready: no row becomes an event.",
  );
  expect(verdict({ rows: { ...rows, read: 0, mapped: 0 } })).toBe(
    "Not ready: there are no rows to migrate.",
  );
});

const rejected = { ...rows, read: 218_000, mapped: 217_523, rejected: 477 };
const finding: Finding = {
  code: "rows_rejected",
  severity: "error",
  title: "",
  detail: "",
  rows: 477,
};
const findings: readonly Finding[] = [
  { ...finding, rejectCode: "unit_id_missing" },
  { ...finding, code: "spike_day", severity: "warning" },
];
const codesOf = (all: readonly Finding[]) =>
  all.map(({ code, acceptedBecause }) => [code, acceptedBecause]);

test("rejected rows within the limit are accepted, and others are not", () => {
  const limit = { share: 0.01 };
  const accepted = acceptFindings(findings, rejected, { maxRejects: limit });
  expect(codesOf(accepted)).toEqual([
    ["spike_day", undefined],
    ["rows_rejected", "maxRejects"],
  ]);
  expect(verdict({ rows: rejected, findings: accepted.slice(1) }, limit)).toBe(
    "Ready: 477 rejected rows are within the limit (0.22 % of 1 %).",
  );
  expect(verdict({ rows: rejected, findings: accepted }, { rows: 500 })).toBe(
    "Nearly ready: 477 rejected rows are within the limit (477 of 500), with 1 warning to check.",
  );
  expect(acceptFindings(findings, rejected, { maxRejects: { rows: 476 } })).toEqual(findings);
});

test("the configuration accepts findings by their codes, apart from those that lose rows", () => {
  const accepted = acceptFindings(findings, rejected, {
    codes: ["spike_day"],
    maxRejects: { rows: 1_000 },
  });
  expect(codesOf(accepted).map(([, reason]) => reason)).toEqual(["maxRejects", "acceptFindings"]);
  expect(verdict({ rows: rejected, findings: accepted }, { rows: 1_000 })).toMatch(/^Ready: /);
  expect(() => checkAccepted(["spike_day"])).not.toThrow();
  expect(() => checkAccepted(["spike_dai", "rows_rejected"])).toThrow(
    'acceptFindings: "spike_dai" is not the code of a finding; see docs/findings.md; rows_rejected cannot be accepted; raise maxRejects.',
  );
});

import { expect, test } from "vitest";
import { rejectCodes } from "../../src/base/reject-codes.js";
import { rejectAdvice } from "../../src/report/reject-advice.js";
import { summarizeExport } from "../../src/report/run-summary.js";
import { exampleManifest, exampleResult } from "./example-result.js";

test("summarizes an export with its rejects and what to do, safe to print on a terminal", () => {
  expect(summarizeExport(exampleResult)).toBe(
    `Exported 1,000 events of 2 days in /data/out/events
  rows      1,003 read = 1,000 delivered + 3 rejected
  days      2: 2026-01-30 to 2026-01-31 (UTC)
  files     2 parquet, 1.00 MB
  time      2.0 s, 502 rows/s, 1.00 MB/s

Rejected: 3 rows, kept in /data/out/rejects
  event_missing: 2 rows, such as a\\u001b[31m.json, row 1,234
    event_type is\\nnull → map another field to the event name
  time_unparsable: 1 row, such as b.json, byte 77
    no time: "soon" → set the format of the time in the mapping
  To retry these rows after you have fixed the mapping, pass that directory as input.

  manifest  /data/out/manifest.json
  next      switchyard verify /data/out`,
  );
});

test("fits one screen when everything goes wrong", () => {
  const [example] = exampleManifest.rejects;
  if (example === undefined) throw new Error("the example has no rejects");
  const rejects = Object.keys(rejectCodes).map((code) => ({ ...example, code: code as never }));
  const failures = Array.from({ length: 50 }, (_, index) => ({
    source: `s${index}.gz`,
    code: "gzip_truncated",
    message: `s${index}.gz: ends in the middle of a member`,
  }));
  const summary = summarizeExport({
    ...exampleResult,
    outcome: "failed",
    failures,
    manifest: { ...exampleManifest, rejects, failures },
  });
  expect(summary.split("\n").length).toBeLessThanOrEqual(26);
  expect(summary).toContain("Failed: 50 sources could not be read completely");
  expect(summary).toContain("  s0.gz: ends in the middle of a member (gzip_truncated)");
  expect(summary).toContain("and 47 more sources, see the manifest");
});

test("says that a finished export that is run again has nothing to do", () => {
  const summary = summarizeExport({ ...exampleResult, alreadyDone: true });
  expect(summary).toBe("Already done, nothing to do: 1,000 events of 2 days in /data/out/events");
  const rejected = { ...exampleResult, alreadyDone: true, tooManyRejects: true };
  expect(summarizeExport(rejected)).toContain("3 rejected");
});

test("says what each epoch added that the run worked on", () => {
  const [first] = exampleManifest.epochs;
  const rows = { read: 9, added: 0, delivered: 9, rejected: 0, filtered: 0 };
  const days = Array.from({ length: 9 }, (_, index) => `2026-01-0${index + 1}`);
  const second = { number: 1, sources: 3, rows, days };
  const epochs = first === undefined ? [] : [first, second];
  const manifest = { ...exampleManifest, epochs };
  const summary = summarizeExport({ ...exampleResult, manifest, epochs: [second] });
  expect(summary.split("\n")[1]).toBe(
    "  added     9 events from 3 inputs (epoch 1) to 2026-01-01, 2026-01-02, 2026-01-03, 2026-01-04, 2026-01-05, 2026-01-06, 2026-01-07 and 2 days more",
  );
  expect(summarizeExport(exampleResult)).not.toContain("epoch");
});

test("quotes a directory with a space for a shell", () => {
  const summary = summarizeExport({
    ...exampleResult,
    manifestPath: "/my data/it's/manifest.json",
  });
  expect(summary).toContain("switchyard verify '/my data/it'\\''s'");
});

test("has advice for every reason", () => {
  expect(Object.keys(rejectAdvice).sort()).toEqual(Object.keys(rejectCodes).sort());
  for (const advice of Object.values(rejectAdvice)) expect(advice).toMatch(/^[a-z].{10,}[^.]$/);
});

import { expect, it } from "vitest";
import { type Difference, difference } from "../../src/check/verify/verify-difference.js";
import { summarizeVerify } from "../../src/report/verify-summary.js";

const summarize = (differences: readonly Difference[]) =>
  summarizeVerify({
    outcome: differences.length === 0 ? "verified" : "different",
    differences,
    manifestPath: "/data/out/manifest.json",
    files: 2,
    filesUnread: 0,
    rows: 1_000,
    bytes: 1e6,
    days: 2,
    durationMs: 1_000,
  });

const incomplete = difference(
  "export_incomplete",
  "manifest.json",
  "the export is not complete: it was interrupted. Run the same export again",
);
const changed = difference("sha256_differs", "events/day=2026-01-01/part.jsonl", "another content");

it("advises to export again if files have changed", () => {
  expect(summarize([changed])).toMatch(/another content\n\n {2}Export again with --fresh/);
  expect(summarize([incomplete, changed])).toContain("--fresh");
});

it("advises to move unexpected files only, if nothing else is wrong", () => {
  const stranger = difference("file_unexpected", "events/2026-01-01/copy.jsonl", "a stranger");
  expect(summarize([incomplete, stranger])).toMatch(
    /a stranger\n\n {2}Move the files .*own files\.$/,
  );
  expect(summarize([changed, stranger])).toMatch(
    /--fresh, or .*\n {2}Move the files .*own files\.$/,
  );
});

it("does not advise to export with --fresh if the export is only incomplete", () => {
  expect(summarize([incomplete])).toMatch(/Run the same export again$/);
});

it("has no advice if nothing is wrong", () => {
  expect(summarize([])).toMatch(/^Verified: \/data\/out matches its manifest\n.*rows\/s$/);
});

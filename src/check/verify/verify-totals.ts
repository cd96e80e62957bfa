import { sum } from "../../base/sum.js";
import type { Manifest, ManifestDay } from "../../ledger/manifest.js";
import { MANIFEST_NAME } from "../../output/layout.js";
import { compare, type Difference, difference } from "./verify-difference.js";

interface Summed {
  readonly rows: number;
  readonly bytes: number;
  readonly firstTimestamp: string | null;
  readonly lastTimestamp: string | null;
}

/**
 * Compares the manifest with itself: days with their files, totals with days, rows with each other.
 */
export function verifyTotals(manifest: Manifest): Difference[] {
  const { totals, days } = manifest;
  const files = sum(days, (day) => day.files.length);
  return [
    ...incompleteness(manifest),
    ...days.flatMap(verifyDay),
    ...compareSums("the whole export", sumParts(days), totals),
    ...compare("totals_differ", MANIFEST_NAME, "files of the whole export", files, totals.files),
    ...compare(
      "totals_differ",
      MANIFEST_NAME,
      "days of the whole export",
      days.length,
      totals.days,
    ),
    ...verifyRows(manifest),
    ...verifyEpochs(manifest),
  ];
}

function incompleteness({ complete, failures }: Manifest): Difference[] {
  if (complete) return [];
  const why =
    failures.length === 0
      ? "it was interrupted"
      : failures.map(({ source, message }) => `${source} failed (${message})`).join("; ");
  return [
    difference(
      "export_incomplete",
      MANIFEST_NAME,
      `the export is not complete: ${why}. Run the same export again to resume it`,
    ),
  ];
}

function verifyDay(day: ManifestDay): Difference[] {
  return compareSums(`day ${day.day}`, sumParts(day.files), day);
}

function compareSums(what: string, found: Summed, stated: Summed): Difference[] {
  const keys = ["rows", "bytes", "firstTimestamp", "lastTimestamp"] as const;
  return keys.flatMap((key) =>
    compare("totals_differ", MANIFEST_NAME, `${key} of ${what}`, found[key], stated[key]),
  );
}

/**
 * Adds up rows, bytes and times. ISO times sort as text only while their years have four digits, so
 * compare them as times.
 */
function sumParts(parts: readonly Summed[]): Summed {
  const total = { rows: 0, bytes: 0 };
  let first: string | null = null;
  let last: string | null = null;
  for (const part of parts) {
    total.rows += part.rows;
    total.bytes += part.bytes;
    first = earlier(first, part.firstTimestamp);
    last = later(last, part.lastTimestamp);
  }
  return { ...total, firstTimestamp: first, lastTimestamp: last };
}

function earlier(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return Date.parse(other) < Date.parse(one) ? other : one;
}

function later(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return Date.parse(other) > Date.parse(one) ? other : one;
}

/** Compares the epochs with the rows and days of all of them. */
function verifyEpochs({ epochs, rows, days, pending }: Manifest): Difference[] {
  const read = sum(epochs, (epoch) => epoch.rows.read);
  const delivered = sum(epochs, (epoch) => epoch.rows.delivered);
  const named = new Set(epochs.flatMap((epoch) => epoch.days));
  const unnamed = days.filter(({ day }) => !named.has(day)).length;
  const where = ["accounting_differs", MANIFEST_NAME] as const;
  return [
    ...compare(...where, "rows read in all epochs", read, rows.read),
    ...compare(...where, "rows delivered in all epochs", delivered, rows.delivered),
    ...(pending === undefined
      ? compare(...where, "days with files that no epoch has", unnamed, 0)
      : []),
  ];
}

function verifyRows({ rows, totals, rejects, pending = 0 }: Manifest): Difference[] {
  const accounted = rows.delivered + rows.rejected + rows.filtered + (rows.duplicates ?? 0);
  const rejected = sum(rejects, ({ rows }) => rows);
  return [
    ...compare(
      "accounting_differs",
      MANIFEST_NAME,
      "rows delivered, rejected, filtered and removed as duplicates, against rows read and added",
      accounted,
      rows.read + rows.added,
    ),
    ...compare(
      "accounting_differs",
      MANIFEST_NAME,
      "rows in days and pending",
      totals.rows + pending,
      rows.delivered,
    ),
    ...compare("accounting_differs", MANIFEST_NAME, "rejects by reason", rejected, rows.rejected),
  ];
}

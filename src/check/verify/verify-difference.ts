/** Codes of differences, in the output of `verify --json`. */
const differenceCodes = [
  "export_incomplete",
  "path_invalid",
  "file_missing",
  "file_unreadable",
  "file_unexpected",
  "bytes_differ",
  "sha256_differs",
  "rows_differ",
  "row_unreadable",
  "row_in_wrong_day",
  "row_in_wrong_event",
  "first_timestamp_differs",
  "last_timestamp_differs",
  "totals_differ",
  "events_differ",
  "rejects_differ",
  "accounting_differs",
  "stored_count_differs",
  "stored_event_unknown",
  "stored_field_differs",
] as const;
type DifferenceCode = (typeof differenceCodes)[number];

/** One difference between an export and its manifest, or between a service and an export. */
export interface Difference {
  readonly code: DifferenceCode;
  /** Relative to the export's directory; `service` for stored events. */
  readonly path: string;
  readonly message: string;
}

export function difference(code: DifferenceCode, path: string, message: string): Difference {
  return { code, path, message };
}

/** Returns a difference if the two are not equal. */
export function compare(
  code: DifferenceCode,
  path: string,
  what: string,
  found: number | string | null,
  stated: number | string | null,
): readonly Difference[] {
  if (found === stated) return [];
  return [
    difference(
      code,
      path,
      `${what}: found ${found ?? "none"}, the manifest says ${stated ?? "none"}`,
    ),
  ];
}

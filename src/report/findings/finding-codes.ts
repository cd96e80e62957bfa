import type { Severity } from "../../profile/report.js";

interface FindingRow {
  /** An error loses or damages events, a warning may do so, and an info is worth knowing. */
  readonly severity: Severity;
  /** Looked for only if all rows were read: what is missing from a sample may be in the export. */
  readonly needsAllRows?: true;
  /** When the finding is reported, and what fixes it: Markdown for docs/findings.md. */
  readonly when: string;
  readonly fix: string;
}

/** Every finding that a report can have. The table in docs/findings.md comes from it. */
export const findingCodes = {
  no_events: {
    severity: "error",
    when: "No row becomes an event.",
    fix: "The finding names the likely cause: inputs, filters, preset or mapping.",
  },
  source_failed: {
    severity: "error",
    when: "A source could not be read completely.",
    fix: "Fetch the file again.",
  },
  rows_rejected: {
    severity: "error",
    when: "Rows are rejected; one finding for each [reason](rejects.md).",
    fix: "If the samples show it: another field in `mapping.stableID` or `mapping.event`, a `format` in `mapping.timestamp`, or a larger `maxRowSize`. Otherwise as the reason says.",
  },
  time_unit_seconds: {
    severity: "error",
    when: "Rejected times are plausible if read as seconds.",
    fix: "`format` `auto` in `mapping.timestamp`, which detects the unit by size. *Safe*: all samples agree.",
  },
  time_unit_milliseconds: {
    severity: "error",
    when: "Rejected times are plausible if read as milliseconds.",
    fix: "The same.",
  },
  time_unit_microseconds: {
    severity: "error",
    when: "Rejected times are plausible if read as microseconds.",
    fix: "The same.",
  },
  time_unit_nanoseconds: {
    severity: "error",
    when: "Rejected times are plausible if read as nanoseconds.",
    fix: "The same.",
  },
  time_epoch_unknown: {
    severity: "error",
    when: "Rejected times are counted as spreadsheets, browsers or some databases count.",
    fix: "Convert the times before they are read.",
  },
  zone_daylight_saving: {
    severity: "warning",
    needsAllRows: true,
    when: "An hour is missing, and another doubled, exactly where the clocks of a zone change.",
    fix: "`zone` in `mapping.timestamp`, with `shifted` for epochs. Several zones change alike: choose yours.",
  },
  zone_hours_shifted: {
    severity: "info",
    when: "Times name no zone, and the quietest hours are not at night in UTC.",
    fix: "Nothing if that is where users live; otherwise `zone` in `mapping.timestamp`.",
  },
  times_midnight: {
    severity: "warning",
    when: "At least a fifth of the events are at exactly midnight.",
    fix: "Map a field that includes the time of day.",
  },
  times_future: {
    severity: "warning",
    when: "Events are later than the run.",
    fix: "`toTime` filters them out.",
  },
  times_suspicious: {
    severity: "warning",
    when: "Events are before 2000, or exactly at the start of an epoch.",
    fix: "`minTime` rejects them.",
  },
  times_scattered: {
    severity: "warning",
    needsAllRows: true,
    when: "A few events are more than 30 days before all others.",
    fix: "`minTime` rejects them.",
  },
  gap_days: {
    severity: "warning",
    needsAllRows: true,
    when: "Days have less than a quarter of the events of the days on both sides, and less than half of the same weekday.",
    fix: "Export these days from the tool again.",
  },
  gap_hours: {
    severity: "warning",
    needsAllRows: true,
    when: "Hours have almost no events, and the same hours of the days around have many.",
    fix: "Export these hours from the tool again.",
  },
  spike_day: {
    severity: "warning",
    needsAllRows: true,
    when: "A day has at least three times the events of the days on both sides.",
    fix: "Nothing, or a filter; the finding names the event that causes it.",
  },
  spike_hour: {
    severity: "warning",
    needsAllRows: true,
    when: "An hour has at least four times the usual events.",
    fix: "The same.",
  },
  name_vanished: {
    severity: "info",
    needsAllRows: true,
    when: "An event that occurred steadily stops before the end of the export.",
    fix: "Nothing.",
  },
  name_appeared: {
    severity: "info",
    needsAllRows: true,
    when: "An event that occurs steadily begins after the start of the export.",
    fix: "Nothing.",
  },
  name_changed: {
    severity: "warning",
    needsAllRows: true,
    when: "An event stops where another of about the same frequency begins.",
    fix: "`fixes.mjs` gives both the newer name.",
  },
  names_alike: {
    severity: "warning",
    when: "Event names differ only by case, width or white space.",
    fix: "`fixes.mjs` uses the most frequent spelling.",
  },
  names_with_ids: {
    severity: "warning",
    when: "At least ten event names differ only by an id inside, such as `Viewed /product/123`.",
    fix: "`fixes.mjs` replaces the ids with `*`.",
  },
  names_too_many: {
    severity: "warning",
    when: "There are more than 1,000 event names.",
    fix: "`includeEvent` or `excludeEvent`.",
  },
  name_too_long: {
    severity: "error",
    when: "An event name is longer than 1,024 characters.",
    fix: "`excludeEvent` filters these events out.",
  },
  name_refused: {
    severity: "warning",
    when: "An event name is not valid for a qualifying event.",
    fix: "`fixes.mjs` makes the names valid.",
  },
  users_missing: {
    severity: "warning",
    when: "At least 95 % of the events have no user id.",
    fix: "Another field in `mapping.userID`.",
  },
  ids_junk: {
    severity: "warning",
    when: "Ids are placeholders: `0`, `null`, `undefined`, the zero UUID.",
    fix: "`unless` in `mapping.userID` or `mapping.stableID`. *Safe* if all events have the other id too.",
  },
  ids_emails: {
    severity: "warning",
    when: "Most of the most frequent ids are email addresses.",
    fix: "`hash`, with a salt.",
  },
  device_shared: {
    severity: "warning",
    when: "A device has at least 100 users.",
    fix: "`unless` in `mapping.stableID`.",
  },
  user_many_devices: {
    severity: "warning",
    when: "A user has at least 100 devices.",
    fix: "`unless` in `mapping.userID`.",
  },
  property_mixed_types: {
    severity: "warning",
    when: "Values of a property have several types, apart from null.",
    fix: "`fixes.mjs` converts texts to numbers or objects where all are such, and otherwise all values to text.",
  },
  property_keys_alike: {
    severity: "warning",
    when: "Property keys differ only by case, width or white space.",
    fix: "`fixes.mjs` moves values to the most frequent spelling.",
  },
  property_too_long: {
    severity: "warning",
    when: "Values are longer than 32 KiB.",
    fix: "`drop`.",
  },
  property_long: {
    severity: "info",
    when: "Values are longer than 1 KiB.",
    fix: "Nothing.",
  },
  property_json_text: {
    severity: "info",
    when: "Values are text that contains an object or a list.",
    fix: "`fixes.mjs` parses them.",
  },
  property_numbers_as_text: {
    severity: "info",
    when: "Values are text that contains numbers with a fraction.",
    fix: "`fixes.mjs` converts them to numbers.",
  },
  property_personal: {
    severity: "warning",
    when: "The most frequent values look like email addresses, phone numbers, card numbers or IP addresses, or the key says so.",
    fix: "`drop`, or `hash` with a salt.",
  },
  duplicates: {
    severity: "warning",
    when: "Insert ids repeat, beyond the error of the estimate.",
    fix: "Remove the files that repeat others.",
  },
  event_too_large: {
    severity: "warning",
    when: "An event is larger than 256 KiB.",
    fix: "`drop` of the property that makes it large.",
  },
  cap_reached: {
    severity: "info",
    when: "The export has more names, keys or sources than a report lists.",
    fix: "Nothing.",
  },
} as const satisfies Readonly<Record<string, FindingRow>>;

export type FindingCode = keyof typeof findingCodes;

import type { Severity } from "../../profile/report.js";

interface FindingRow {
  /** An error loses or damages events, a warning may do so, and an info is worth knowing. */
  readonly severity: Severity;
  /** Reported only if all rows were read: data that a sample lacks may be in the export. */
  readonly needsAllRows: boolean;
  /** The condition of the finding and its remedy, as Markdown for docs/findings.md. */
  readonly when: string;
  readonly fix: string;
}

const rowOf =
  (severity: Severity) =>
  (when: string, fix: string, read?: "all rows"): FindingRow => ({
    severity,
    needsAllRows: read !== undefined,
    when,
    fix,
  });

const [error, warning, info] = [rowOf("error"), rowOf("warning"), rowOf("info")];

/** Every finding that a report can have. The table in docs/findings.md comes from it. */
export const findingCodes = {
  no_events: error(
    "No row becomes an event.",
    "The finding names the likely cause: inputs, filters, preset or mapping.",
  ),
  source_failed: error("A source could not be read completely.", "Fetch the file again."),
  target_names: error(
    "The target drops events of these names: they have characters that it forbids, or are too long.",
    "`repair` of `names`: [targets.md](targets.md#repair).",
  ),
  target_metadata_large: error(
    "The target drops events whose metadata is as large as this.",
    "`drop` of long properties.",
  ),
  target_values_long: warning(
    "The target cuts values of this length.",
    "`repair` of `values`, which rejects such events.",
  ),
  target_keys_dotted: warning(
    "The target reads a metadata key with a dot as a path, and finds nothing.",
    "`repair` of `metadata`, which replaces the dots.",
  ),
  target_metadata_nested: warning(
    "The target stores objects and lists within metadata as text.",
    "`repair` of `metadata`, which moves their members to the first level.",
  ),
  target_users: warning(
    "User properties fill fields that the target looks for at the top level of the user, such as the email address.",
    "`repair` of `users`.",
  ),
  target_days: warning(
    "The days of the target begin at another time than those of the export.",
    "`repair` of `days`, which sets `export.dayZone`.",
  ),
  target_repaired: info("Events are repaired for the target.", "Nothing."),
  field_missing: warning(
    "A mapped field has no value in any row, or in any row of some sources that should have about 20. Optional fields of presets are reported only for some sources.",
    "Another field in the mapping, or a list of both names.",
  ),
  field_renamed: error(
    "A field that the mapping does not use has values in rows without a value for a target, and almost never beside one. Its name or its values fit the target.",
    "A list of both fields in `mapping`, or a list of parts for an object. *Safe* if the name or the values are alike.",
  ),
  field_vanished: warning(
    "A target of the mapping has values on most days, and none on two or more days in a row that should have at least 30. Event names that end do not count.",
    "A list of both names in the mapping, if a field was renamed; otherwise export these days again.",
    "all rows",
  ),
  commas_misplaced: warning(
    "A JSON array has missing or extra commas between its rows. The rows are read.",
    "Compare the file with its source: a row may be lost there.",
  ),
  files_joined: info(
    "A CSV header again, or a byte order mark, is inside of a source, as in files that were joined. They are skipped and are not rows.",
    "Nothing if all joined files have the same columns.",
  ),
  rows_without_elements: info(
    "The mapping has `rows`, and rows of the sources have no list there, or an empty one. They give no events.",
    "Nothing if such rows are expected. If no row has the list, another path in `mapping.rows`.",
  ),
  rows_rejected: error(
    "Rows are rejected; one finding for each [reason](rejects.md).",
    "If the samples show it: another field in `mapping.stableID` or `mapping.event`, a `format` in `mapping.timestamp`, or a larger `maxRowSize`. Otherwise as the reason says.",
  ),
  time_unit_seconds: error(
    "Rejected times are plausible if read as seconds.",
    "`format` `auto` in `mapping.timestamp`, which detects the unit by size. *Safe*: all samples agree.",
  ),
  time_unit_milliseconds: error(
    "Rejected times are plausible if read as milliseconds.",
    "The same.",
  ),
  time_unit_microseconds: error(
    "Rejected times are plausible if read as microseconds.",
    "The same.",
  ),
  time_unit_nanoseconds: error("Rejected times are plausible if read as nanoseconds.", "The same."),
  time_epoch_unknown: error(
    "Times are counts from another day, as .NET, Windows, browsers, Apple's systems or spreadsheets count. They are rejected, or delivered as times before 2000.",
    "The `format` in `mapping.timestamp` that reads them: `100ns since 0001-01-01`.",
  ),
  zone_daylight_saving: warning(
    "An hour is missing, and another doubled, exactly where the clocks of a zone change.",
    "`zone` in `mapping.timestamp`, with `shifted` for epochs. Several zones change alike: choose yours.",
    "all rows",
  ),
  zone_hours_shifted: info(
    "Times have no zone, and the quietest hours are not at night in UTC.",
    "Nothing if that is where users live; otherwise `zone` in `mapping.timestamp`.",
  ),
  times_midnight: warning(
    "At least a fifth of the events are at exactly midnight.",
    "Map a field that includes the time of day.",
  ),
  times_future: warning("Events are later than the run.", "`toTime` filters them out."),
  times_suspicious: warning(
    "Events are before 2000, or exactly at the start of an epoch.",
    "`timeLimits` rejects them.",
  ),
  times_scattered: warning(
    "A few events are more than 30 days before all others.",
    "`timeLimits` rejects them.",
    "all rows",
  ),
  gap_days: warning(
    "Days have less than a quarter of the events of the days on both sides, and less than half of the same weekday.",
    "Export these days from the tool again.",
    "all rows",
  ),
  gap_hours: warning(
    "Hours have almost no events, but the same hours of the days around have many.",
    "Export these hours from the tool again.",
    "all rows",
  ),
  spike_day: warning(
    "A day has at least 2.5 times the usual events for its weekday, allowing for a general rise around it; in a short export, 2.5 times those of the days on both sides.",
    "Nothing, or a filter; the finding names the event that causes it.",
    "all rows",
  ),
  spike_hour: warning("An hour has at least four times the usual events.", "The same.", "all rows"),
  name_vanished: info(
    "An event that occurred steadily stops before the end of the export.",
    "Nothing.",
    "all rows",
  ),
  name_appeared: info(
    "An event that occurs steadily begins after the start of the export.",
    "Nothing.",
    "all rows",
  ),
  name_changed: warning(
    "An event stops where another of about the same frequency begins; both may occur for up to seven days.",
    "`fixes.mjs` gives both the newer name.",
    "all rows",
  ),
  names_alike: warning(
    "Event names differ only by case, width, or what separates words: blanks, `_` and `-`.",
    "`fixes.mjs` uses the most frequent spelling.",
  ),
  names_with_ids: warning(
    "At least ten event names differ only by an id inside, such as `Viewed /product/123`.",
    "`fixes.mjs` replaces the ids with `*`.",
  ),
  names_too_many: warning(
    "There are more than 1,000 event names.",
    "`includeEvent` or `excludeEvent`.",
  ),
  name_too_long: error(
    "An event name is longer than 1,024 characters.",
    "`excludeEvent` filters these events out.",
  ),
  name_refused: warning(
    "An event name is not valid for a qualifying event.",
    "`fixes.mjs` makes the names valid.",
  ),
  users_missing: warning(
    "At least 95 % of the events have no user id.",
    "Another field in `mapping.userID`.",
  ),
  users_anonymous: warning(
    "Events have a device id as user id; tools write it for anonymous visitors. It is the id of their device, one that begins with `$device:`, or, without a device id, one that looks generated while those of other users do not.",
    "Another field in `mapping.userID`, `unlessSameAs` or `unlessPrefix`.",
  ),
  identity_events: info(
    "Events only link ids: `$identify`, `$create_alias`, `$merge` and others.",
    "`excludeEvent` filters them out.",
  ),
  ids_junk: warning(
    "Ids are placeholders: `0`, `null`, `undefined`, the zero UUID.",
    "`unless` in `mapping.userID` or `mapping.stableID`. *Safe* if all events have the other id too.",
  ),
  ids_decimal: warning(
    "Ids are whole numbers with a fraction of zero or an exponent, such as `1000.0` or `1e+03`. Other ids are the same without, or at least half of all are like this.",
    "`as` `integer` in `mapping.userID` or `mapping.stableID`. *Safe*.",
  ),
  blanks_around: warning(
    "Ids, event names or values have white space or characters of no width around them.",
    "`trim` in the field of the mapping. *Safe*.",
  ),
  quotes_around: warning(
    "Ids, event names or values are in quotes, as JSON texts are: at least half of the distinct ones, or ids that are the same as another one without.",
    "`as` `json` in the field of the mapping. *Safe*.",
  ),
  csv_nulls_as_text: warning(
    "Cells of CSV inputs are `NULL`, `(null)`, `None`, `nil` or a similar text.",
    "`null` of `csvDialect` makes them null.",
  ),
  ids_emails: warning("User or device ids contain email addresses.", "`hash`, with a salt."),
  device_shared: warning("A device has at least 100 users.", "`unless` in `mapping.stableID`."),
  user_many_devices: warning("A user has at least 100 devices.", "`unless` in `mapping.userID`."),
  property_mixed_types: warning(
    "Values of a property have several types, apart from null.",
    "`fixes.mjs` converts texts to numbers or objects if all of them can be converted, otherwise all values to text. Numbers keep their digits; texts with leading zeros stay texts.",
  ),
  property_vanished: info(
    "A property that at least half of an event's rows had is missing from some day on, where 30 or more should have it.",
    "Nothing, or a transform that gives both the newer name.",
    "all rows",
  ),
  property_keys_alike: warning(
    "Property keys differ only by case, width, or what separates words.",
    "`fixes.mjs` moves values to the most frequent spelling.",
  ),
  property_too_long: warning("Values are longer than 32 KiB.", "`drop`."),
  property_long: info("Values are longer than 1 KiB.", "Nothing."),
  property_json_text: info(
    "Values are text that contains an object or a list.",
    "`fixes.mjs` parses them.",
  ),
  property_numbers_as_text: info(
    "Values are text that contains numbers with a fraction.",
    "`fixes.mjs` converts them to numbers.",
  ),
  property_personal: warning(
    "Values contain email addresses or secrets, also within URLs, texts and objects; the most frequent ones look like phone numbers, card numbers or IP addresses; or the key says so.",
    "`cutQuery` if all of it is in the queries of URLs; otherwise `drop`, or `hash` with a salt.",
  ),
  fields_unmapped: info(
    "Fields with values are used by no target of the mapping.",
    "`mapping.metadata` with these fields beside its own.",
  ),
  duplicates: warning(
    "Insert ids repeat, beyond the error of the estimate.",
    "`dedupe`, which removes them: [dedupe.md](dedupe.md).",
  ),
  event_too_large: warning(
    "An event is larger than 256 KiB.",
    "`drop` of the property that makes it large.",
  ),
  cap_reached: info("The export has more names, keys or sources than a report lists.", "Nothing."),
};

export type FindingCode = keyof typeof findingCodes;

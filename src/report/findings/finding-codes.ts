import type { Severity } from "../../profile/report.js";

/**
 * Every finding that a report can have, with how bad it is: an error loses or spoils events, a warning
 * probably does, and the rest is worth knowing. docs/findings.md explains each (a test compares).
 */
export const findingCodes = {
  no_events: "error",
  source_failed: "error",
  rows_rejected: "error",
  time_unit_seconds: "error",
  time_unit_milliseconds: "error",
  time_unit_microseconds: "error",
  time_unit_nanoseconds: "error",
  time_epoch_unknown: "error",
  zone_daylight_saving: "warning",
  zone_hours_shifted: "info",
  times_midnight: "warning",
  times_future: "warning",
  times_suspicious: "warning",
  times_scattered: "warning",
  gap_days: "warning",
  gap_hours: "warning",
  spike_day: "warning",
  spike_hour: "warning",
  name_vanished: "info",
  name_appeared: "info",
  name_changed: "warning",
  names_alike: "warning",
  names_with_ids: "warning",
  names_too_many: "warning",
  name_too_long: "error",
  name_refused: "warning",
  users_missing: "warning",
  ids_junk: "warning",
  ids_emails: "warning",
  device_shared: "warning",
  user_many_devices: "warning",
  property_mixed_types: "warning",
  property_keys_alike: "warning",
  property_too_long: "warning",
  property_long: "info",
  property_json_text: "info",
  property_numbers_as_text: "info",
  property_personal: "warning",
  duplicates: "warning",
  event_too_large: "warning",
  cap_reached: "info",
} as const satisfies Readonly<Record<string, Severity>>;

export type FindingCode = keyof typeof findingCodes;

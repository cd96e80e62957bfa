import type { RejectCodeName } from "../base/reject-codes.js";

/** Advice for rows that were rejected for a reason; one sentence, no full stop. */
export const rejectAdvice: Readonly<Record<RejectCodeName, string>> = {
  malformed_row: "correct the row, or pass --input-format if the wrong format was detected",
  row_not_object: "each row must be one JSON object; check that this is the right file",
  invalid_utf8: "convert the input to UTF-8",
  row_too_deep: "flatten the properties of this row",
  row_too_long: "raise --max-row-size, or shorten the row",
  ragged_row:
    "make the number of cells equal to the number of columns; check delimiter and quote of --csv-dialect",
  rows_not_list: "name the list of rows in the mapping's rows",
  element_not_object: "correct the element; each element of the list must be one JSON object",
  event_missing: "map another field to the event name",
  event_not_text: "map a field with text to the event name",
  time_missing: "map another field to the time",
  time_unparsable: "set the format of the time in the mapping",
  time_out_of_range: "correct the time, or widen --time-limits",
  unit_id_missing: "map further fields to userID or stableID",
  unit_id_not_text: "map a field with text or a number to userID and stableID",
  metadata_not_object: "map an object, or text that contains one, to the metadata",
  user_not_object: "map an object, or text that contains one, to the user",
  value_not_scalar: "map text or a number to the value",
  transform_failed: "correct the transform module",
  destination_refused: "correct the field that the service names, and send the rejects again",
  target_value_long: "leave values out of repair, or shorten the value with a transform",
  target_metadata_long: "remove long properties with drop, or split the event with a transform",
  type_mismatch: "leave the type out of --columns, or let a transform make a number of it",
};

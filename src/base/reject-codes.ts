/**
 * The reasons for rejecting a row. Batches hold numbers, reports names. Both are stable, and
 * docs/rejects.md has a row for each (a test compares).
 */
export const rejectCodes = {
  malformed_row: 1,
  row_not_object: 2,
  invalid_utf8: 3,
  row_too_deep: 4,
  row_too_long: 5,
  ragged_row: 6,
  rows_not_list: 7,
  element_not_object: 8,
  event_missing: 10,
  event_not_text: 11,
  time_missing: 12,
  time_unparsable: 13,
  time_out_of_range: 14,
  unit_id_missing: 15,
  unit_id_not_text: 16,
  metadata_not_object: 17,
  user_not_object: 18,
  value_not_scalar: 19,
  transform_failed: 20,
  destination_refused: 21,
  type_mismatch: 22,
  target_value_long: 23,
  target_metadata_long: 24,
} as const;

export type RejectCodeName = keyof typeof rejectCodes;
export type RejectCode = (typeof rejectCodes)[RejectCodeName];

const names = new Map<number, RejectCodeName>(
  Object.entries(rejectCodes).map(([name, code]) => [code, name as RejectCodeName]),
);

export function rejectCodeName(code: number): RejectCodeName {
  const name = names.get(code);
  if (name === undefined) throw new Error(`no reject code ${code}`);
  return name;
}

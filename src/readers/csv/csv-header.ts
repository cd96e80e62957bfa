/** Column names, in lower case, of exports of analytics tools and their warehouses. */
const TYPICAL_NAMES = new Set(
  `
    event event_type event_name event_id event_properties event_time uuid name type time
    timestamp ts date datetime created_at received_at event_timestamp server_upload_time
    derived_tstamp collector_tstamp id user user_id userid user_properties distinct_id device_id
    deviceid anonymous_id anonymousid stableid session_id user_pseudo_id properties
    person_properties metadata value platform country city insert_id domain_userid message_id
    messageid amplitude_id $insert_id email
  `
    .trim()
    .split(/\s+/),
);

/** Characters of a cell that may be a name. */
const NAME_LENGTH_MAX = 128;

/** A number, a date or time, a UUID, a truth value or JSON. */
const VALUE =
  /^([-+]?[\d.,]+(e[-+]?\d+)?|\d{4}-\d\d-\d\d.*|\d{1,2}[./]\d{1,2}[./]\d{2,4}.*|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|true|false|null|[{[].*[}\]])$/is;

/** A record after the possible header. */
interface HeaderCells {
  /** Returns whether the cell at `index` exists and is `text`, which is not empty. */
  holds(index: number, text: string): boolean;
}

/**
 * Returns whether the first record is a header. Two typical names are enough. Otherwise all cells
 * must look like names, most must be filled and distinct, and none may repeat as a value in its
 * column; only this last test walks `rows`.
 */
export function looksLikeHeader(cells: readonly string[], rows: Iterable<HeaderCells>): boolean {
  const typical = cells.filter((cell) => TYPICAL_NAMES.has(cell.toLowerCase()));
  if (typical.length >= Math.min(2, cells.length)) return true;
  if (cells.some((cell) => cell.length > NAME_LENGTH_MAX || VALUE.test(cell))) return false;
  const names = cells.filter((cell) => cell !== "");
  if (names.length * 2 < cells.length) return false;
  if (new Set(names).size * 2 <= names.length) return false;
  // A cell that repeats in its column is a value.
  for (const row of rows) {
    if (cells.some((cell, index) => cell !== "" && row.holds(index, cell))) return false;
  }
  return true;
}

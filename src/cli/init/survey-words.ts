import { formatCount, formatNumberOf } from "../../report/quantities.js";
import type { FieldShare } from "../../report/summary-parts.js";
import type { Survey } from "../../survey/survey.js";

/** Shapes that are named; the others are counted. */
const SHAPES_SHOWN = 6;

/** `24 × newline-delimited JSON in gzip, 1 × CSV`. */
export function describeShapes({ shapes }: Survey): string {
  const words = shapes
    .slice(0, SHAPES_SHOWN)
    .map(({ words, sources }) => `${formatCount(sources)} \u00d7 ${words}`);
  const more = shapes.length - words.length;
  return more > 0 ? `${words.join(", ")} and ${more} other kinds` : words.join(", ");
}

/** `event_time, ISO 8601 with no zone (taken as UTC), in the sample from … to …`. */
export function describeTime({ time, trial }: Survey): string {
  const { field, form, zone } = time;
  if (form === undefined) return `${field}, which does not look like a time`;
  const local = form.isLocal ? ` (taken as ${zone})` : "";
  const { firstMs, lastMs } = trial;
  if (firstMs === undefined || lastMs === undefined) return `${field}, ${form.words}${local}`;
  const [first, last] = [minuteOf(firstMs), minuteOf(lastMs)];
  const range = first === last ? `at ${first}` : `from ${first} to ${last}`;
  return `${field}, ${form.words}${local}, in the sample ${range}`;
}

/** `2,250 events from 2,250 sampled rows`. */
export function describeTrial({ trial }: Survey): string {
  const { delivered, filtered, rows } = trial;
  const left = filtered === 0 ? "" : `, ${formatCount(filtered)} filtered by the mapping`;
  return `${formatNumberOf(delivered, "event")} from ${formatNumberOf(rows, "sampled row")}${left}`;
}

function minuteOf(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 16)}Z`;
}

/** Returns unused fields with their share of the sampled rows. */
export function sharesOf({ unused, sample }: Survey): readonly FieldShare[] {
  return unused.map(({ field, filled }) => ({ field, share: filled / sample.rows }));
}

/** Columns of a null text that are named. */
const NULL_COLUMNS_SHOWN = 3;

/** `"NULL" in user_id, device_id and 2 more, "None" in city`. */
export function describeNulls(nulls: Survey["nulls"]): string {
  const words = nulls.map(({ text, columns }) => {
    const shown = columns.slice(0, NULL_COLUMNS_SHOWN).join(", ");
    const more = columns.length - NULL_COLUMNS_SHOWN;
    return `${JSON.stringify(text)} in ${shown}${more > 0 ? ` and ${more} more` : ""}`;
  });
  return words.join("; ");
}

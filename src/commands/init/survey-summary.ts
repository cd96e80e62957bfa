import { formatCount } from "../../base/format-count.js";
import { formatBytes, formatNumberOf } from "../../report/quantities.js";
import { describeUnused, type FieldShare } from "../../report/summary-parts.js";
import { cutEnd, harmless, shellWord } from "../../report/terminal-text.js";
import type { Survey } from "../../survey/survey.js";

/** The written files, as paths for users. */
interface WrittenFiles {
  readonly file: string;
  /** Path of the schema as written in the file. */
  readonly schema: string | undefined;
  /** Words of the next command, without the program's name. */
  readonly next: readonly string[];
}

/** Most fields without a target that are shown; the others are in the file. */
const UNUSED_SHOWN = 8;

/** Most doubts that are shown; the others are in the file. */
const DOUBTS_SHOWN = 8;

/** Most columns of a doubt that are shown. */
const DOUBT_COLUMNS = 400;

/** Describes what `init` found, and why, on one screen. */
export function summarizeSurvey(
  survey: Survey,
  { file, schema, next }: WrittenFiles,
  program: string,
): string {
  const { sources, bytes, sample, mapping, unused, failures, failuresTotal, doubts } = survey;
  const chosen =
    mapping.kind === "guess" ? "none fits; the mapping is a guess" : `${mapping.preset}:`;
  const faults = sample.faults === 0 ? "" : `, ${sample.faults} more cannot be read`;
  const from = formatNumberOf(sample.sources, "source");
  const elements =
    sample.elements === sample.rows ? "" : ` with ${formatNumberOf(sample.elements, "element")}`;
  const lines = [
    `Inspected ${formatNumberOf(sources, "source")}, ${formatBytes(bytes)}`,
    `  format    ${describeShapes(survey)}`,
    `  sample    ${formatNumberOf(sample.rows, "row")}${elements} of ${from}${faults}`,
    `  preset    ${chosen} ${mapping.reasons.join("; ")}`,
    `  time      ${describeTime(survey)}`,
    `  result    ${describeTrial(survey)}`,
    ...(survey.kept.length === 0
      ? []
      : [`  kept      beside the properties: ${survey.kept.join(", ")}`]),
    ...(unused.length === 0
      ? []
      : [`  unmapped  ${describeUnused(sharesOf(survey), UNUSED_SHOWN)}`]),
    ...(survey.nulls.length === 0
      ? []
      : [`  nulls     ${describeNulls(survey.nulls)}; see csvDialect in the file`]),
    ...(failuresTotal === 0 ? [] : [`  unread    ${describeFailures(failures, failuresTotal)}`]),
    ...(doubts.length === 0 ? [] : ["Uncertain:"]),
    ...doubts.slice(0, DOUBTS_SHOWN).map((doubt) => `  - ${cutEnd(doubt, DOUBT_COLUMNS)}`),
    ...(doubts.length > DOUBTS_SHOWN
      ? [`  and ${doubts.length - DOUBTS_SHOWN} more in the file`]
      : []),
    `Written: ${file}${schema === undefined ? "" : ` (its schema: ${schema})`}`,
    `Next:    ${[program, ...next.map(shellWord)].join(" ")}`,
  ];
  return lines.map(harmless).join("\n");
}

function describeFailures(failures: Survey["failures"], total: number): string {
  const shown = failures.map(({ message, code }) => `${message} [${code}]`);
  const more = total > failures.length ? `; and ${total - failures.length} more` : "";
  return `${formatNumberOf(total, "source")}: ${shown.join("; ")}${more}`;
}

/** Most shapes that are named; the others are counted. */
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

/** Returns unused fields with their share of the sampled rows, which may be elements of rows. */
export function sharesOf({ unused, sample }: Survey): readonly FieldShare[] {
  return unused.map(({ field, filled }) => ({ field, share: filled / sample.elements }));
}

/** Most columns of a null text that are named. */
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

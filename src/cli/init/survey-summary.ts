import { formatBytes, formatNumberOf } from "../../report/quantities.js";
import { describeUnused } from "../../report/summary-parts.js";
import { cutEnd, harmless, shellWord } from "../../report/terminal-text.js";
import type { Survey } from "../../survey/survey.js";
import {
  describeNulls,
  describeShapes,
  describeTime,
  describeTrial,
  sharesOf,
} from "./survey-words.js";

/** The written files, by the names that users know. */
interface WrittenFiles {
  readonly file: string;
  /** Path of the schema, as in the file. */
  readonly schema: string | undefined;
  /** Words of the next command, without the program's name. */
  readonly next: readonly string[];
}

/** Fields without a target that are shown; the others are in the file. */
const UNUSED_SHOWN = 8;

/** Doubts shown; the others are in the file. */
const DOUBTS_SHOWN = 8;

/** Columns shown of a doubt. */
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
  const lines = [
    `Inspected ${formatNumberOf(sources, "source")}, ${formatBytes(bytes)}`,
    `  format    ${describeShapes(survey)}`,
    `  sample    first ${formatNumberOf(sample.rows, "row")} of ${from}${faults}`,
    `  preset    ${chosen} ${mapping.reasons.join("; ")}`,
    `  time      ${describeTime(survey)}`,
    `  result    ${describeTrial(survey)}`,
    ...(unused.length === 0
      ? []
      : [`  unmapped  ${describeUnused(sharesOf(survey), UNUSED_SHOWN)}`]),
    ...(survey.nulls.length === 0
      ? []
      : [`  nulls     ${describeNulls(survey.nulls)}; see csvNull in the file`]),
    ...(survey.variant === undefined
      ? []
      : ["            to keep the usual ones, see the line in the file"]),
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

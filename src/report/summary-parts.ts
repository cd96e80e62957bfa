import { SwitchyardError } from "../base/errors.js";
import { formatCount } from "../base/format-count.js";
import { formatShare } from "../base/format-share.js";
import { groupBy } from "../base/group-by.js";
import { option } from "../base/option-text.js";
import { sum } from "../base/sum.js";
import type {
  MisplacedCommas,
  MissingFields,
  RejectSummary,
  RowLimit,
  RunAccounts,
  SourceFailure,
} from "../ledger/manifest.js";
import type { Report } from "../profile/report.js";
import { formatNumberOf } from "./quantities.js";
import { rejectAdvice } from "./reject-advice.js";
import { cutEnd, harmless } from "./terminal-text.js";

/** Most reasons and sources that a summary lists; the others are in the manifest. */
const REASONS_SHOWN_MAX = 3;
const FAILURES_SHOWN_MAX = 3;
const MISSING_SHOWN_MAX = 3;
const MESSAGE_COLUMNS_MAX = 160;

export function line(label: string, text: string): string {
  return `  ${label.padEnd(9)} ${text}`;
}

/** `partial: only the first 30 rows of the inputs were read (--limit)`. */
export function limitText({ rows, partial }: RowLimit): string {
  return partial
    ? `partial: only the first ${formatNumberOf(rows, "row")} of the inputs were read (--limit)`
    : `${formatNumberOf(rows, "row")} not exceeded: all rows were read`;
}

/** Describes the limit of a run, if it had one. */
export function describeLimit(limit: RowLimit | undefined): string[] {
  return limit === undefined ? [] : [line("limit", limitText(limit))];
}

/** `  rows      3 read = 2 delivered + 1 rejected`; parts that are 0 are left out, except the first. */
export function rowsLine(
  { read, added }: { readonly read: number; readonly added: number },
  [first, ...others]: readonly [string, ...(readonly [number, string])[]],
): string {
  const parts = others.filter(([rows]) => rows > 0);
  const counts = [first, ...parts.map(([rows, word]) => `${formatCount(rows)} ${word}`)];
  const more = added > 0 ? ` + ${formatCount(added)} added` : "";
  return line("rows", `${formatCount(read)} read${more} = ${counts.join(" + ")}`);
}

/** `1,234 rows/s` over a duration. */
export function rowRate(rows: number, durationMs: number): string {
  return `${formatCount(rows / secondsOf(durationMs))} rows/s`;
}

/** Seconds of a duration that a rate can be divided by. */
export function secondsOf(durationMs: number): number {
  return Math.max(durationMs, 1) / 1000;
}

export function describeNotices({
  notices,
  missingFields = [],
  misplacedCommas,
}: Pick<RunAccounts, "notices" | "missingFields" | "misplacedCommas">): string[] {
  const counted = Object.entries(notices)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name.replaceAll("_", " ")}: ${formatCount(count)}`);
  const missing = groupMissing(missingFields);
  const shown = missing.slice(0, MISSING_SHOWN_MAX).map(describeMissing);
  const hidden = sum(missing.slice(MISSING_SHOWN_MAX), (group) => group.length);
  const more = hidden > 0 ? [`${hidden} more mapped fields are missing, see the manifest`] : [];
  const commas = misplacedCommas === undefined ? [] : [describeCommas(misplacedCommas)];
  return [...counted, ...commas, ...shown, ...more].map((text) => line("notice", harmless(text)));
}

/** `commas between rows are missing or too many at 2 positions, first at byte 40 of a.json`. */
export function describeCommas({ places, sources, source, byte }: MisplacedCommas): string {
  const where = sources === 1 ? "" : ` of ${formatCount(sources)} sources`;
  return cutEnd(
    `commas between rows are missing or too many at ${formatNumberOf(places, "position")}${where}, ` +
      `first at byte ${byte} of ${source}`,
    300,
  );
}

/** Missing fields of one target that the very same sources lack. */
type MissingGroup = readonly [MissingFields, ...MissingFields[]];

/** Groups fields for messages: tables have many optional columns that no row fills. */
export function groupMissing(missing: readonly MissingFields[]): readonly MissingGroup[] {
  const groups = groupBy(missing, ({ target, rows, sources, names }) =>
    JSON.stringify([target, rows, sources, names]),
  );
  return [...groups.values()];
}

/** Most fields of a group that are named. */
const FIELDS_SHOWN_MAX = 5;

/** `metadata is mapped from event_propertys, which no row has`. */
export function describeMissing([first, ...others]: MissingGroup): string {
  const { target, sources, sourcesTotal, names } = first;
  const where =
    sources === sourcesTotal
      ? "no row"
      : sources === 1
        ? `no row of ${names[0] ?? "a source"}`
        : `no row of ${formatCount(sources)} of ${formatCount(sourcesTotal)} sources`;
  const fields = [first, ...others].map((one) => one.fields.join(" or "));
  const hidden = fields.length - FIELDS_SHOWN_MAX;
  const shown = fields.slice(0, FIELDS_SHOWN_MAX).join(", ");
  const more = hidden > 0 ? ` and ${formatNumberOf(hidden, "more field")}` : "";
  return cutEnd(`${target} is mapped from ${shown}${more}, which ${where} has`, 300);
}

/** The error of `requireFields`; undefined if every mapped field has values. */
export function missingFieldsError(
  missing: readonly MissingFields[] = [],
): SwitchyardError | undefined {
  const [first] = missing;
  if (first === undefined) return undefined;
  return new SwitchyardError(
    "fields_missing",
    `${describeMissing([first])}${missing.length > 1 ? `, and ${missing.length - 1} more` : ""}. ` +
      `Correct the mapping, set the target to null, or leave out ${option("requireFields")}.`,
  );
}

/** Describes the rejects of a run, if there are any. */
export function describeRejects({ rows, rejects }: RunAccounts, directory: string): string[] {
  if (rows.rejected === 0) return [];
  return [
    "",
    `Rejected: ${formatNumberOf(rows.rejected, "row")}, kept in ${harmless(directory)}`,
    ...describeReasons(rejects, "see the manifest"),
    "  To retry these rows after you have fixed the mapping, pass that directory as input.",
  ];
}

/** Lists the most frequent reasons; `others` says where to find the rest. */
export function describeReasons(rejects: readonly RejectSummary[], others: string): string[] {
  const reasons = [...rejects].sort((one, other) => other.rows - one.rows);
  const hidden = reasons.length - REASONS_SHOWN_MAX;
  return [
    ...reasons.slice(0, REASONS_SHOWN_MAX).flatMap(describeReason),
    ...(hidden > 0 ? [`  and ${formatNumberOf(hidden, "more reason")}, ${others}`] : []),
  ];
}

function describeReason({ code, rows, example }: RejectSummary): string[] {
  const { source, row, byte, element } = example;
  const at =
    row !== undefined ? `, row ${formatCount(row)}` : byte !== undefined ? `, byte ${byte}` : "";
  const part = element === undefined ? "" : `, element ${element}`;
  const message = cutEnd(harmless(example.message), MESSAGE_COLUMNS_MAX);
  return [
    `  ${code}: ${formatNumberOf(rows, "row")}, such as ${harmless(source)}${at}${part}`,
    `    ${message} → ${rejectAdvice[code]}`,
  ];
}

/** Describes the sources that could not be read completely, if there are any. */
export function describeFailures(failed: readonly SourceFailure[]): string[] {
  if (failed.length === 0) return [];
  return [
    "",
    ...describeFailed(failed, "see the manifest"),
    "  Repair them and run the same command again: it reads these and what a repair moves, and keeps the rest.",
  ];
}

/** Lists the first failed sources; `others` says where to find the rest. */
export function describeFailed(failed: readonly SourceFailure[], others: string): string[] {
  const hidden = failed.length - FAILURES_SHOWN_MAX;
  return [
    `Failed: ${formatNumberOf(failed.length, "source")} could not be read completely`,
    ...failed
      .slice(0, FAILURES_SHOWN_MAX)
      .map(
        (one) =>
          `  ${cutEnd(describeFailure(one), 2 * MESSAGE_COLUMNS_MAX)} (${harmless(one.code)})`,
      ),
    ...(hidden > 0 ? [`  and ${formatNumberOf(hidden, "more source")}, ${others}`] : []),
  ];
}

/** The message, with the source's name if the message does not begin with it. */
export function describeFailure({ source, message }: SourceFailure): string {
  return harmless(message.startsWith(source) ? message : `${source}: ${message}`);
}

/** A source field with the share of the sampled rows that have a value in it. */
export type FieldShare = Report["unusedFields"][number];

/** `platform 100%, os_name 98% and 12 more`; `shownMax` fields are named. */
export function describeUnused(fields: readonly FieldShare[], shownMax: number): string {
  const shown = fields.slice(0, shownMax).map(({ field, share }) => {
    return `${harmless(field)} ${formatShare(share, 1).replace(/(\.0)? %/, "%")}`;
  });
  const more = fields.length - shown.length;
  return more > 0 ? `${shown.join(", ")} and ${formatCount(more)} more` : shown.join(", ");
}

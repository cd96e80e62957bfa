import { formatCount } from "../../base/format-count.js";
import { formatShare } from "../../base/format-share.js";
import { nullTexts } from "../../base/null-texts.js";
import { sum } from "../../base/sum.js";
import { dedupeRanges } from "../../options/dedupe-options.js";
import { formatNumberOf } from "../quantities.js";
import { describeCommas, describeMissing, groupMissing } from "../summary-parts.js";
import { cellNames, fieldsOf, fixOf, listFix } from "./configuration-fixes.js";
import {
  type Observation,
  plainText,
  quoted,
  quotedList,
  type ReportedFacts,
} from "./observation.js";
import { type KeyUse, keyUses, pathOf } from "./property-uses.js";

/** Share of repeated insert ids from which on they are not plausible: exports overlap less. */
const REPEATED_SHARE = 0.2;

/** Number of standard errors beyond which an estimate is not noise. */
const ERRORS_MIN = 3;

export function findNoEvents({
  rows,
  unusedFields,
}: ReportedFacts): Observation | readonly Observation[] {
  if (rows.mapped > 0) return [];
  const isHeaderless = hasNoHeader(unusedFields);
  const why =
    rows.read === 0
      ? "No row was read: check the inputs."
      : rows.filtered === rows.read
        ? "All rows are filtered out: check includeEvent, excludeEvent, fromTime and toTime."
        : isHeaderless
          ? "The columns of the CSV have no names: pass --csv-dialect columns= with a name for each, in their order."
          : "No row became an event: check the preset and the mapping.";
  return {
    code: "no_events",
    title: `No event would be delivered${isHeaderless ? ": the CSV has no header, pass --csv-dialect columns=" : ""}`,
    detail: `${formatNumberOf(rows.read, "row")} read. ${why}`,
    rows: rows.read,
  };
}

/** Returns true if the columns have the names that a CSV reader gives to those without any. */
function hasNoHeader(fields: ReportedFacts["unusedFields"]): boolean {
  return fields.length > 0 && fields.every(({ field }) => /^column_\d+$/.test(field));
}

export function findFailedSources({ inputs }: ReportedFacts): readonly Observation[] {
  return inputs.sources.flatMap(({ name, failure }) => {
    if (failure === undefined) return [];
    return {
      code: "source_failed" as const,
      title: `${name} could not be read completely`,
      detail:
        `${failure.message} (${failure.code}). The rows before that position are in the report. ` +
        "Later rows are missing. Fetch the file again.",
      rows: 0,
    };
  });
}

/** Events whose insert id occurred before. */
export function findDuplicates(facts: ReportedFacts): Observation | readonly Observation[] {
  const { rows } = facts;
  const { withInsertID, withinSplits = 0, estimated = 0, error = 0, exact } = rows.duplicates;
  if (exact?.removed === true || exact?.rows === 0) return [];
  const fix = fixOf(["dedupe"], dedupeRanges[0], false);
  if (exact !== undefined) {
    const isID = exact.by.length === 1 && exact.by[0] === "insertID";
    if (isID && exact.rows > rows.mapped * REPEATED_SHARE) {
      return doubtfulID(facts, exact.rows, rows.mapped);
    }
    const [source] = exact.sources;
    const most = source && `; the most, ${formatCount(source.rows)}, are in ${source.source}`;
    return {
      code: "duplicates",
      title: `${formatNumberOf(exact.rows, "event")} ${exact.rows === 1 ? "repeats" : "repeat"} one of the same day`,
      detail:
        `That is ${formatShare(exact.rows, rows.mapped)} of the events, counted by ${exact.by.join(", ")}${most ?? ""}. ` +
        "The usual causes are exports that overlap and SDKs that send again. Repeated events are exported " +
        "and sent, unless dedupe removes them; the first one stays.",
      rows: exact.rows,
      fix,
    };
  }
  const isSure = estimated > ERRORS_MIN * error;
  if (withinSplits === 0 && !isSure) return [];
  const count = isSure ? Math.max(estimated, withinSplits) : withinSplits;
  if (count > withInsertID * REPEATED_SHARE) return doubtfulID(facts, count, withInsertID);
  return {
    code: "duplicates",
    title: `${isSure && error > 0 ? "About " : ""}${formatNumberOf(count, "event")} ${count === 1 ? "repeats" : "repeat"} an insert id`,
    detail:
      `That is ${formatShare(count, withInsertID)} of the ${formatCount(withInsertID)} events that have an insert id; ` +
      `${formatCount(withinSplits)} certainly repeat one of the same split. The usual cause is exports that ` +
      "overlap: look for files that cover the same days. Repeated events are exported and sent, " +
      "unless dedupe removes them.",
    rows: Math.round(count),
    fix,
  };
}

/** An insert id that repeats so often that it is rather the id of something else. */
function doubtfulID(facts: ReportedFacts, repeated: number, events: number): Observation {
  const names = fieldsOf(facts, "insertID").map(({ path }) => path.join("."));
  return {
    code: "duplicates",
    title: `${formatShare(repeated, events)} of the events repeat an insert id: ${quotedList(names)} may not identify events`,
    detail:
      `About ${formatNumberOf(repeated, "event")} of ${formatCount(events)} have an insert id that another one has too. ` +
      "So many are rather a field with the id of a user, product or session. Dedupe would remove all but one " +
      "event of each id and day. The line removes the insert id from the mapping; if another field identifies " +
      "an event, map that one. If the same events were exported twice, keep the mapping and use dedupe.",
    rows: Math.round(repeated),
    fix: fixOf(["mapping", "insertID"], null, false),
  };
}

/** Lists of the report that were cut at their limits. */
export function findCaps(facts: ReportedFacts): Observation | readonly Observation[] {
  const { events, otherEvents, userProperties, inputs } = facts;
  const described = events.filter(({ properties }) => properties !== null);
  const hasOtherKeys =
    userProperties.otherKeys.values > 0 ||
    described.some(({ properties }) => (properties?.otherKeys.values ?? 0) > 0);
  const reached = [
    otherEvents.rows > 0 && `event names beyond ${formatCount(events.length)} are counted together`,
    described.length < events.length &&
      `properties are described for ${formatCount(described.length)} event names`,
    hasOtherKeys && "keys beyond the first ones are counted together",
    inputs.sourcesTotal > inputs.sources.length &&
      `only the first ${formatCount(inputs.sources.length)} of ${formatCount(inputs.sourcesTotal)} sources are listed`,
  ].filter((one) => one !== false);
  if (reached.length === 0) return [];
  return {
    code: "cap_reached",
    title: "Some lists in this report are truncated",
    detail: `${reached.join("; ")}. Totals include everything.`,
    rows: otherEvents.rows,
  };
}

/** JSON arrays with too many or too few commas between their rows. */
export function findMisplacedCommas({
  misplacedCommas,
}: ReportedFacts): Observation | readonly Observation[] {
  if (misplacedCommas === undefined) return [];
  return {
    code: "commas_misplaced",
    title: describeCommas(misplacedCommas),
    detail:
      "The rows around them are read as they are. Two commas in a row, a missing comma or one behind the last " +
      "row mean that the file was put together by hand or by a script: check that no row was lost there.",
    rows: 0,
  };
}

/** Headers and byte order marks inside of sources. */
export function findJoinedFiles({
  skippedLines,
}: ReportedFacts): Observation | readonly Observation[] {
  if (skippedLines === undefined) return [];
  const { headers, marks } = skippedLines;
  const found = [
    headers > 0 && formatNumberOf(headers, "repeated header"),
    marks > 0 && formatNumberOf(marks, "byte order mark"),
  ].filter((one) => one !== false);
  return {
    code: "files_joined",
    title: `${found.join(" and ")} inside of sources ${headers + marks === 1 ? "is" : "are"} skipped`,
    detail:
      "Files were joined there. What is skipped is not a row, so it is in no count of rows. " +
      "If the joined files have other columns, pass them one by one.",
    rows: 0,
  };
}

/** Rows whose list of rows has none. */
export function findRowsWithoutElements({
  rowsWithoutElements: rows = 0,
}: ReportedFacts): Observation | readonly Observation[] {
  if (rows === 0) return [];
  return {
    code: "rows_without_elements",
    title: `${formatNumberOf(rows, "row")} of the sources ${rows === 1 ? "has" : "have"} no elements, and give no events`,
    detail:
      "The list of rows that the mapping names is missing, null or empty there. " +
      "If the elements are elsewhere in these rows, read them with a mapping of their own.",
    rows: 0,
  };
}

/** Mapped fields without a value in any row, or in any row of some sources. */
export function findMissingFields({ missingFields }: ReportedFacts): readonly Observation[] {
  return groupMissing(missingFields).map((group) => {
    const [missing] = group;
    return {
      code: "field_missing",
      title: describeMissing(group),
      detail:
        `${formatNumberOf(missing.rows, "row")} of ${formatNumberOf(missing.sources, "source")} have no value there: ` +
        `${quotedList(missing.names)}. Check the spelling in the mapping. If these sources use another name, ` +
        "map both names as a list: the first field with a value is used. " +
        `If the field is missing on purpose, ${group.length > 1 ? "ignore this" : `set ${missing.target} to null`}.`,
      rows: missing.rows,
    };
  });
}

/** Texts that programs write for null, in ids and in properties made from CSV cells. */
export function findCsvNulls(facts: ReportedFacts): readonly Observation[] {
  if (!facts.inputs.sources.some(({ format }) => format === "csv")) return [];
  const ids = facts.identity.junkIDs.map(({ field, value, rows }) => ({
    name: field,
    value,
    rows,
  }));
  const found = [...ids, ...cellUses(facts).flatMap(valuesOf)].filter(
    ({ value, rows }) => rows > 1 && nullTexts.includes(value),
  );
  if (found.length === 0) return [];
  const texts = nullTexts.filter((text) => found.some(({ value }) => value === text));
  const counts = found.map(
    ({ name, value, rows }) => `${name} ${quoted(value)}: ${formatCount(rows)}`,
  );
  const rows = sum(found, (one) => one.rows);
  return [
    {
      code: "csv_nulls_as_text",
      title: `${formatNumberOf(rows, "cell")} of CSV inputs ${rows === 1 ? "contains" : "contain"} a text that programs write for null`,
      detail: `${counts.slice(0, 5).join(", ")}. The line makes such cells null in all columns. Leave out texts that are values.`,
      rows,
      fix: listFix(facts, "csvDialect.null", texts),
    },
  ];
}

/** Returns the properties that the mapping makes from whole cells. */
function cellUses(facts: ReportedFacts): readonly KeyUse[] {
  const names = { metadata: cellNames(facts, "metadata"), user: cellNames(facts, "user") };
  return keyUses(facts).filter(({ root, key }) => names[root] === "all" || names[root].has(key));
}

function valuesOf(use: KeyUse) {
  return use.uses.flatMap(({ property: { topValues } }) =>
    topValues.map(({ value, rows }) => ({ name: pathOf(use), value: plainText(value), rows })),
  );
}

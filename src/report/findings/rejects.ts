import { MIB, ROW_BYTES_LIMIT, ROW_BYTES_MAX } from "../../base/limits.js";
import type { ReportReject } from "../../profile/report.js";
import { formatNumberOf } from "../quantities.js";
import { fixOf } from "./fix.js";
import { likelyFields } from "./likely-fields.js";
import { likelyPattern } from "./likely-pattern.js";
import type { Facts, Observation } from "./observation.js";
import { fieldsOf, furtherFieldFix, numberAt, timeFix } from "./recorded-options.js";
import { findTimeUnits } from "./time-unit.js";
import { shareOf } from "./words.js";

/** One for each reason; a wrong unit of time is told by itself. */
export function findRejects(facts: Facts): readonly Observation[] {
  const explained = new Set(findTimeUnits(facts).map(({ rejectCode }) => rejectCode));
  return facts.rejects
    .filter(({ code }) => !explained.has(code))
    .map((reject) => {
      const [sample] = reject.samples;
      const place = sample === undefined ? "" : placeOf(sample);
      const fix = fixFor(facts, reject);
      return {
        code: "rows_rejected" as const,
        title: `${formatNumberOf(reject.rows, "row")} ${reject.rows === 1 ? "is" : "are"} rejected: ${reject.code.replaceAll("_", " ")}`,
        detail: `${shareOf(reject.rows, facts.rows.read)} of all rows${place}. To mend it: ${reject.advice}.`,
        ...{ rows: reject.rows, rejectCode: reject.code },
        ...(fix === undefined ? {} : { fix }),
      };
    });
}

function placeOf({ source, row, byte, message }: ReportReject["samples"][number]): string {
  const at = row !== undefined ? `, row ${row}` : byte !== undefined ? `, byte ${byte}` : "";
  return `, such as ${source}${at}: ${message}`;
}

/** Lines that would let the samples through. */
function fixFor(facts: Facts, { code, samples }: ReportReject) {
  switch (code) {
    case "unit_id_missing": {
      const path = likelyFields("stableID", samples, fieldsOf(facts, "stableID"));
      return path === undefined ? undefined : furtherFieldFix(facts, "stableID", path);
    }
    case "event_missing": {
      const path = likelyFields("event", samples, fieldsOf(facts, "event"));
      return path === undefined ? undefined : furtherFieldFix(facts, "event", path);
    }
    case "time_unparsable": {
      const format = likelyPattern(samples.map(({ message }) => message));
      // A pattern is for all times: where others are read as they are, it would lose those.
      if (format === undefined || facts.rows.mapped > 0) return undefined;
      return timeFix(facts, (time) => ({ ...time, format }), false);
    }
    case "row_too_long": {
      const bytes = numberAt(facts, "rowBytesMax") ?? ROW_BYTES_MAX;
      if (bytes >= ROW_BYTES_LIMIT) return undefined;
      const larger = Math.min(4 * bytes, ROW_BYTES_LIMIT);
      return fixOf(["maxRowSize"], `${Math.ceil(larger / MIB)}MiB`, false);
    }
    default:
      return undefined;
  }
}

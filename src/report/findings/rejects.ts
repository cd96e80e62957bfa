import { formatShare } from "../../base/format-share.js";
import { MIB, ROW_BYTES_LIMIT, ROW_BYTES_MAX } from "../../base/limits.js";
import { parseJson } from "../../base/parse-json.js";
import type { Fix, ReportReject } from "../../profile/report.js";
import type { RecordedField } from "../../profile/written-mapping.js";
import { formatNumberOf } from "../quantities.js";
import { fieldsOf, fixOf, furtherFieldFix, numberAt, timeFix } from "./configuration-fixes.js";
import type { Observation, ReportedFacts } from "./observation.js";
import { areJsonTexts, findTimeUnits, likelyFormats } from "./odd-times.js";

/** Usual names of these fields in exports, likeliest first. */
const usualNames = {
  stableID:
    "device_id deviceId anonymous_id anonymousId distinct_id amplitude_id visitor_id client_id uuid_device installation_id idfv idfa adid session_id".split(
      " ",
    ),
  event: ["event_type", "event_name", "eventName", "event", "name", "action", "type"],
} as const;

/** One observation for each reason; a wrong unit of time is reported by `findTimeUnits`. */
export function findRejects(facts: ReportedFacts): readonly Observation[] {
  const explained = new Set(findTimeUnits(facts).map(({ rejectCode }) => rejectCode));
  return facts.rejects
    .filter(({ code }) => !explained.has(code))
    .map((reject) => {
      const { code, rows, advice, samples } = reject;
      const example = samples[0] === undefined ? "" : `, such as ${describeSample(samples[0])}`;
      return {
        code: "rows_rejected" as const,
        title: `${formatNumberOf(rows, "row")} ${rows === 1 ? "is" : "are"} rejected: ${code.replaceAll("_", " ")}`,
        detail: `${formatShare(rows, facts.rows.read)} of all rows${example}. To fix it: ${advice}.`,
        rows,
        rejectCode: code,
        fix: fixFor(facts, reject),
      };
    });
}

function describeSample(sample: ReportReject["samples"][number]): string {
  const { source, row, byte, element, message } = sample;
  const at = row !== undefined ? `, row ${row}` : byte !== undefined ? `, byte ${byte}` : "";
  const part = element === undefined ? "" : `, element ${element}`;
  return `${source}${at}${part}: ${message}`;
}

/** Returns a line with which the samples would be accepted. */
function fixFor(facts: ReportedFacts, { code, samples }: ReportReject): Fix | undefined {
  switch (code) {
    case "unit_id_missing":
      return likelyFieldFix(facts, "stableID", samples);
    case "event_missing":
      return likelyFieldFix(facts, "event", samples);
    case "time_unparsable":
      return formatFix(facts, samples);
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

/** Adds the formats of the samples; those that read the other times stay first. */
function formatFix(facts: ReportedFacts, samples: ReportReject["samples"]): Fix | undefined {
  const messages = samples.map(({ message }) => message);
  // Nothing is lost: all of these rows are rejected.
  if (areJsonTexts(messages)) return timeFix(facts, (time) => ({ ...time, as: "json" }), true);
  const likely = likelyFormats(messages);
  // If day and month can be mistaken, the line would be a guess.
  if (likely === undefined || likely.other !== undefined) return undefined;
  const before = facts.rows.mapped > 0;
  return timeFix(
    facts,
    (time) => {
      const formats = [...(before ? [time.format].flat() : []), ...likely.formats];
      const unique = [...new Set(formats)];
      return { ...time, format: unique.length === 1 ? (unique[0] as string) : unique };
    },
    false,
  );
}

function likelyFieldFix(
  facts: ReportedFacts,
  target: keyof typeof usualNames,
  samples: ReportReject["samples"],
): Fix | undefined {
  const name = likelyField(target, samples, fieldsOf(facts, target));
  return name === undefined ? undefined : furtherFieldFix(facts, target, [name]);
}

/** A usual field that is filled in all samples; undefined if there is none or a sample is not JSON. */
function likelyField(
  target: keyof typeof usualNames,
  samples: ReportReject["samples"],
  known: readonly RecordedField[],
): string | undefined {
  const rows = samples.flatMap(({ raw, isBase64 }) => (isBase64 ? [] : parse(raw)));
  if (rows.length === 0 || rows.length < samples.length) return undefined;
  const taken = new Set(known.map(({ path }) => path.join(".")));
  return usualNames[target].find(
    (one) => !taken.has(one) && rows.every((row) => isFilled(row[one])),
  );
}

function parse(raw: string): readonly Readonly<Record<string, unknown>>[] {
  const value = parseJson(raw);
  return typeof value === "object" && value !== null ? [value as Record<string, unknown>] : [];
}

function isFilled(value: unknown): boolean {
  return (typeof value === "string" && value !== "") || (typeof value === "number" && value > 0);
}

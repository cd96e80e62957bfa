import type { ReportReject } from "../../profile/report.js";
import type { RecordedField } from "./recorded-options.js";

/** What exports call these things, likeliest first. */
const usualNames = {
  stableID: [
    "device_id",
    "deviceId",
    "anonymous_id",
    "anonymousId",
    "distinct_id",
    "amplitude_id",
    "visitor_id",
    "client_id",
    "uuid_device",
    "installation_id",
    "idfv",
    "idfa",
    "adid",
    "session_id",
  ],
  event: ["event_type", "event_name", "eventName", "event", "name", "action", "type"],
} as const;

/** The path of a usual field that is filled in all samples that are JSON; undefined where none is. */
export function likelyFields(
  target: keyof typeof usualNames,
  samples: ReportReject["samples"],
  known: readonly RecordedField[],
): readonly string[] | undefined {
  const rows = samples.flatMap(({ raw, isBase64 }) => (isBase64 ? [] : parse(raw)));
  if (rows.length === 0 || rows.length < samples.length) return undefined;
  const taken = new Set(known.map(({ path }) => path.join(".")));
  const name = usualNames[target].find(
    (one) => !taken.has(one) && rows.every((row) => isFilled(row[one])),
  );
  return name === undefined ? undefined : [name];
}

function parse(raw: string): readonly Readonly<Record<string, unknown>>[] {
  try {
    const value: unknown = JSON.parse(raw);
    return typeof value === "object" && value !== null ? [value as Record<string, unknown>] : [];
  } catch {
    return [];
  }
}

function isFilled(value: unknown): boolean {
  return (typeof value === "string" && value !== "") || (typeof value === "number" && value > 0);
}

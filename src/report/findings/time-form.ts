import type { ReportSample } from "../../profile/report.js";
import type { Facts } from "./observation.js";

/** How the rows write their times: text without a zone, text with one, or a count of units. */
export type TimeForm = "local" | "zoned" | "epoch" | "unknown";

const dateTime =
  /(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?\s?(Z|UTC|[+-]\d\d(?::?\d\d)?)?/g;

/** By what stands in the samples' rows where their events got their time from. */
export function timeFormOf({ samples }: Facts): TimeForm {
  for (const sample of samples) {
    const form = formOf(sample);
    if (form !== "unknown") return form;
  }
  return "unknown";
}

function formOf({ raw, result }: ReportSample): TimeForm {
  const [, digits] = /"timestamp":(\d+)/.exec(result) ?? [];
  if (digits === undefined) return "unknown";
  const second = Math.floor(Number(digits) / 1000) * 1000;
  for (const [, day, time, zone] of raw.matchAll(dateTime)) {
    // With a zone the reading differs from the moment, and only the moment can be compared.
    if (zone !== undefined) {
      const offset = zone === "UTC" ? "Z" : zone;
      if (Math.floor(Date.parse(`${day}T${time}${offset}`) / 1000) * 1000 === second)
        return "zoned";
    } else if (Date.parse(`${day}T${time}Z`) === second) return "local";
  }
  const isEpoch = raw.includes(digits) || raw.includes(String(second / 1000));
  return isEpoch ? "epoch" : "unknown";
}

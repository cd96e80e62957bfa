import type { StoredResult } from "../pipeline/verify/verify-stored.js";
import { describeDifferences } from "./difference-lines.js";
import { formatCount, formatNumberOf } from "./quantities.js";

/** What a service has stored, against the export, on one screen. Text from data is made harmless. */
export function summarizeStored(result: StoredResult): string {
  const { events, counts, countedBy, sampled, refused, differences } = result;
  const read =
    `${formatNumberOf(events, "event")} stored; compared: ${formatNumberOf(counts, "count")} by ` +
    `${countedBy}, ${formatNumberOf(sampled, "event")} field by field`;
  const without =
    refused === 0 ? [] : [`  ${formatCount(refused)} that the service refused are not there`];
  if (differences.length === 0) {
    return ["Verified: the service has stored what was exported", `  ${read}`, ...without].join(
      "\n",
    );
  }
  return [
    "Not verified: the service has not stored what was exported",
    ...[`  ${read}`, ...without, ""],
    ...describeDifferences(differences),
    "",
    "  Events of another migration or configuration are in the service as well: for a rehearsal from the",
    "  start, delete its data directory.",
  ].join("\n");
}

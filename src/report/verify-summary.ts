import path from "node:path";
import { formatCount } from "../base/format-count.js";
import type { VerifyResult } from "../check/verify/verify.js";
import type { Difference } from "../check/verify/verify-difference.js";
import type { StoredResult } from "../check/verify/verify-stored.js";
import { formatBytes, formatDuration, formatNumberOf } from "./quantities.js";
import { limitText, rowRate } from "./summary-parts.js";
import { cutEnd, harmless } from "./terminal-text.js";

const DIFFERENCES_SHOWN_MAX = 10;
const MESSAGE_COLUMNS_MAX = 320;

/** Summarizes a verification on one screen. Control characters from data are escaped. */
export function summarizeVerify(result: VerifyResult): string {
  const { differences, rows, durationMs, limit } = result;
  const directory = harmless(path.dirname(result.manifestPath));
  const read =
    `${formatNumberOf(rows, "row")} in ${formatNumberOf(result.files, "file")} of ` +
    `${formatNumberOf(result.days, "day")}, ${formatBytes(result.bytes)}, ` +
    `${formatDuration(durationMs)}, ${rowRate(rows, durationMs)}`;
  const unread =
    result.filesUnread === 0
      ? []
      : [
          `  ${formatNumberOf(result.filesUnread, "file")} by size and checksum, as the store has them; --read reads the rows too`,
        ];
  const limited = limit === undefined ? [] : [`  ${limitText(limit)}`];
  if (differences.length === 0)
    return [
      `Verified: ${directory} matches its manifest`,
      ...limited,
      ...(result.files > 0 || unread.length === 0 ? [`  ${read}`] : []),
      ...unread,
    ].join("\n");
  return [
    `Not verified: ${directory} does not match its manifest`,
    `  ${read}`,
    ...unread,
    "",
    ...describeDifferences(differences),
    ...adviceOn(differences),
  ].join("\n");
}

/** Summarizes the comparison of a service with an export. Control characters from data are escaped. */
export function summarizeStored(result: StoredResult): string {
  const { events, counts, countedBy, sampled, refused, differences } = result;
  const numbers = [
    `  ${formatNumberOf(events, "event")} stored; compared: ${formatNumberOf(counts, "count")} by ` +
      `${countedBy}, ${formatNumberOf(sampled, "event")} field by field`,
    ...(refused === 0 ? [] : [`  ${formatCount(refused)} refused by the service and not stored`]),
  ];
  if (differences.length === 0) {
    return ["Verified: the service stores exactly the exported events", ...numbers].join("\n");
  }
  return [
    "Not verified: the service does not store exactly the exported events",
    ...numbers,
    "",
    ...describeDifferences(differences),
    "",
    "  The service may also contain events of another migration or configuration. To rehearse from the",
    "  start, delete its data directory.",
  ].join("\n");
}

function describeDifferences(differences: readonly Difference[]): readonly string[] {
  const hidden = differences.length - DIFFERENCES_SHOWN_MAX;
  return [
    `${formatNumberOf(differences.length, "difference")}:`,
    ...differences
      .slice(0, DIFFERENCES_SHOWN_MAX)
      .map((one) => `  ${cutEnd(harmless(`${one.path}: ${one.message}`), MESSAGE_COLUMNS_MAX)}`),
    ...(hidden > 0 ? [`  and ${formatCount(hidden)} more; --json lists them all`] : []),
  ];
}

const WRITE_AGAIN = "Export again with --fresh, or copy the files from their origin again.";
const MOVE_AWAY =
  "Move the files that are not in the manifest elsewhere: --fresh removes only its own files.";

/** Gives no advice if the export is only incomplete, because that difference says what to do. */
function adviceOn(differences: readonly Difference[]): readonly string[] {
  const codes = new Set(differences.map(({ code }) => code));
  codes.delete("export_incomplete");
  const isUnexpected = codes.delete("file_unexpected");
  const advice = [...(codes.size > 0 ? [WRITE_AGAIN] : []), ...(isUnexpected ? [MOVE_AWAY] : [])];
  return advice.length === 0 ? [] : ["", ...advice.map((text) => `  ${text}`)];
}

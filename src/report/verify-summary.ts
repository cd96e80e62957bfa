import path from "node:path";
import type { VerifyResult } from "../pipeline/verify.js";
import { formatBytes, formatCount, formatDuration, formatNumberOf } from "./quantities.js";
import { cutEnd, harmless } from "./terminal-text.js";

const DIFFERENCES_SHOWN_MAX = 10;
const MESSAGE_COLUMNS_MAX = 320;

/** The end of a verification on one screen. Text from data is made harmless. */
export function summarizeVerify(result: VerifyResult): string {
  const { differences } = result;
  const directory = harmless(path.dirname(result.manifestPath));
  const seconds = Math.max(result.durationMs, 1) / 1000;
  const read =
    `${formatNumberOf(result.rows, "row")} in ${formatNumberOf(result.files, "file")} of ` +
    `${formatNumberOf(result.days, "day")}, ${formatBytes(result.bytes)}, ` +
    `${formatDuration(result.durationMs)}, ${formatCount(result.rows / seconds)} rows/s`;
  if (differences.length === 0) {
    return `Verified: ${directory} is what its manifest says\n  ${read}`;
  }
  const hidden = differences.length - DIFFERENCES_SHOWN_MAX;
  const lines = differences
    .slice(0, DIFFERENCES_SHOWN_MAX)
    .map((one) => `  ${cutEnd(harmless(`${one.path}: ${one.message}`), MESSAGE_COLUMNS_MAX)}`);
  return [
    `Not verified: ${directory} is not what its manifest says`,
    `  ${read}`,
    "",
    `${formatNumberOf(differences.length, "difference")}, the first one first`,
    ...lines,
    ...(hidden > 0 ? [`  and ${formatCount(hidden)} more; --json lists them all`] : []),
    "",
    "  Write the export again with --fresh, or take the files from where they were copied from.",
  ].join("\n");
}

import path from "node:path";
import type { VerifyResult } from "../pipeline/verify/verify.js";
import type { Difference } from "../pipeline/verify/verify-difference.js";
import { describeDifferences } from "./difference-lines.js";
import { formatBytes, formatCount, formatDuration, formatNumberOf } from "./quantities.js";
import { harmless } from "./terminal-text.js";

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
  return [
    `Not verified: ${directory} is not what its manifest says`,
    `  ${read}`,
    "",
    ...describeDifferences(differences),
    ...adviceOn(differences),
  ].join("\n");
}

const WRITE_AGAIN =
  "Write the export again with --fresh, or take the files from where they were copied from.";
const MOVE_AWAY =
  "Move the files away that are not in the manifest: --fresh removes none but its own.";

/** None where nothing is wrong but that the export has not ended, as that difference says what to do. */
function adviceOn(differences: readonly Difference[]): readonly string[] {
  const codes = new Set(differences.map(({ code }) => code));
  codes.delete("export_incomplete");
  const isUnexpected = codes.delete("file_unexpected");
  const advice = [...(codes.size > 0 ? [WRITE_AGAIN] : []), ...(isUnexpected ? [MOVE_AWAY] : [])];
  return advice.length === 0 ? [] : ["", ...advice.map((text) => `  ${text}`)];
}

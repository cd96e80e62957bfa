import type { CompactResult } from "../pipeline/compact/compact-export.js";
import { formatBytes, formatDuration, formatNumberOf } from "./quantities.js";
import { harmless } from "./terminal-text.js";

/** Summarizes a compaction in some lines. Text from data is made harmless. */
export function summarizeCompact(result: CompactResult): string {
  const { outcome, days, filesBefore, filesAfter, rows, bytes, durationMs } = result;
  const directory = harmless(result.directory);
  const isDone = outcome === "done";
  const head = isDone ? `Compacted: ${directory}` : `Interrupted: ${directory}; run it again`;
  const files = `${formatNumberOf(filesBefore, "file")}, now ${formatNumberOf(filesAfter, "file")}`;
  return [
    isDone && days === 0 ? `Nothing to join: ${directory}` : head,
    `  ${files}; ${formatNumberOf(days, "day")} changed`,
    `  ${formatNumberOf(rows, "row")}, ${formatBytes(bytes)}, ${formatDuration(durationMs)}`,
  ].join("\n");
}

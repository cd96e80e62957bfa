import { exitCodes } from "../base/errors.js";
import { type CompactResult, compactExport } from "../check/compact/compact-export.js";
import { requireExport } from "../options/run-options.js";
import { formatBytes, formatDuration, formatNumberOf } from "../report/quantities.js";
import { harmless } from "../report/terminal-text.js";
import type { CommandContext } from "./context.js";
import { printJsonOrText } from "./print-result.js";
import { type CommandLine, runConfigured } from "./run-configured.js";

/** Joins the small files of an export and returns the exit code; never throws. */
export function runCompact(line: CommandLine, context: CommandContext): Promise<number> {
  return runConfigured("compact", line, context, async (configuration, output) => {
    const place = requireExport(configuration, "compact");
    const result = await compactExport({ ...place, signal: context.signal });
    const exitCode = result.outcome === "done" ? exitCodes.done : exitCodes.interrupted;
    const json = { command: "compact", exitCode, ...result };
    printJsonOrText(json, summarizeCompact(result), output, context);
    return exitCode;
  });
}

/** Summarizes a compaction in some lines. Control characters from data are escaped. */
function summarizeCompact(result: CompactResult): string {
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

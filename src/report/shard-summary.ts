import type { ShardResult } from "../pipeline/shard/run-shard.js";
import { formatShard } from "../pipeline/shard/shard.js";
import { formatBytes, formatCount, formatDuration, formatNumberOf } from "./quantities.js";
import { describeFailures, line, rowRate, rowsLine, secondsOf } from "./summary-parts.js";
import { harmless } from "./terminal-text.js";

/** Summarizes the work of a shard on one screen. */
export function summarizeShard(result: ShardResult, program: string): string {
  const { shard, outputDirectory, splits, splitsDone, splitsOfAll, rows, failures } = result;
  const { outcome, durationMs, rowsRead, bytesRead } = result;
  const head = {
    done: `Shard ${formatShard(shard)} is done`,
    failed: `Failed in part: shard ${formatShard(shard)}`,
    interrupted: `Interrupted: shard ${formatShard(shard)}`,
  }[outcome];
  const done = splitsDone === splits ? "all done" : `${formatCount(splitsDone)} done`;
  const isIdle = rowsRead === 0 && outcome === "done";
  const speed = `${rowRate(rowsRead, durationMs)}, ${formatBytes(bytesRead / secondsOf(durationMs))}/s`;
  return [
    `${head}: its rows are in ${harmless(outputDirectory)}`,
    line("splits", `${formatNumberOf(splits, "split")} of ${formatCount(splitsOfAll)}, ${done}`),
    rowsLine(rows, [
      `${formatCount(rows.delivered)} delivered`,
      [rows.rejected, "rejected"],
      [rows.filtered, "filtered"],
    ]),
    line("time", isIdle ? formatDuration(durationMs) : `${formatDuration(durationMs)}, ${speed}`),
    ...describeFailures(failures),
    ...(outcome === "interrupted"
      ? []
      : ["", line("next", `when all shards are done: ${program} export … --finish`)]),
  ].join("\n");
}

import path from "node:path";
import type { Manifest } from "../pipeline/manifest.js";
import type { ExportResult } from "../pipeline/run-export.js";
import { formatBytes, formatCount, formatDuration, formatNumberOf } from "./quantities.js";
import {
  describeFailures,
  describeNotices,
  describeRejects,
  describeRows,
  line,
} from "./run-summary.js";
import { harmless, shellWord } from "./terminal-text.js";

/** The end of an export on one screen. Text from data is made harmless. */
export function summarizeExport(result: ExportResult): string {
  const { manifest } = result;
  const directory = path.dirname(result.manifestPath);
  return [
    headline(result, path.join(directory, manifest.dataset)),
    ...numbers(result),
    ...describeRejects(manifest, path.join(directory, "rejects")),
    ...describeFailures(result.failures),
    ...places(result, directory),
  ].join("\n");
}

function headline(result: ExportResult, datasetDirectory: string): string {
  const { totals } = result.manifest;
  const what =
    `${formatNumberOf(totals.rows, "event")} of ${formatNumberOf(totals.days, "day")} in ` +
    harmless(datasetDirectory);
  if (result.outcome === "interrupted") return `Interrupted: ${what} so far`;
  if (result.outcome === "failed") return `Failed in part: ${what}`;
  return result.alreadyDone ? `Already done, nothing to do: ${what}` : `Exported ${what}`;
}

function numbers(result: ExportResult): string[] {
  const { manifest } = result;
  const { totals } = manifest;
  const period = manifest.days.length === 0 ? "none" : periodOf(manifest);
  return [
    describeRows(manifest),
    line("days", `${formatCount(totals.days)}: ${period} (${manifest.dayZone})`),
    line("files", `${formatCount(totals.files)} ${manifest.format}, ${formatBytes(totals.bytes)}`),
    ...(manifest.pending === undefined
      ? []
      : [
          line("pending", `${formatNumberOf(manifest.pending, "event")} are not in their days yet`),
        ]),
    ...(result.alreadyDone ? [] : [line("time", speedOf(result))]),
    ...describeNotices(manifest),
  ];
}

function periodOf(manifest: Manifest): string {
  const first = manifest.days[0]?.day ?? "";
  const last = manifest.days.at(-1)?.day ?? "";
  return first === last ? first : `${first} to ${last}`;
}

function speedOf({ durationMs, rowsRead, bytesRead, manifest }: ExportResult): string {
  const seconds = Math.max(durationMs, 1) / 1000;
  const resumed = manifest.run.resumes > 0 ? " (this run; it was resumed)" : "";
  return (
    `${formatDuration(durationMs)}, ${formatCount(rowsRead / seconds)} rows/s, ` +
    `${formatBytes(bytesRead / seconds)}/s${resumed}`
  );
}

function places(result: ExportResult, directory: string): string[] {
  const verify =
    result.outcome === "interrupted"
      ? []
      : [line("next", `switchyard verify ${shellWord(directory)}`)];
  return ["", line("manifest", harmless(result.manifestPath)), ...verify];
}

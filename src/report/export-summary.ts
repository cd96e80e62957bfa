import path from "node:path";
import type { ExportResult } from "../pipeline/export-result.js";
import type { Manifest, RejectSummary, SourceFailure } from "../pipeline/manifest.js";
import { formatBytes, formatCount, formatDuration, formatNumberOf } from "./quantities.js";
import { rejectAdvice } from "./reject-advice.js";
import { cutEnd, harmless } from "./terminal-text.js";

/** Reasons and sources that are written out; the others are in the manifest. */
const REASONS_SHOWN_MAX = 3;
const FAILURES_SHOWN_MAX = 3;
const MESSAGE_COLUMNS_MAX = 160;

/** The end of an export on one screen. Text from data is made harmless. */
export function summarizeExport(result: ExportResult): string {
  const { manifest } = result;
  const directory = path.dirname(result.manifestPath);
  return [
    headline(result, path.join(directory, manifest.dataset)),
    ...numbers(result),
    ...rejects(manifest, path.join(directory, "rejects")),
    ...failures(result.failures),
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
  const { totals, rows } = manifest;
  const period = manifest.days.length === 0 ? "none" : periodOf(manifest);
  const parts = [
    [rows.delivered, "delivered"],
    [rows.rejected, "rejected"],
    [rows.filtered, "filtered"],
    [rows.duplicates, "duplicate"],
  ] as const;
  const added = rows.added > 0 ? ` + ${formatCount(rows.added)} added` : "";
  const accounted = parts
    .filter(([count], index) => index === 0 || count > 0)
    .map(([count, word]) => `${formatCount(count)} ${word}`);
  return [
    line("rows", `${formatCount(rows.read)} read${added} = ${accounted.join(" + ")}`),
    line("days", `${formatCount(totals.days)}: ${period} (${manifest.dayZone})`),
    line("files", `${formatCount(totals.files)} ${manifest.format}, ${formatBytes(totals.bytes)}`),
    ...(result.alreadyDone ? [] : [line("time", speedOf(result))]),
    ...Object.entries(manifest.notices)
      .filter(([, count]) => count > 0)
      .map(([name, count]) =>
        line("notice", `${name.replaceAll("_", " ")}: ${formatCount(count)}`),
      ),
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

function rejects(manifest: Manifest, directory: string): string[] {
  if (manifest.rows.rejected === 0) return [];
  const reasons = [...manifest.rejects].sort((one, other) => other.rows - one.rows);
  const hidden = reasons.length - REASONS_SHOWN_MAX;
  return [
    "",
    `Rejected: ${formatNumberOf(manifest.rows.rejected, "row")}, kept in ${harmless(directory)}`,
    ...reasons.slice(0, REASONS_SHOWN_MAX).flatMap(describeReason),
    ...(hidden > 0 ? [`  and ${formatNumberOf(hidden, "more reason")}, see the manifest`] : []),
    "  Once the mapping is right, give that directory as input to try these rows again.",
  ];
}

function describeReason({ code, rows, example }: RejectSummary): string[] {
  const place = [
    harmless(example.source),
    ...(example.row === undefined ? [] : [`row ${formatCount(example.row)}`]),
    ...(example.row === undefined && example.byte !== undefined ? [`byte ${example.byte}`] : []),
  ].join(", ");
  const message = cutEnd(harmless(example.message), MESSAGE_COLUMNS_MAX);
  return [
    `  ${code}: ${formatNumberOf(rows, "row")}, such as ${place}`,
    `    ${message} → ${rejectAdvice[code]}`,
  ];
}

function failures(failed: readonly SourceFailure[]): string[] {
  if (failed.length === 0) return [];
  const hidden = failed.length - FAILURES_SHOWN_MAX;
  return [
    "",
    `Failed: ${formatNumberOf(failed.length, "source")}, not read to the end`,
    ...failed.slice(0, FAILURES_SHOWN_MAX).map(({ source, message, code }) => {
      const text = message.startsWith(source) ? message : `${source}: ${message}`;
      return `  ${cutEnd(harmless(text), 2 * MESSAGE_COLUMNS_MAX)} (${code})`;
    }),
    ...(hidden > 0 ? [`  and ${formatNumberOf(hidden, "more source")}, see the manifest`] : []),
    "  Repair them and run the same command again: it reads only these, the rest stays.",
  ];
}

function places(result: ExportResult, directory: string): string[] {
  const verify =
    result.outcome === "interrupted"
      ? []
      : [line("next", `switchyard verify ${quoted(directory)}`)];
  return ["", line("manifest", harmless(result.manifestPath)), ...verify];
}

function line(label: string, text: string): string {
  return `  ${label.padEnd(9)} ${text}`;
}

/** A path as a word for a shell, when it needs quotes. */
function quoted(word: string): string {
  const safe = harmless(word);
  return /^[\w./:@%+=,-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", "'\\''")}'`;
}

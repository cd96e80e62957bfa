import type { RejectSummary, RunAccounts, SourceFailure } from "../pipeline/manifest.js";
import { formatCount, formatNumberOf } from "./quantities.js";
import { rejectAdvice } from "./reject-advice.js";
import { cutEnd, harmless } from "./terminal-text.js";

/** Reasons and sources that are written out; the others are in the manifest. */
const REASONS_SHOWN_MAX = 3;
const FAILURES_SHOWN_MAX = 3;
const MESSAGE_COLUMNS_MAX = 160;

/** Rows and what became of them, with the word for those that are where they should be. */
export function describeRows({ rows }: RunAccounts): string {
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
  return line("rows", `${formatCount(rows.read)} read${added} = ${accounted.join(" + ")}`);
}

export function describeNotices({ notices }: RunAccounts): string[] {
  return Object.entries(notices)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => line("notice", `${name.replaceAll("_", " ")}: ${formatCount(count)}`));
}

/** What was rejected and why; nothing where nothing was. */
export function describeRejects(manifest: RunAccounts, directory: string): string[] {
  if (manifest.rows.rejected === 0) return [];
  return [
    "",
    `Rejected: ${formatNumberOf(manifest.rows.rejected, "row")}, kept in ${harmless(directory)}`,
    ...describeReasons(manifest.rejects, "see the manifest"),
    "  Once the mapping is right, give that directory as input to try these rows again.",
  ];
}

/** The most frequent reasons; `place` says where the others are. */
export function describeReasons(rejects: readonly RejectSummary[], place: string): string[] {
  const reasons = [...rejects].sort((one, other) => other.rows - one.rows);
  const hidden = reasons.length - REASONS_SHOWN_MAX;
  return [
    ...reasons.slice(0, REASONS_SHOWN_MAX).flatMap(describeReason),
    ...(hidden > 0 ? [`  and ${formatNumberOf(hidden, "more reason")}, ${place}`] : []),
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

/** Sources that could not be read to their end. */
export function describeFailures(failed: readonly SourceFailure[]): string[] {
  if (failed.length === 0) return [];
  return [
    "",
    ...describeFailed(failed, "see the manifest"),
    "  Repair them and run the same command again: it reads only these, the rest stays.",
  ];
}

/** The first of them; `place` says where the others are. */
export function describeFailed(failed: readonly SourceFailure[], place: string): string[] {
  const hidden = failed.length - FAILURES_SHOWN_MAX;
  return [
    `Failed: ${formatNumberOf(failed.length, "source")}, not read to the end`,
    ...failed.slice(0, FAILURES_SHOWN_MAX).map(({ source, message, code }) => {
      const text = message.startsWith(source) ? message : `${source}: ${message}`;
      return `  ${cutEnd(harmless(text), 2 * MESSAGE_COLUMNS_MAX)} (${code})`;
    }),
    ...(hidden > 0 ? [`  and ${formatNumberOf(hidden, "more source")}, ${place}`] : []),
  ];
}

export function line(label: string, text: string): string {
  return `  ${label.padEnd(9)} ${text}`;
}

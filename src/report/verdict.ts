import { UsageError } from "../base/errors.js";
import { formatCount } from "../base/format-count.js";
import { formatShare } from "../base/format-share.js";
import type { MaxRejects } from "../options/options.js";
import type { Finding, Report, Severity } from "../profile/report.js";
import { exceeds } from "../run/run.js";
import { findingCodes } from "./findings/finding-codes.js";
import { lostWords } from "./findings/target.js";
import { formatNumberOf, formatSmallShare } from "./quantities.js";

/** Findings that cannot be accepted, and what to do instead. */
const neverAccepted: Readonly<Record<string, string>> = {
  no_events: "there is nothing to migrate",
  source_failed: "leave the source out of the inputs",
  rows_rejected: "raise maxRejects",
};

/** Throws `UsageError` for unknown codes, and for findings that cannot be accepted. */
export function checkAccepted(codes: readonly string[] = []): void {
  const faults = codes.flatMap((code) => {
    const advice = neverAccepted[code];
    if (advice !== undefined) return [`${code} cannot be accepted; ${advice}`];
    if (Object.hasOwn(findingCodes, code)) return [];
    return [`${JSON.stringify(code)} is not the code of a finding; see docs/findings.md`];
  });
  if (faults.length > 0)
    throw new UsageError("configuration_invalid", `acceptFindings: ${faults.join("; ")}.`);
}

/** Marks the findings that the configuration or the limit of rejects accepts, and puts them last. */
export function acceptFindings(
  findings: readonly Finding[],
  rows: Report["rows"],
  { codes = [], maxRejects }: { codes?: readonly string[] | undefined; maxRejects: MaxRejects },
): readonly Finding[] {
  const isWithinLimit = !exceeds(rows, maxRejects);
  const marked = findings.map((finding): Finding => {
    const acceptedBecause = codes.includes(finding.code)
      ? "acceptFindings"
      : finding.rejectCode !== undefined && isWithinLimit
        ? "maxRejects"
        : undefined;
    return acceptedBecause === undefined ? finding : { ...finding, acceptedBecause };
  });
  const isOpen = (finding: Finding) => finding.acceptedBecause === undefined;
  return [...marked.filter(isOpen), ...marked.filter((finding) => !isOpen(finding))];
}

/** Returns the verdict on an interrupted run: the rows that it has read say nothing of the others. */
export function verdictOfInterrupted({ read }: Report["rows"]): Report["verdict"] {
  const sentence = `Not known: interrupted after ${formatNumberOf(read, "row")}; the others were not read.`;
  return { tone: "error", sentence };
}

/** Returns the verdict: one sentence for readers who read only one. `findings` are marked as accepted. */
export function verdictOf(
  facts: Pick<Report, "rows" | "findings" | "limit"> & { readonly target?: Report["target"] },
  maxRejects: MaxRejects,
): Report["verdict"] {
  const verdict = verdictOfRead(facts, maxRejects);
  if (facts.limit?.partial !== true) return verdict;
  return { ...verdict, sentence: `${verdict.sentence} The inputs have more rows.` };
}

function verdictOfRead(
  {
    rows,
    findings,
    target,
  }: Pick<Report, "rows" | "findings"> & { readonly target?: Report["target"] },
  maxRejects: MaxRejects,
): Report["verdict"] {
  const open = findings.filter(({ acceptedBecause }) => acceptedBecause === undefined);
  const count = (severity: Severity) => open.filter((one) => one.severity === severity).length;
  const [errors, warnings] = [count("error"), count("warning")];
  if (rows.read === 0)
    return { tone: "error", sentence: "Not ready: there are no rows to migrate." };
  if (rows.mapped === 0) return { tone: "error", sentence: "Not ready: no row becomes an event." };
  const isWithinLimit = rows.rejected > 0 && !exceeds(rows, maxRejects);
  const isLost = open.some(({ code }) => lostCodes.has(code));
  const share =
    (isLost ? lostWords(target) : undefined) ??
    (isWithinLimit ? limitWords(rows, maxRejects) : mappedWords(rows));
  const toCheck = `${formatNumberOf(warnings, "warning")} to check`;
  if (errors > 0) {
    const others = warnings > 0 ? ` and ${toCheck}` : "";
    const fix = `${formatNumberOf(errors, "error")} to fix`;
    return { tone: "error", sentence: `Not ready: ${share}, with ${fix}${others}.` };
  }
  if (warnings > 0)
    return { tone: "warning", sentence: `Nearly ready: ${share}, with ${toCheck}.` };
  return { tone: "good", sentence: `Ready: ${share}.` };
}

/** Findings of events that the target drops. */
const lostCodes: ReadonlySet<string> = new Set(["target_names", "target_metadata_large"]);

/** `477 rejected rows are within the limit (0.22 % of 1 %)`. */
function limitWords({ read, rejected }: Report["rows"], maxRejects: MaxRejects): string {
  const are = rejected === 1 ? "is" : "are";
  const part =
    "rows" in maxRejects
      ? `${formatCount(rejected)} of ${formatCount(maxRejects.rows)}`
      : `${formatSmallShare(rejected / read)} of ${formatSmallShare(maxRejects.share)}`;
  return `${formatNumberOf(rejected, "rejected row")} ${are} within the limit (${part})`;
}

/** Up to this share of the rows, the sentence counts the rows that do not become events. */
const ALL_BUT_SHARE_MAX = 0.002;

function mappedWords({
  read,
  added,
  mapped,
  rejected,
  filtered,
  duplicates: { exact },
}: Report["rows"]): string {
  const removed = exact?.removed === true ? exact.rows : 0;
  if (rejected === 0 && filtered === 0 && removed === 0) {
    return `every one of ${formatNumberOf(read, "row")} becomes an event`;
  }
  const left = rejected + filtered + removed;
  if (added === 0 && mapped > 0 && left <= read * ALL_BUT_SHARE_MAX) {
    return `all but ${formatCount(left)} of ${formatNumberOf(read, "row")} become events`;
  }
  if (added > 0) return `${formatCount(read)} rows become ${formatCount(mapped)} events`;
  return `${formatShare(mapped, read)} of ${formatNumberOf(read, "row")} become events`;
}

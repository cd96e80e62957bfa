import type { Report, Severity } from "../../../profile/report.js";
import { formatCount, formatNumberOf } from "../../quantities.js";
import { partText } from "./display-text.js";

export interface Verdict {
  readonly tone: "error" | "warning" | "good";
  readonly sentence: string;
}

/** Returns the verdict: one sentence for readers who read only one. */
export function verdictOf({ rows, findings }: Pick<Report, "rows" | "findings">): Verdict {
  const count = (severity: Severity) => findings.filter((one) => one.severity === severity).length;
  const [errors, warnings] = [count("error"), count("warning")];
  if (rows.read === 0) return { tone: "error", sentence: "There are no rows to migrate." };
  if (rows.mapped === 0) return { tone: "error", sentence: "No row becomes an event." };
  const share = mappedWords(rows);
  const look = `${formatNumberOf(warnings, "warning")} to check`;
  if (errors > 0) {
    const others = warnings > 0 ? ` and ${look}` : "";
    const fix = `${formatNumberOf(errors, "error")} to fix`;
    return { tone: "error", sentence: `Not ready: ${share}, with ${fix}${others}.` };
  }
  if (warnings > 0) return { tone: "warning", sentence: `Nearly ready: ${share}, with ${look}.` };
  return { tone: "good", sentence: `Ready: ${share}.` };
}

/** Up to this share of the rows, the sentence counts those that do not become events. */
const ALL_BUT_SHARE_MAX = 0.002;

function mappedWords({ read, added, mapped, rejected, filtered }: Report["rows"]): string {
  if (rejected === 0 && filtered === 0) {
    return `every one of ${formatNumberOf(read, "row")} becomes an event`;
  }
  const left = rejected + filtered;
  if (added === 0 && mapped > 0 && left <= read * ALL_BUT_SHARE_MAX) {
    return `all but ${formatCount(left)} of ${formatNumberOf(read, "row")} become events`;
  }
  if (added > 0) return `${formatCount(read)} rows become ${formatCount(mapped)} events`;
  return `${partText(mapped, read)} of ${formatNumberOf(read, "row")} become events`;
}

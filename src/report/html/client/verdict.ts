import type { Report } from "../../../profile/report.js";
import { formatCount, formatNumberOf } from "../../quantities.js";
import { partText } from "./words.js";

export interface Verdict {
  readonly tone: "error" | "warning" | "good";
  readonly sentence: string;
}

/** What somebody wants to know who reads one sentence only. */
export function verdictOf({ rows, findings, inputs }: Report): Verdict {
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const warnings = findings.filter(({ severity }) => severity === "warning").length;
  const unread = inputs.sources.filter(({ failure }) => failure !== undefined).length;
  const share = mappedWords(rows);
  const mend = `${formatNumberOf(errors, "error")} to mend`;
  const look = `${formatNumberOf(warnings, "warning")} to look at`;
  if (rows.read === 0) return { tone: "error", sentence: "There are no rows to migrate." };
  if (rows.mapped === 0) return { tone: "error", sentence: "No row becomes an event." };
  if (unread > 0) {
    const files = formatNumberOf(unread, "file");
    return { tone: "error", sentence: `Not ready: ${files} could not be read to the end.` };
  }
  if (errors > 0) {
    const others = warnings > 0 ? ` and ${look}` : "";
    return { tone: "error", sentence: `Not ready: ${share}, with ${mend}${others}.` };
  }
  if (warnings > 0) {
    return { tone: "warning", sentence: `Nearly ready: ${share}, with ${look}.` };
  }
  return { tone: "good", sentence: `Ready: ${share}.` };
}

function mappedWords({ read, added, mapped, rejected, filtered }: Report["rows"]): string {
  if (rejected === 0 && filtered === 0) {
    return `every one of ${formatNumberOf(read, "row")} becomes an event`;
  }
  if (added > 0) return `${formatCount(read)} rows become ${formatCount(mapped)} events`;
  return `${partText(mapped, read)} of ${formatNumberOf(read, "row")} become events`;
}

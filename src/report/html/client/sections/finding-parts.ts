import type { Finding, Fix, Report, Severity } from "../../../../profile/report.js";
import { copyButton } from "../blocks.js";
import { shown } from "../display-text.js";
import { element } from "../element.js";

const marks: Readonly<Record<Severity | "accepted", readonly [mark: string, word: string]>> = {
  error: ["✕", "Error"],
  warning: ["!", "Warning"],
  info: ["i", "Note"],
  accepted: ["✓", "Accepted"],
};

/** The sign and the name of a finding's severity, or that it is accepted. */
export function severityMark(finding: Finding): HTMLElement {
  const name = isOpen(finding) ? finding.severity : "accepted";
  const [mark, word] = marks[name];
  const sign = element("span", { class: "severity-mark", "aria-hidden": "true" }, mark);
  return element("span", { class: `severity severity-${name}` }, sign, word);
}

/** Returns true if a finding counts in the verdict. */
export function isOpen({ acceptedBecause }: Finding): boolean {
  return acceptedBecause === undefined;
}

/** A line of the configuration, with a button that copies it. */
export function fixLine({ line, isSafe }: Fix): HTMLElement {
  const code = element("code", {}, shown(line));
  const note = isSafe ? "safe to apply" : "check it first";
  return element(
    "div",
    { class: "fix" },
    code,
    element("span", { class: "fix-note" }, note),
    copyButton(code, "the line that fixes this"),
  );
}

/** Returns true if the section about rejects contains everything in a finding. */
export function isInRejects({ rejects }: Pick<Report, "rejects">, finding: Finding): boolean {
  const { code, rejectCode } = finding;
  return code === "rows_rejected" && rejects.some((reject) => reject.code === rejectCode);
}

/** Returns the address of a finding on the page. */
export function findingId({ findings }: Pick<Report, "findings">, finding: Finding): string {
  return `finding-${findings.indexOf(finding) + 1}`;
}

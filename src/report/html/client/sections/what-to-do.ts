import type { Finding, Report } from "../../../../profile/report.js";
import { formatCount, formatNumberOf } from "../../../quantities.js";
import { shown } from "../display-text.js";
import { type Child, element } from "../element.js";
import { findingId, isInRejects, isOpen, severityMark } from "./findings-section.js";

/** Most lines of the list; the others are counted. */
const LINES_MAX = 6;

/** A list of what to fix and to check: one line for each kind of finding, and the command that comes next. */
export function whatToDo(report: Report): HTMLElement {
  const kinds = kindsOf(report.findings);
  const lines = kinds.slice(0, LINES_MAX).map(([first, ...alike]) => line(report, first, alike));
  const further = kinds.slice(LINES_MAX).flat().length;
  return element(
    "section",
    { class: "what-to-do", "aria-labelledby": "what-to-do" },
    element("h2", { id: "what-to-do" }, "What to do"),
    element("ol", {}, ...lines),
    element("p", { class: "next" }, ...nextStep(report, further)),
  );
}

type Kind = readonly [first: Finding, ...alike: Finding[]];

/** Groups errors and warnings that are not accepted by their code, the most severe first. */
function kindsOf(findings: readonly Finding[]): readonly Kind[] {
  const kinds = new Map<string, Kind>();
  for (const finding of findings) {
    if (finding.severity === "info" || !isOpen(finding)) continue;
    const known = kinds.get(finding.code);
    kinds.set(finding.code, known === undefined ? [finding] : [...known, finding]);
  }
  return [...kinds.values()];
}

function line(report: Report, first: Finding, alike: readonly Finding[]): HTMLElement {
  const { title, fix } = first;
  const rows = first.rows + alike.reduce((sum, { rows: more }) => sum + more, 0);
  const others = ` and ${formatCount(alike.length)} more like it, ${formatNumberOf(rows, "row")} in all`;
  return element(
    "li",
    {},
    severityMark(first),
    element(
      "span",
      {},
      element("a", { href: `#${detailOf(report, first)}` }, shown(title)),
      alike.length > 0 && element("span", { class: "aside" }, others),
      fix !== undefined &&
        element(
          "span",
          { class: "aside" },
          " set ",
          element("code", {}, shown(fix.path.join("."))),
        ),
    ),
  );
}

/** Returns the address of the section with more about a finding. */
function detailOf(report: Report, finding: Finding): string {
  return isInRejects(report, finding) ? "rejects" : findingId(report, finding);
}

function nextStep({ findings, verdict }: Report, further: number): readonly Child[] {
  const command = (text: string) => element("code", {}, text);
  const accepted = findings.filter((finding) => !isOpen(finding)).length;
  const counted = [
    further > 0 && `${formatNumberOf(further, "further finding")} below. `,
    accepted > 0 && `${formatNumberOf(accepted, "finding")} accepted. `,
  ];
  const safe = findings.filter((finding) => isOpen(finding) && finding.fix?.isSafe === true).length;
  if (safe > 0) {
    const what = ` writes ${formatNumberOf(safe, "safe line")} into the configuration.`;
    return [...counted, command("switchyard validate --apply"), what];
  }
  if (verdict.tone === "good") {
    const [exporting, sending] = [command("switchyard export"), command("switchyard send")];
    return [...counted, exporting, " writes the events, ", sending, " sends them."];
  }
  const advice = "Change the configuration or the inputs, or accept what is left, then run ";
  return [...counted, advice, command("switchyard validate"), " again."];
}

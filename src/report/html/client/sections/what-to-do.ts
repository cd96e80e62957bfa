import type { Finding, Report } from "../../../../profile/report.js";
import { formatCount, formatNumberOf } from "../../../quantities.js";
import { shown } from "../display-text.js";
import { element } from "../element.js";
import { findingId, isInRejects, severityMark } from "./finding-parts.js";

/** Lines of the list; the others are counted. */
const LINES_MAX = 6;

/** What to fix and to check, one line for each kind of finding, and the command that comes next. */
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

/** Groups errors and warnings by their code, the most severe first. */
function kindsOf(findings: readonly Finding[]): readonly Kind[] {
  const kinds = new Map<string, Kind>();
  for (const finding of findings) {
    if (finding.severity === "info") continue;
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
    severityMark(first.severity),
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

/** Returns the address of the part that tells more about a finding. */
function detailOf(report: Report, finding: Finding): string {
  return isInRejects(report, finding) ? "rejects" : findingId(report, finding);
}

function nextStep({ findings, rows }: Report, further: number) {
  const command = (text: string) => element("code", {}, text);
  const more = further > 0 ? `${formatNumberOf(further, "further finding")} below. ` : "";
  const safe = findings.filter(({ fix }) => fix?.isSafe === true).length;
  if (safe > 0) {
    const what = ` writes ${formatNumberOf(safe, "safe line")} into the configuration.`;
    return [more, command("switchyard validate --apply"), what];
  }
  if (rows.mapped > 0 && findings.every(({ severity }) => severity === "info")) {
    return [
      command("switchyard export"),
      " writes the events, ",
      command("switchyard send"),
      " sends them.",
    ];
  }
  return [
    more,
    "Change the configuration or the inputs, then run ",
    command("switchyard validate"),
    " again.",
  ];
}

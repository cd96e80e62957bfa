import type { Finding, Fix, Report, Severity } from "../../profile/report.js";
import { formatNumberOf } from "../../report/quantities.js";
import { harmless } from "../../report/terminal-text.js";
import { copyButton, disclosure, lead, none, preformatted, section } from "../elements/blocks.js";
import { dayText, shown } from "../elements/display-text.js";
import { button, type Child, element } from "../elements/element.js";
import type { ViewState } from "../elements/view-state.js";

/** Number of findings that are shown at first; the others open on demand. */
const OPEN_MAX = 12;

export function findingsSection(view: ViewState): HTMLElement {
  const { findings, rejects } = view.report;
  const own = findings.filter((finding) => !isInRejects(view.report, finding));
  const rest = own.slice(OPEN_MAX);
  const advice =
    "The most severe come first. Each line belongs in pipeline.config.json. switchyard validate --apply writes the safe ones.";
  return section(
    "findings",
    "Findings",
    own.length === 0
      ? none(
          rejects.length === 0 ? "No problem was found." : "No problem but the rejects was found.",
        )
      : lead(advice),
    own.length > 0 && findingList(own.slice(0, OPEN_MAX), view),
    rest.length === 0
      ? null
      : disclosure(formatNumberOf(rest.length, "further finding"), findingList(rest, view)),
    moduleText(own),
  );
}

export function findingList(findings: readonly Finding[], view: ViewState): HTMLElement {
  return element("ol", { class: "findings" }, ...findings.map((finding) => item(finding, view)));
}

function item(finding: Finding, view: ViewState): HTMLElement {
  const { title, detail, rows, fix, code, acceptedBecause } = finding;
  return element(
    "li",
    { class: "finding", id: findingId(view.report, finding) },
    severityMark(finding),
    element(
      "div",
      {},
      element("h3", {}, shown(title)),
      element("p", { class: "finding-detail" }, shown(detail)),
      fix === undefined ? null : fixLine(fix),
      element(
        "p",
        { class: "finding-links" },
        rows > 0 && element("span", {}, formatNumberOf(rows, "row")),
        acceptedBecause && element("span", {}, `accepted by ${acceptedBecause}`),
        ...subjects(finding, view),
        element("code", {}, shown(code)),
      ),
    ),
  );
}

/** The module that lines name; all findings that need one share it. */
function moduleText(findings: readonly Finding[]): HTMLElement | null {
  const module = findings.find(({ fix }) => fix?.module !== undefined)?.fix?.module;
  if (module === undefined) return null;
  const title = `Text of ${shown(module.name)}`;
  const pre = preformatted(title, module.text.split("\n").map(harmless).join("\n"));
  return disclosure(title, pre, copyButton(pre, title));
}

function subjects({ event, day, rejectCode, property }: Finding, view: ViewState): Child[] {
  const isKnown = event !== undefined && view.indexOf(event) !== -1;
  return [
    event === undefined
      ? null
      : isKnown
        ? element("a", { href: view.linkTo({ event }) }, shown(event))
        : element("span", {}, shown(event)),
    property === undefined ? null : element("code", {}, shown(property)),
    day === undefined
      ? null
      : button({ class: "link" }, () => view.chooseDay(day), `Choose ${dayText(day)}`),
    rejectCode === undefined ? null : element("a", { href: "#rejects" }, "See the rejects"),
  ];
}

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

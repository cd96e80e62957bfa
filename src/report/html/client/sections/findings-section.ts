import type { Finding } from "../../../../profile/report.js";
import { formatNumberOf } from "../../../quantities.js";
import { harmless } from "../../../terminal-text.js";
import { copyButton, disclosure, lead, none, preformatted, section } from "../blocks.js";
import { dayText, shown } from "../display-text.js";
import { button, type Child, element } from "../element.js";
import type { ViewState } from "../view-state.js";
import { findingId, fixLine, isInRejects, severityMark } from "./finding-parts.js";

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

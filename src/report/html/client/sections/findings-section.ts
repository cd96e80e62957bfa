import type { Finding, Fix, Severity } from "../../../../profile/report.js";
import { formatNumberOf } from "../../../quantities.js";
import { harmless } from "../../../terminal-text.js";
import {
  copyButton,
  disclosure,
  lazyDisclosure,
  lead,
  none,
  preformatted,
  section,
} from "../blocks.js";
import { dayText, shown } from "../display-text.js";
import { button, type Child, element } from "../element.js";
import type { ViewState } from "../view-state.js";

/** Findings that are shown at first; the others open on demand. */
const OPEN_MAX = 12;

const severityWords: Readonly<Record<Severity, { mark: string; word: string }>> = {
  error: { mark: "✕", word: "Error" },
  warning: { mark: "!", word: "Warning" },
  info: { mark: "i", word: "Note" },
};

export function findingsSection(view: ViewState): HTMLElement {
  const { findings } = view.report;
  if (findings.length === 0) {
    return section("findings", "Findings", none("No problem was found."));
  }
  const rest = findings.slice(OPEN_MAX);
  const advice =
    "Read these before you export or send; the most severe come first. Each line belongs in pipeline.config.json. switchyard validate --apply writes the safe ones.";
  return section(
    "findings",
    "Findings",
    lead(advice),
    findingList(findings.slice(0, OPEN_MAX), view),
    rest.length === 0
      ? null
      : lazyDisclosure(`${formatNumberOf(rest.length, "further finding")}`, () =>
          findingList(rest, view),
        ),
  );
}

export function findingList(findings: readonly Finding[], view: ViewState): HTMLElement {
  return element("ol", { class: "findings" }, ...findings.map((finding) => item(finding, view)));
}

function item(finding: Finding, view: ViewState): HTMLElement {
  const { severity, title, detail, rows, fix, code } = finding;
  const { mark, word } = severityWords[severity];
  return element(
    "li",
    { class: `finding finding-${severity}` },
    element(
      "p",
      { class: "severity" },
      element("span", { class: "severity-mark", "aria-hidden": "true" }, mark),
      word,
    ),
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
        ...subjects(finding, view),
        element("code", {}, shown(code)),
      ),
    ),
  );
}

function fixLine({ line, isSafe, module }: Fix): HTMLElement {
  const code = element("code", {}, shown(line));
  const note = isSafe ? "safe to apply" : "check it first";
  const change = element(
    "div",
    { class: "fix" },
    code,
    element("span", { class: "fix-note" }, note),
    copyButton(code, "the line that fixes this"),
  );
  return element("div", {}, change, module === undefined ? null : moduleText(module));
}

/** The module that the line names. */
function moduleText({ name, text }: NonNullable<Fix["module"]>): HTMLElement {
  const lines = text.split("\n").map(harmless).join("\n");
  const title = `Text of ${shown(name)}`;
  const pre = preformatted(title, lines);
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

import type { Finding, Report, ReportReject } from "../../profile/report.js";
import { formatCount, formatNumberOf } from "../../report/quantities.js";
import { harmless } from "../../report/terminal-text.js";
import { lazyDisclosure, lead, none, preformatted, section } from "../elements/blocks.js";
import { partText, positionText, shown } from "../elements/display-text.js";
import { element } from "../elements/element.js";
import { fixLine, isInRejects } from "./findings-section.js";

const SAMPLES_OPEN = 2;

export function rejectsSection(report: Report): HTMLElement {
  const { rejects, rows, findings } = report;
  if (rejects.length === 0) return section("rejects", "Rejects", none("No row was rejected."));
  const all = `${formatNumberOf(rows.rejected, "row")} of ${formatCount(rows.read)} cannot become events. An export keeps them in a directory of rejects, so that you can retry them when the cause is fixed.`;
  return section(
    "rejects",
    "Rejects",
    lead(all),
    ...rejects.map((reject) => {
      const own = findings.find(
        (one) => one.rejectCode === reject.code && isInRejects(report, one),
      );
      return card(reject, rows.read, own);
    }),
  );
}

function card(
  { code, rows, advice, samples }: ReportReject,
  read: number,
  finding: Finding | undefined,
): HTMLElement {
  const accepted = finding?.acceptedBecause === undefined ? "" : ", accepted by maxRejects";
  const rest = samples.slice(SAMPLES_OPEN);
  return element(
    "article",
    { class: "reject" },
    element("h3", {}, element("code", {}, shown(code))),
    element(
      "p",
      { class: "reject-rows" },
      `${formatNumberOf(rows, "row")}, ${partText(rows, read)}${accepted}`,
    ),
    element("p", {}, element("strong", {}, "What to do: "), `${shown(advice).replace(/\.$/, "")}.`),
    finding?.fix === undefined ? null : fixLine(finding.fix),
    ...samples.slice(0, SAMPLES_OPEN).map(sample),
    rest.length > 0 &&
      lazyDisclosure(formatNumberOf(rest.length, "more row"), () =>
        element("div", {}, ...rest.map(sample)),
      ),
  );
}

function sample({
  message,
  raw,
  isBase64,
  ...position
}: ReportReject["samples"][number]): HTMLElement {
  const where = positionText(position);
  return element(
    "figure",
    { class: "raw-row" },
    element(
      "figcaption",
      {},
      element("strong", {}, shown(message)),
      element(
        "span",
        { class: "position" },
        where,
        isBase64 ? " (not UTF-8, shown as base64)" : "",
      ),
    ),
    preformatted(`Row at ${where}`, harmless(raw)),
  );
}

import type { Report, ReportSample } from "../../profile/report.js";
import { formatNumberOf } from "../../report/quantities.js";
import { harmless } from "../../report/terminal-text.js";
import { lazyDisclosure, lead, none, preformatted, section } from "../elements/blocks.js";
import { positionText, shown } from "../elements/display-text.js";
import { button, element } from "../elements/element.js";
import { type RowMember, rowMembers, type TextToken } from "../mapping/text-tokens.js";
import { filterToken, type TraceLink, traceLinks } from "../mapping/trace-links.js";

const FIRST_SAMPLES = 3;
const MORE_SAMPLES = 10;

export function samplesSection(report: Pick<Report, "samples">): HTMLElement {
  const heading = "From row to event";
  if (report.samples.length === 0) return section("samples", heading, none("No samples."));
  return section(
    "samples",
    heading,
    lead("Source rows beside the events that they become, one of each event name first."),
    sampleList(inTurns(report.samples)),
  );
}

/** Orders samples: the first ones are of different events. */
function inTurns(samples: readonly ReportSample[]): readonly ReportSample[] {
  const seen = new Map<string, number>();
  const turns = samples.map((sample) => {
    const turn = seen.get(sample.event) ?? 0;
    seen.set(sample.event, turn + 1);
    return { sample, turn };
  });
  return turns.sort((one, other) => one.turn - other.turn).map(({ sample }) => sample);
}

/** Shows the first samples, and a button for more: there may be some for each event name. */
export function sampleList(samples: readonly ReportSample[]): HTMLElement {
  const list = element("div", { class: "samples" });
  let count = 0;
  const show = (further: number) => {
    const next = samples.slice(count, count + further);
    list.append(...next.map(mappingView));
    count += next.length;
    more.hidden = count >= samples.length;
    more.textContent = `Show more (${samples.length} samples)`;
  };
  const more = button({ class: "quiet" }, () => show(MORE_SAMPLES));
  show(FIRST_SAMPLES);
  return element("div", {}, mappingLegend(), list, more);
}

/** Targets of a mapping, in the order of their colours. */
const fields = [
  "event",
  "timestamp",
  "userID",
  "stableID",
  "value",
  "insertID",
  "user",
  "metadata",
] as const;

/** Shows a source row beside its event. A value and its result have the same colour and light up together. */
function mappingView(sample: ReportSample): HTMLElement {
  const source = rowMembers(sample.raw, sample.csv);
  const event = rowMembers(sample.result);
  const links = traceLinks(source, event, sample.trace);
  const marks = marksOf(links, filterToken(source, sample.trace));
  const rankOf = ({ tokens }: RowMember) => Math.min(...tokens.map(marks.rankOf));
  const used = source.filter((member) => rankOf(member) < Infinity);
  const unused = source.filter((member) => rankOf(member) === Infinity);
  used.sort((one, other) => rankOf(one) - rankOf(other));
  const shownFirst = used.length === 0 ? unused : used;
  const position = positionText(sample);
  const heading = `Source: ${position}`;
  const rest = `${formatNumberOf(unused.length, "source field")} that ${unused.length === 1 ? "is" : "are"} not in the event`;
  const view = element(
    "div",
    { class: "mapping" },
    element(
      "figure",
      {},
      element("figcaption", {}, heading),
      preformatted(heading, ...textOf(shownFirst, marks.show)),
      used.length > 0 && unused.length > 0
        ? lazyDisclosure(rest, () =>
            preformatted(`Further fields of ${position}`, ...textOf(unused, marks.show)),
          )
        : null,
    ),
    element(
      "figure",
      {},
      element("figcaption", {}, `Event: ${shown(sample.event)}`),
      preformatted(`Event made of ${position}`, ...textOf(event, marks.show)),
    ),
  );
  lightUpTogether(view);
  return view;
}

function mappingLegend(): HTMLElement {
  const marks = fields.map((field) =>
    element("li", {}, element("mark", { class: `field field-${field}` }, field)),
  );
  return element(
    "div",
    { class: "legend" },
    element("ul", {}, ...marks),
    element(
      "p",
      {},
      "Each value on the right comes from the value of the same colour on the left. ",
      element("span", { class: "converted" }, "Dotted"),
      " values change their form.",
    ),
  );
}

/** Styles the pieces of a sample by the links between them. */
function marksOf(links: readonly TraceLink[], filtered: TextToken | undefined) {
  const byToken = new Map<TextToken, { readonly link: TraceLink; readonly index: number }>();
  links.forEach((link, index) => {
    byToken.set(link.from, { link, index });
    byToken.set(link.to, { link, index });
  });
  return {
    /** Position of a piece's target; fields that are not in the event come last. */
    rankOf(token: TextToken): number {
      const target = byToken.get(token)?.link.target;
      if (target !== undefined) return (fields as readonly string[]).indexOf(target);
      return token === filtered ? fields.length : Infinity;
    },
    show(token: TextToken): Node {
      const visible = harmless(token.text);
      const mark = byToken.get(token);
      if (mark === undefined) return element("span", { class: `token-${token.kind}` }, visible);
      const { target, from, isConverted } = mark.link;
      const title = token === from ? `becomes ${target}` : undefined;
      const looks = `field field-${target}${isConverted ? " converted" : ""}`;
      return element("mark", { class: looks, "data-link": mark.index, title }, visible);
    },
  };
}

/** Returns the pieces of members, each member on a line of its own. */
function textOf(members: readonly RowMember[], show: (token: TextToken) => Node): readonly Node[] {
  return members.flatMap(({ tokens }, index) => [
    ...(index === 0 ? [] : [document.createTextNode("\n")]),
    ...tokens.map((token) =>
      token.kind === "space" ? document.createTextNode(token.text) : show(token),
    ),
  ]);
}

function lightUpTogether(view: HTMLElement): void {
  view.addEventListener("pointerover", ({ target }) => {
    const mark = target instanceof Element ? target.closest("[data-link]") : null;
    const link = mark?.getAttribute("data-link");
    for (const other of view.querySelectorAll("[data-link]")) {
      other.classList.toggle("lit", other.getAttribute("data-link") === link);
    }
  });
}

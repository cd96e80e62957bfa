import type { ReportSample } from "../../../../profile/report.js";
import { harmless } from "../../../terminal-text.js";
import { lead, none, preformatted, section } from "../blocks.js";
import { positionText, shown } from "../display-text.js";
import { button, element } from "../element.js";
import { rowTokens, type TextToken } from "../mapping/text-tokens.js";
import { type Trace, traceValues } from "../mapping/trace-values.js";

const FIRST_SAMPLES = 3;
const MORE_SAMPLES = 10;

export function samplesSection(samples: readonly ReportSample[]): HTMLElement {
  if (samples.length === 0) return section("samples", "From row to event", none("No samples."));
  return section(
    "samples",
    "From row to event",
    lead("Source rows beside the events that they become."),
    sampleList(samples),
  );
}

/** Shows the first samples, and a button for more: there may be some for each event name. */
export function sampleList(samples: readonly ReportSample[]): HTMLElement {
  const list = element("div", { class: "samples" });
  let count = 0;
  const show = (further: number) => {
    list.append(...samples.slice(count, count + further).map(mappingView));
    count = Math.min(samples.length, count + further);
    more.hidden = count >= samples.length;
    more.textContent = `Show more (${samples.length} samples)`;
  };
  const more = button({ class: "quiet" }, () => show(MORE_SAMPLES));
  show(FIRST_SAMPLES);
  return element("div", {}, mappingLegend(), list, more);
}

/** Fields of an event, in the order of their colours. */
const fields = ["event", "timestamp", "userID", "stableID", "value", "user", "metadata"] as const;

/** Shows a source row beside its event. A value and its result have the same colour and light up together. */
function mappingView(sample: ReportSample): HTMLElement {
  const source = rowTokens(sample.raw);
  const event = rowTokens(sample.result);
  const traces = traceValues(source, event);
  const view = element(
    "div",
    { class: "mapping" },
    side(`Source: ${positionText(sample)}`, markedTokens(source, traces, "from")),
    side(`Event: ${shown(sample.event)}`, markedTokens(event, traces, "to")),
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
      "The same colour on both sides marks the same value, found by comparing the texts. ",
      element("span", { class: "converted" }, "Dotted"),
      " values changed their form; ",
      element("span", { class: "left-behind" }, "slanted"),
      " values do not occur in the event in this form.",
    ),
  );
}

function side(heading: string, pieces: readonly Node[]): HTMLElement {
  return element(
    "figure",
    {},
    element("figcaption", {}, heading),
    preformatted(heading, ...pieces),
  );
}

function markedTokens(
  tokens: readonly TextToken[],
  traces: readonly Trace[],
  end: "from" | "to",
): readonly Node[] {
  const traceAt = new Map(traces.map((trace, index) => [trace[end], { ...trace, index }]));
  return tokens.map(({ kind, text, value }, at) => {
    if (kind === "space") return document.createTextNode(text);
    const trace = traceAt.get(at);
    const visible = harmless(text);
    if (trace === undefined) {
      const isLeft = end === "from" && kind === "value" && value !== "";
      return element("span", { class: isLeft ? "left-behind" : `token-${kind}` }, visible);
    }
    const known = (fields as readonly string[]).includes(trace.field) ? trace.field : "metadata";
    const form = trace.isConverted ? " converted" : "";
    const title = end === "from" ? `becomes ${trace.field}` : undefined;
    const link = { "data-link": trace.index, title: title && harmless(title) };
    return element("mark", { class: `field field-${known}${form}`, ...link }, visible);
  });
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

import type { ReportSample } from "../../../../profile/report.js";
import { harmless } from "../../../terminal-text.js";
import { element } from "../element.js";
import { placeText, shown } from "../words.js";
import { rowTokens, type TextToken } from "./text-tokens.js";
import { type Trace, traceValues } from "./trace-values.js";

/** Fields of an event, in the order of their colours. */
const fields = ["event", "timestamp", "userID", "stableID", "value", "user", "metadata"] as const;

/** A source row beside its event; what became what bears one colour and lights up together. */
export function mappingView(sample: ReportSample): HTMLElement {
  const source = rowTokens(sample.raw);
  const event = rowTokens(sample.result);
  const traces = traceValues(source, event);
  const view = element(
    "div",
    { class: "mapping" },
    side(`Source: ${placeText(sample)}`, markedTokens(source, traces, "from")),
    side(`Event: ${shown(sample.event)}`, markedTokens(event, traces, "to")),
  );
  lightUpTogether(view);
  return view;
}

export function mappingLegend(): HTMLElement {
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
      "One colour on both sides is one value, seen by comparing the texts. ",
      element("span", { class: "converted" }, "Dotted"),
      " ones changed their form; ",
      element("span", { class: "left-behind" }, "slanted"),
      " ones are not in the event as they stand.",
    ),
  );
}

function side(heading: string, pieces: readonly Node[]): HTMLElement {
  return element(
    "figure",
    {},
    element("figcaption", {}, heading),
    element("pre", { tabindex: 0, role: "region", "aria-label": heading }, ...pieces),
  );
}

function markedTokens(
  tokens: readonly TextToken[],
  traces: readonly Trace[],
  end: "from" | "to",
): readonly Node[] {
  const traceAt = new Map(traces.map((trace, index) => [trace[end], { ...trace, index }]));
  return tokens.map(({ kind, text, value }, place) => {
    if (kind === "space") return document.createTextNode(text);
    const trace = traceAt.get(place);
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

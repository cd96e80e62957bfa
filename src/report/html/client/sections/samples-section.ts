import type { ReportSample } from "../../../../profile/report.js";
import { button, element } from "../element.js";
import { mappingLegend, mappingView } from "../mapping/mapping-view.js";
import { lead, none, section } from "./section.js";

const FIRST_SAMPLES = 3;
const MORE_SAMPLES = 10;

export function samplesSection(samples: readonly ReportSample[]): HTMLElement {
  if (samples.length === 0) return section("samples", "From row to event", none("No samples."));
  return section(
    "samples",
    "From row to event",
    lead("Rows of the source beside the events that they become."),
    sampleList(samples),
  );
}

/** The first samples; further ones by a button, as there may be one for each event name. */
export function sampleList(samples: readonly ReportSample[]): HTMLElement {
  const list = element("div", { class: "samples" });
  let count = 0;
  const show = (further: number) => {
    list.append(...samples.slice(count, count + further).map(mappingView));
    count = Math.min(samples.length, count + further);
    more.hidden = count >= samples.length;
    more.textContent = `Show more of ${samples.length} samples`;
  };
  const more = button({ class: "quiet" }, () => show(MORE_SAMPLES));
  show(FIRST_SAMPLES);
  return element("div", {}, mappingLegend(), list, more);
}

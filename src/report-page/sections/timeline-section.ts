import { sum } from "../../base/sum.js";
import { formatCount, formatNumberOf } from "../../report/quantities.js";
import { layerName, timeline } from "../charts/timeline.js";
import { lazyDisclosure, lead, section, type Tooltip } from "../elements/blocks.js";
import { plainTable } from "../elements/data-table.js";
import { LAYERS_MAX, layersOf, rowsInRange } from "../elements/day-series.js";
import { daysText, partText } from "../elements/display-text.js";
import { button, element } from "../elements/element.js";
import type { ViewState } from "../elements/view-state.js";

const HEIGHT_PX = 300;

export function timelineSection(view: ViewState, tooltip: Tooltip): HTMLElement {
  const { days, events } = view.report;
  if (days.length === 0) return section("timeline", "Timeline");
  const isAll = events.length <= LAYERS_MAX;
  const names = isAll
    ? "Events by name."
    : `The ${LAYERS_MAX} most frequent names, and all others together.`;
  const what = `${names} Drag over the chart to choose days, or move its handles with the arrow keys.`;
  const chart = timeline({
    view,
    tooltip,
    heightPx: HEIGHT_PX,
    label: "Events by day, stacked by event name; the table below has the numbers",
    layers: (bucketDays) => layersOf(view.report, view.series, bucketDays),
  });
  return section("timeline", "Timeline", lead(what), rangeLine(view), chart, legend(view, chart));
}

/** The chosen days, and a button that chooses all days again. */
export function rangeLine(view: ViewState, signal?: AbortSignal): HTMLElement {
  const text = element("span", { role: "status" });
  const reset = button({ class: "quiet" }, () => view.choose(null), "Show all days");
  view.onRange(() => {
    const { start, end } = view.range;
    const { days } = view.report;
    const [first, last] = [days[start]?.day ?? "", days[end - 1]?.day ?? ""];
    const events = sum(days.slice(start, end), (day) => day.events);
    text.textContent = `${view.isWhole ? "All days: " : ""}${daysText(first, last)}, ${formatNumberOf(events, "event")}`;
    reset.hidden = view.isWhole;
  }, signal);
  return element("p", { class: "range-line" }, text, reset);
}

/** Names with their colours, which highlight their layer, and the numbers as a table. */
function legend(view: ViewState, chart: HTMLElement): HTMLElement {
  const { events } = view.report;
  const indexes = events.slice(0, LAYERS_MAX).map((_, index) => index);
  const hasRest = view.report.rows.mapped > sum(indexes, (p) => events[p]?.rows ?? 0);
  const item = (index: number | undefined) => {
    const swatch = { class: `swatch swatch-${index ?? "rest"}`, "aria-hidden": "true" };
    const name = layerName(view, index);
    const event = index === undefined ? undefined : events[index];
    const made = element(
      "li",
      {},
      element("span", swatch),
      event === undefined ? name : element("a", { href: view.linkTo(event) }, name),
    );
    const lift = (isOn: boolean) => {
      chart.classList.toggle("lifting", isOn);
      const layer = chart.querySelector(index === undefined ? ".layer-rest" : `.layer-${index}`);
      layer?.classList.toggle("lifted", isOn);
    };
    for (const name of ["pointerenter", "focusin"]) made.addEventListener(name, () => lift(true));
    for (const name of ["pointerleave", "focusout"]) made.addEventListener(name, () => lift(false));
    return made;
  };
  const items = [...indexes.map(item), ...(hasRest ? [item(undefined)] : [])];
  return element(
    "div",
    {},
    element("ul", { class: "chart-legend" }, ...items),
    lazyDisclosure("Timeline as a table", () => rangeTable(view, indexes)),
  );
}

function rangeTable(view: ViewState, indexes: readonly number[]): HTMLElement {
  const holder = element("div");
  view.onRange(() => {
    const { start, end } = view.range;
    const total = sum(view.report.days.slice(start, end), ({ events }) => events);
    const named = indexes.map((index) => rowsInRange(view.series, index, view.range));
    const rest = total - sum(named, (rows) => rows);
    const rows = [...named, rest].map((count, index) => [
      layerName(view, indexes[index]),
      formatCount(count),
      partText(count, total),
    ]);
    const caption = "Events by name in the chosen days";
    holder.replaceChildren(plainTable(caption, ["Event", "Events", "Share"], rows, [1, 2]));
  });
  return holder;
}

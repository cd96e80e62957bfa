import { sum } from "../../base/sum.js";
import { formatCount } from "../../report/quantities.js";
import type { Tooltip } from "../elements/blocks.js";
import { bucketDaysFor, type SeriesLayer } from "../elements/day-series.js";
import { daysText, dayText, shown } from "../elements/display-text.js";
import { element, svgElement } from "../elements/element.js";
import type { ViewState } from "../elements/view-state.js";
import { dayAt, drawPlot, type Plot } from "./plot.js";
import { RangeBrush } from "./range-brush.js";

/** Most bars of a timeline; with more days, each bar shows weeks. */
const BARS_MAX = 200;
const TOOLTIP_LINES_MAX = 10;

interface TimelineOptions {
  readonly view: ViewState;
  readonly tooltip: Tooltip;
  /** Description of the drawing, one sentence. */
  readonly label: string;
  readonly heightPx: number;
  readonly layers: (bucketDays: number) => readonly SeriesLayer[];
  readonly signal?: AbortSignal;
}

/** Events by day, in layers, with a range that pointer and keyboard can choose. */
export function timeline(options: TimelineOptions): HTMLElement {
  const { view, label, heightPx, signal } = options;
  const { days } = view.report;
  const bucketDays = bucketDaysFor(days.length, BARS_MAX);
  const layers = options.layers(bucketDays);
  const drawing = svgElement("svg", { role: "img", "aria-label": label });
  const frame = element("div", { class: "timeline" }, drawing);
  let plot: Plot = { days, bucketDays, layers, width: 0, height: heightPx };
  const brush = new RangeBrush(view, frame, () => plot, signal);
  const draw = () => {
    const width = Math.round(frame.clientWidth);
    if (width === 0 || width === plot.width) return;
    plot = { ...plot, width };
    drawing.setAttribute("viewBox", `0 0 ${width} ${heightPx}`);
    drawing.replaceChildren(...drawPlot(plot), brush.shade);
    brush.place();
  };
  const observer = new ResizeObserver(draw);
  observer.observe(frame);
  signal?.addEventListener("abort", () => observer.disconnect());
  addTooltip(frame, () => plot, options);
  return frame;
}

function addTooltip(frame: HTMLElement, plotNow: () => Plot, options: TimelineOptions): void {
  const { tooltip } = options;
  frame.addEventListener("pointermove", (event) => {
    const plot = plotNow();
    const day = dayAt(plot, event.clientX - frame.getBoundingClientRect().left);
    tooltip.show(bucketLines(plot, day, options.view), event.clientX, event.clientY);
  });
  frame.addEventListener("pointerleave", () => tooltip.hide());
}

function bucketLines({ bucketDays, layers, days }: Plot, day: number, view: ViewState) {
  const bucket = Math.floor(day / bucketDays);
  const first = days[bucket * bucketDays]?.day ?? "";
  const last = days[Math.min(days.length, (bucket + 1) * bucketDays) - 1]?.day ?? "";
  const title = bucketDays === 1 ? dayText(first, "weekday") : daysText(first, last);
  const lines = layers
    .map(({ event, values }) => ({ event, rows: values[bucket] ?? 0 }))
    .filter(({ rows }) => rows > 0)
    .map(({ event, rows }) => `${formatCount(rows)}  ${layerName(view, event)}`);
  const total = sum(layers, ({ values }) => values[bucket] ?? 0);
  const all = layers.length > 1 ? [`${formatCount(total)}  events`] : [];
  return [title, ...all, ...lines.slice(0, TOOLTIP_LINES_MAX)];
}

export function layerName(view: ViewState, event: number | undefined): string {
  return event === undefined ? "all other names" : shown(view.report.events[event]?.event ?? "");
}

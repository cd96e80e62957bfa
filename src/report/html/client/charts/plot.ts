import type { ReportDay } from "../../../../profile/report.js";
import { svgElement } from "../element.js";
import { axisCount, dayText } from "../words.js";
import type { Layer } from "./layers.js";
import { type ValueScale, valueScale } from "./value-scale.js";

/** Pixels around the area of the bars. */
export const margin = { top: 8, right: 4, bottom: 24, left: 44 } as const;

const LABEL_PX = 84;

export interface PlotSize {
  readonly width: number;
  readonly height: number;
}

export interface Plot extends PlotSize {
  readonly days: readonly ReportDay[];
  readonly bucketDays: number;
  readonly layers: readonly Layer[];
}

/** Pixels from the left of the chart at which a day begins; `days.length` is the end of the last. */
export function dayLeft({ days, width }: Pick<Plot, "days" | "width">, day: number): number {
  const inner = width - margin.left - margin.right;
  return margin.left + (inner * day) / Math.max(1, days.length);
}

/** The day under a place of the chart. */
export function dayAt(plot: Pick<Plot, "days" | "width">, x: number): number {
  const inner = plot.width - margin.left - margin.right;
  const day = Math.floor(((x - margin.left) / inner) * plot.days.length);
  return Math.min(plot.days.length - 1, Math.max(0, day));
}

/** Stacked bars with their axes, as parts of a drawing. */
export function drawPlot(plot: Plot): readonly SVGElement[] {
  const { height, layers } = plot;
  const max = Math.max(...layers.flatMap(({ spans }) => spans.map(([, high]) => high)));
  const scale = valueScale(max, height - margin.bottom, margin.top, 4);
  return [
    ...valueAxis(plot, scale),
    ...layers.map((layer, place) =>
      svgElement("path", {
        class: `layer ${layer.event === undefined ? "layer-rest" : `layer-${place}`}`,
        d: bars(plot, layer, scale),
      }),
    ),
    ...dayAxis(plot),
  ];
}

function valueAxis({ width }: Plot, scale: ValueScale): readonly SVGElement[] {
  return scale.ticks.flatMap((value) => {
    const y = Math.round(scale.y(value)) + 0.5;
    const line = { class: "grid", x1: margin.left, x2: width - margin.right, y1: y, y2: y };
    const text = { class: "tick", x: margin.left - 8, y: y + 4, "text-anchor": "end" };
    return [svgElement("line", line), svgElement("text", text, axisCount(value))];
  });
}

function bars(plot: Plot, layer: Layer, scale: ValueScale): string {
  const { bucketDays, days } = plot;
  let path = "";
  layer.spans.forEach(([low, high], bucket) => {
    if (high <= low) return;
    const left = dayLeft(plot, bucket * bucketDays);
    const right = dayLeft(plot, Math.min(days.length, (bucket + 1) * bucketDays));
    const gap = right - left > 4 ? 1 : 0;
    const place = (value: number) => scale.y(value).toFixed(1);
    path += `M${left.toFixed(1)} ${place(low)}V${place(high)}H${(right - gap).toFixed(1)}V${place(low)}z`;
  });
  return path;
}

function dayAxis(plot: Plot): readonly SVGElement[] {
  const { days, width, height } = plot;
  const labelsMax = Math.max(2, Math.floor(width / LABEL_PX));
  const every = Math.max(1, Math.ceil(days.length / labelsMax));
  const form = days.length > 400 ? "month" : "short";
  const labels: SVGElement[] = [];
  for (let place = 0; place < days.length; place += every) {
    const x = dayLeft(plot, place);
    if (x + LABEL_PX / 2 > width && place > 0) break;
    const text = { class: "tick", x, y: height - 6 };
    labels.push(svgElement("text", text, dayText(days[place]?.day ?? "", form)));
  }
  return labels;
}

import type { ReportDay } from "../../profile/report.js";
import type { SeriesLayer } from "../elements/day-series.js";
import { axisCount, dayText } from "../elements/display-text.js";
import { svgElement } from "../elements/element.js";
import { type ValueScale, valueScale } from "./bars.js";

/** Pixels around the area of the bars. */
export const margin = { top: 8, right: 4, bottom: 24, left: 44 } as const;

const LABEL_PX = 84;

export interface Plot {
  readonly width: number;
  readonly height: number;
  readonly days: readonly ReportDay[];
  readonly bucketDays: number;
  readonly layers: readonly SeriesLayer[];
}

/** The x position at which a day begins, in pixels; `days.length` gives the end of the last day. */
export function dayLeft({ days, width }: Pick<Plot, "days" | "width">, day: number): number {
  const inner = width - margin.left - margin.right;
  return margin.left + (inner * day) / Math.max(1, days.length);
}

/** The day at an x position of the chart. */
export function dayAt(plot: Pick<Plot, "days" | "width">, x: number): number {
  const inner = plot.width - margin.left - margin.right;
  const day = Math.floor(((x - margin.left) / inner) * plot.days.length);
  return Math.min(plot.days.length - 1, Math.max(0, day));
}

/** Draws stacked bars with their axes. */
export function drawPlot(plot: Plot): readonly SVGElement[] {
  const { height, layers } = plot;
  const max = Math.max(...layers.flatMap(({ spans }) => spans.map(([, high]) => high)));
  const scale = valueScale(max, height - margin.bottom, margin.top, 4);
  return [
    ...valueAxis(plot, scale),
    ...layers.map((layer, index) =>
      svgElement("path", {
        class: `layer ${layer.event === undefined ? "layer-rest" : `layer-${index}`}`,
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

function bars(plot: Plot, layer: SeriesLayer, scale: ValueScale): string {
  const { bucketDays, days } = plot;
  let path = "";
  layer.spans.forEach(([low, high], bucket) => {
    if (high <= low) return;
    const left = dayLeft(plot, bucket * bucketDays);
    const right = dayLeft(plot, Math.min(days.length, (bucket + 1) * bucketDays));
    const gap = right - left > 4 ? 1 : 0;
    const y = (value: number) => scale.y(value).toFixed(1);
    path += `M${left.toFixed(1)} ${y(low)}V${y(high)}H${(right - gap).toFixed(1)}V${y(low)}z`;
  });
  return path;
}

function dayAxis(plot: Plot): readonly SVGElement[] {
  const { days, width, height } = plot;
  const labelsMax = Math.max(2, Math.floor(width / LABEL_PX));
  const every = Math.max(1, Math.ceil(days.length / labelsMax));
  const form = days.length > 400 ? "month" : "short";
  const labels: SVGElement[] = [];
  for (let index = 0; index < days.length; index += every) {
    const x = dayLeft(plot, index);
    if (x + LABEL_PX / 2 > width && index > 0) break;
    const text = { class: "tick", x, y: height - 6 };
    labels.push(svgElement("text", text, dayText(days[index]?.day ?? "", form)));
  }
  return labels;
}

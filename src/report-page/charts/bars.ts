import { nice, ticks } from "d3-array";
import { clockText } from "../../base/day.js";
import { formatCount } from "../../report/quantities.js";
import { axisCount } from "../elements/display-text.js";
import { svgElement } from "../elements/element.js";

/** A scale from 0, drawn upwards. */
export interface ValueScale {
  /** Round values for grid lines. */
  readonly ticks: readonly number[];
  /** Pixels from the top. */
  readonly y: (value: number) => number;
}

/** Returns a scale that ends at a round number, with about `count` lines. */
export function valueScale(max: number, bottom: number, top: number, count: number): ValueScale {
  const [, end] = nice(0, Math.max(1, max), count);
  return {
    ticks: ticks(0, end, count),
    y: (value) => bottom + (value / end) * (top - bottom),
  };
}

const WIDTH = 480;
const HEIGHT = 180;
const LEFT = 40;
const BOTTOM = 22;
const TOP = 8;

/** Bars of the 24 hours of the day. */
export function hourChart(hours: readonly number[], label: string): SVGSVGElement {
  const scale = valueScale(Math.max(...hours), HEIGHT - BOTTOM, TOP, 3);
  const step = (WIDTH - LEFT) / 24;
  const lines = scale.ticks.flatMap((value) => {
    const y = scale.y(value);
    return [
      svgElement("line", { class: "grid", x1: LEFT, x2: WIDTH, y1: y, y2: y }),
      svgElement(
        "text",
        { class: "tick", x: LEFT - 6, y: y + 4, "text-anchor": "end" },
        axisCount(value),
      ),
    ];
  });
  const bars = hours.map((events, hour) =>
    svgElement(
      "rect",
      {
        class: "hour-bar",
        x: LEFT + hour * step + 1,
        width: step - 2,
        y: scale.y(events),
        height: HEIGHT - BOTTOM - scale.y(events),
      },
      svgElement("title", {}, `${clockText(hour)}: ${formatCount(events)} events`),
    ),
  );
  const ticks = [0, 6, 12, 18].map((hour) => {
    const middle = { x: LEFT + (hour + 0.5) * step, y: HEIGHT - 5, "text-anchor": "middle" };
    return svgElement("text", { class: "tick", ...middle }, clockText(hour));
  });
  const box = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label };
  return svgElement("svg", { class: "hour-chart", ...box }, ...lines, ...bars, ...ticks);
}

const SPARKLINE_WIDTH = 120;
const SPARKLINE_HEIGHT = 24;

/** Draws bars, the tallest as high as the chart. The cells of the row have the numbers. */
export function sparkline(values: ArrayLike<number>): SVGSVGElement {
  let max = 0;
  for (let index = 0; index < values.length; index++) max = Math.max(max, values[index] ?? 0);
  const step = SPARKLINE_WIDTH / Math.max(1, values.length);
  const gap = step > 3 ? 1 : 0;
  let path = "";
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? 0;
    if (value <= 0) continue;
    // A value above 0 is always visible.
    const height = Math.max(1.5, (value / max) * SPARKLINE_HEIGHT);
    const left = (index * step).toFixed(2);
    const width = (step - gap).toFixed(2);
    path += `M${left} ${SPARKLINE_HEIGHT}v${-height.toFixed(2)}h${width}V${SPARKLINE_HEIGHT}z`;
  }
  const box = {
    viewBox: `0 0 ${SPARKLINE_WIDTH} ${SPARKLINE_HEIGHT}`,
    width: SPARKLINE_WIDTH,
    height: SPARKLINE_HEIGHT,
  };
  return svgElement(
    "svg",
    { class: "sparkline", "aria-hidden": "true", ...box, preserveAspectRatio: "none" },
    svgElement("path", { d: path }),
  );
}

import { formatCount } from "../../../quantities.js";
import { svgElement } from "../element.js";
import { axisCount } from "../words.js";
import { valueScale } from "./value-scale.js";

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
        ...{ class: "hour-bar", x: LEFT + hour * step + 1, width: step - 2 },
        ...{ y: scale.y(events), height: HEIGHT - BOTTOM - scale.y(events) },
      },
      svgElement("title", {}, `${hourText(hour)}: ${formatCount(events)} events`),
    ),
  );
  const ticks = [0, 6, 12, 18].map((hour) => {
    const middle = { x: LEFT + (hour + 0.5) * step, y: HEIGHT - 5, "text-anchor": "middle" };
    return svgElement("text", { class: "tick", ...middle }, hourText(hour));
  });
  const box = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label };
  return svgElement("svg", { class: "hour-chart", ...box }, ...lines, ...bars, ...ticks);
}

export function hourText(hour: number): string {
  return `${String(hour).padStart(2, "0")}:00`;
}

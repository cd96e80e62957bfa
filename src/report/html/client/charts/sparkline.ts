import { svgElement } from "../element.js";

const WIDTH = 120;
const HEIGHT = 24;

/** Bars side by side, the tallest as high as the chart. What it shows stands in the row's cells too. */
export function sparkline(values: ArrayLike<number>): SVGSVGElement {
  let max = 0;
  for (let index = 0; index < values.length; index++) max = Math.max(max, values[index] ?? 0);
  const step = WIDTH / Math.max(1, values.length);
  const gap = step > 3 ? 1 : 0;
  let path = "";
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? 0;
    if (value <= 0) continue;
    // A bar that is there is seen, however small.
    const height = Math.max(1.5, (value / max) * HEIGHT);
    const left = (index * step).toFixed(2);
    const width = (step - gap).toFixed(2);
    path += `M${left} ${HEIGHT}v${-height.toFixed(2)}h${width}V${HEIGHT}z`;
  }
  const box = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT };
  return svgElement(
    "svg",
    { class: "sparkline", "aria-hidden": "true", ...box, preserveAspectRatio: "none" },
    svgElement("path", { d: path }),
  );
}

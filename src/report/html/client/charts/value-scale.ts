import { nice, ticks } from "d3-array";

/** Numbers from 0 on, drawn upwards from one height of the chart to another. */
export interface ValueScale {
  /** Round values to draw lines at. */
  readonly ticks: readonly number[];
  /** Pixels from the top. */
  readonly y: (value: number) => number;
}

/** A scale that ends at a round number, with about `count` lines. */
export function valueScale(max: number, bottom: number, top: number, count: number): ValueScale {
  const [, end] = nice(0, Math.max(1, max), count);
  return {
    ticks: ticks(0, end, count),
    y: (value) => bottom + (value / end) * (top - bottom),
  };
}

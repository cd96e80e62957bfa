import { formatCount } from "../base/format-count.js";
import { axisCount } from "./text.js";

/** A scale from 0, drawn upwards. */
export interface ValueScale {
  /** Round values for grid lines. */
  readonly ticks: readonly number[];
  /** Pixels from the top. */
  readonly y: (value: number) => number;
}

/** Digits of steps between lines, and where the next one is nearer. */
const digits = [
  [1, Math.SQRT2],
  [2, Math.sqrt(10)],
  [5, Math.sqrt(50)],
] as const;

/** Returns a scale that ends at a round number, with about `count` lines. */
export function valueScale(max: number, bottom: number, top: number, count: number): ValueScale {
  const exact = Math.max(1, max) / count;
  const power = 10 ** Math.floor(Math.log10(exact));
  const [digit] = digits.find(([, end]) => exact / power < end) ?? [10];
  const step = Math.max(1, digit * power);
  const lines = Math.max(1, Math.ceil(max / step));
  return {
    ticks: Array.from({ length: lines + 1 }, (_, line) => line * step),
    y: (value) => bottom + (value / (lines * step)) * (top - bottom),
  };
}

interface ValueAxisProps {
  readonly scale: ValueScale;
  readonly left: number;
  readonly right: number;
}

/** Lines with their values on the left. */
export function ValueAxis({ scale, left, right }: ValueAxisProps) {
  return scale.ticks.map((value) => {
    const y = Math.round(scale.y(value)) + 0.5;
    return (
      <g key={value}>
        <line class="grid" x1={left} x2={right} y1={y} y2={y} />
        <text class="tick" x={left - 8} y={y + 4} text-anchor="end">
          {axisCount(value)}
        </text>
      </g>
    );
  });
}

const WIDTH = 480;
const HEIGHT = 180;
const LEFT = 40;
const BOTTOM = HEIGHT - 22;
const TOP = 8;

interface BarChartProps {
  /** Description of the drawing, one sentence. */
  readonly label: string;
  readonly bars: readonly (readonly [name: string, count: number])[];
  /** The noun of the counts: `events`. */
  readonly noun: string;
  /** One bar of so many has its name below it. */
  readonly namedEvery: number;
}

/** A few bars with their names. */
export function BarChart({ label, bars, noun, namedEvery }: BarChartProps) {
  const scale = valueScale(Math.max(...bars.map(([, count]) => count)), BOTTOM, TOP, 3);
  const step = (WIDTH - LEFT) / bars.length;
  return (
    <svg class="bar-chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <ValueAxis scale={scale} left={LEFT} right={WIDTH} />
      {bars.map(([name, count], index) => (
        <g key={name}>
          <rect
            class="bar"
            x={LEFT + index * step + 1}
            width={step - 2}
            y={scale.y(count)}
            height={BOTTOM - scale.y(count)}
          >
            <title>{`${name}: ${formatCount(count)} ${noun}`}</title>
          </rect>
          {index % namedEvery === 0 && (
            <text class="tick" x={LEFT + (index + 0.5) * step} y={HEIGHT - 5} text-anchor="middle">
              {name}
            </text>
          )}
        </g>
      ))}
    </svg>
  );
}

const SPARK_WIDTH = 120;
const SPARK_HEIGHT = 24;

/** Draws bars, the tallest as high as the chart. Numbers are in the text beside it. */
export function Sparkline({ values }: { readonly values: readonly number[] }) {
  const max = Math.max(...values);
  const step = SPARK_WIDTH / Math.max(1, values.length);
  const width = (step > 3 ? step - 1 : step).toFixed(2);
  let path = "";
  values.forEach((value, index) => {
    if (value <= 0) return;
    // A value above 0 is always visible.
    const height = Math.max(1.5, (value / max) * SPARK_HEIGHT).toFixed(2);
    path += `M${(index * step).toFixed(2)} ${SPARK_HEIGHT}v-${height}h${width}V${SPARK_HEIGHT}z`;
  });
  return (
    <svg
      class="sparkline"
      aria-hidden="true"
      viewBox={`0 0 ${SPARK_WIDTH} ${SPARK_HEIGHT}`}
      preserveAspectRatio="none"
    >
      <path d={path} />
    </svg>
  );
}

import type { TargetedKeyboardEvent, TargetedPointerEvent } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { formatCount } from "../base/format-count.js";
import { ValueAxis, type ValueScale, valueScale } from "./bar-charts.js";
import type { DayRange } from "./calendar-days.js";
import { daysText, dayText } from "./text.js";
import { hideTooltip, showTooltip } from "./tooltip.js";

/** One of the stacked layers of a timeline. */
interface TimelineLayer {
  readonly name: string;
  /** Index of its colour. */
  readonly tone: number;
  /** Lower and upper end in each bucket. */
  readonly spans: readonly (readonly [low: number, high: number])[];
}

interface TimelineProps {
  /** Description of the drawing, one sentence. */
  readonly label: string;
  readonly heightPx: number;
  /** Days `YYYY-MM-DD`, without gaps. */
  readonly days: readonly string[];
  /** Days of each bucket, which is a bar. */
  readonly bucketDays: number;
  readonly layers: readonly TimelineLayer[];
  /** Index of the layer that stands out. */
  readonly lifted?: number | undefined;
  readonly range: DayRange;
  readonly onChoose: (range: DayRange | null) => void;
}

/** Pixels around the area of the bars. */
const margin = { top: 8, right: 4, bottom: 24, left: 44 } as const;
const LABEL_PX = 84;
const TOOLTIP_LINES_MAX = 10;

/** The colour of what has no colour of its own. */
export const REST_TONE = 8;

/** The style of an element with one of the colours of layers. */
export function toneStyle(tone = REST_TONE) {
  return { "--tone": `var(--tone-${tone})` };
}

/**
 * Counts by day, in layers, and a range of days that is chosen by dragging or with two sliders: arrow keys
 * move by a day, page up and down by a week, and Escape chooses all days.
 */
export function Timeline(props: TimelineProps) {
  const { label, heightPx, days, layers, bucketDays, lifted, range, onChoose } = props;
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const dragged = useRef<number | null>(null);
  const drawing = useMemo(
    () => width > 0 && <Plot plot={{ width, heightPx, days, layers, bucketDays, lifted }} />,
    [width, heightPx, days, layers, bucketDays, lifted],
  );
  const choose = (one: number, other: number) =>
    onChoose({ start: Math.min(one, other), end: Math.max(one, other) + 1 });
  const dayUnder = ({ clientX, currentTarget }: TargetedPointerEvent<HTMLElement>) =>
    dayAt(days.length, width, clientX - currentTarget.getBoundingClientRect().left);
  const press = (event: TargetedPointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    const handle = event.target instanceof Element ? event.target.getAttribute("aria-label") : "";
    const others: Readonly<Record<string, number>> = {
      [FIRST]: range.end - 1,
      [LAST]: range.start,
    };
    const fixed = others[handle ?? ""];
    dragged.current = fixed ?? dayUnder(event);
    event.currentTarget.setPointerCapture(event.pointerId);
    if (fixed === undefined) choose(dragged.current, dragged.current);
  };
  const move = (event: TargetedPointerEvent<HTMLElement>) => {
    const day = dayUnder(event);
    if (dragged.current !== null) choose(dragged.current, day);
    showTooltip(bucketLines(props, day), event.clientX, event.clientY);
  };
  const release = () => {
    dragged.current = null;
  };
  const slide = (event: TargetedKeyboardEvent<HTMLElement>, day: number, fixed: number) => {
    const next = dayAfterKey(event.key, day, days.length);
    if (next === undefined && event.key !== "Escape") return;
    if (next === undefined) onChoose(null);
    else choose(next, fixed);
    event.preventDefault();
  };
  const [left, right] = [range.start, range.end].map((day) => dayLeft(days.length, width, day));
  const handle = (name: string, day: number, x = 0, fixed: number) => (
    <div
      class="brush-handle"
      role="slider"
      tabIndex={0}
      aria-label={name}
      aria-valuemin={1}
      aria-valuemax={days.length}
      aria-valuenow={day + 1}
      aria-valuetext={dayText(days[day] ?? "")}
      style={{ left: `${(x / Math.max(1, width)) * 100}%` }}
      onKeyDown={(event) => slide(event, day, fixed)}
    />
  );
  return (
    <div
      ref={frame}
      class={lifted === undefined ? "timeline" : "timeline lifting"}
      onPointerDown={press}
      onPointerMove={move}
      onPointerUp={release}
      onPointerCancel={release}
      onPointerLeave={hideTooltip}
    >
      <svg role="img" aria-label={label} viewBox={`0 0 ${width} ${heightPx}`}>
        {drawing}
        <path class="shade" d={shade(width, heightPx, left, right)} />
      </svg>
      {handle(FIRST, range.start, left, range.end - 1)}
      {handle(LAST, range.end - 1, right, range.start)}
    </div>
  );
}

const FIRST = "First day";
const LAST = "Last day";

/** Returns the width of an element in pixels, and follows it; 0 before the element is shown. */
function useWidth(element: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      const now = Math.round(entry?.contentRect.width ?? 0);
      if (now > 0) setWidth(now);
    });
    if (element.current !== null) observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return width;
}

/** The x position at which a day begins, in pixels; `days` gives the end of the last day. */
function dayLeft(days: number, width: number, day: number): number {
  return margin.left + ((width - margin.left - margin.right) * day) / Math.max(1, days);
}

function dayAt(days: number, width: number, x: number): number {
  const day = Math.floor(((x - margin.left) / (width - margin.left - margin.right)) * days);
  return Math.min(days - 1, Math.max(0, day));
}

/** Covers the days that are not chosen. */
function shade(width: number, heightPx: number, left = 0, right = 0): string {
  const box = (from: number, to: number) =>
    to - from > 0.5 ? `M${from} ${margin.top}H${to}V${heightPx - margin.bottom}H${from}z` : "";
  return box(margin.left, left) + box(right, width - margin.right);
}

type PlotParts = Pick<TimelineProps, "heightPx" | "days" | "bucketDays" | "layers" | "lifted"> & {
  readonly width: number;
};

/** Stacked bars with their axes. */
function Plot({ plot }: { readonly plot: PlotParts }) {
  const { heightPx, width, layers, lifted } = plot;
  const max = Math.max(...layers.flatMap(({ spans }) => spans.map(([, high]) => high)));
  const scale = valueScale(max, heightPx - margin.bottom, margin.top, 4);
  return (
    <>
      <ValueAxis scale={scale} left={margin.left} right={width - margin.right} />
      {layers.map((layer, index) => (
        <path
          key={index}
          class={index === lifted ? "layer lifted" : "layer"}
          style={toneStyle(layer.tone)}
          d={bars(plot, layer, scale)}
        />
      ))}
      <DayAxis plot={plot} />
    </>
  );
}

function bars({ bucketDays, days, width }: PlotParts, layer: TimelineLayer, scale: ValueScale) {
  let path = "";
  layer.spans.forEach(([low, high], bucket) => {
    if (high <= low) return;
    const left = dayLeft(days.length, width, bucket * bucketDays);
    const right = dayLeft(days.length, width, Math.min(days.length, (bucket + 1) * bucketDays));
    const gap = right - left > 4 ? 1 : 0;
    const y = (value: number) => scale.y(value).toFixed(1);
    path += `M${left.toFixed(1)} ${y(low)}V${y(high)}H${(right - gap).toFixed(1)}V${y(low)}z`;
  });
  return path;
}

function DayAxis({ plot: { days, width, heightPx } }: { readonly plot: PlotParts }) {
  const labelsMax = Math.max(2, Math.floor(width / LABEL_PX));
  const every = Math.max(1, Math.ceil(days.length / labelsMax));
  const form = days.length > 400 ? "month" : "short";
  return days.map((day, index) => {
    const x = dayLeft(days.length, width, index);
    if (index % every > 0 || (x + LABEL_PX / 2 > width && index > 0)) return null;
    return (
      <text key={day} class="tick" x={x} y={heightPx - 6}>
        {dayText(day, form)}
      </text>
    );
  });
}

function bucketLines({ days, bucketDays, layers }: TimelineProps, day: number): readonly string[] {
  const bucket = Math.floor(day / bucketDays);
  const first = days[bucket * bucketDays] ?? "";
  const last = days[Math.min(days.length, (bucket + 1) * bucketDays) - 1] ?? "";
  const title = bucketDays === 1 ? dayText(first, "weekday") : daysText(first, last);
  const lines = layers.flatMap(({ name, spans }) => {
    const [low, high] = spans[bucket] ?? [0, 0];
    return high > low ? [`${formatCount(high - low)}  ${name}`] : [];
  });
  const total = layers.at(-1)?.spans[bucket]?.[1] ?? 0;
  const all = layers.length > 1 ? [`${formatCount(total)}  events`] : [];
  return [title, ...all, ...lines.slice(0, TOOLTIP_LINES_MAX)];
}

/** Moves of keys, in days. */
const moves: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -7,
  PageUp: 7,
  Home: -Infinity,
  End: Infinity,
};

function dayAfterKey(key: string, day: number, days: number): number | undefined {
  const move = moves[key];
  return move === undefined ? undefined : Math.min(days - 1, Math.max(0, day + move));
}

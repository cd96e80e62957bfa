import type { Report } from "../../../../profile/report.js";
import { type EventSeries, eventBuckets } from "../event-series.js";

/** What lies on top of what in the timeline. */
export interface Layer {
  /** Place in `Report.events`; absent for all other names together. */
  readonly event?: number;
  readonly values: Float64Array;
  /** From where to where it reaches in each bucket, in events. */
  readonly spans: readonly (readonly [low: number, high: number])[];
}

/** Names that have a layer of their own. */
export const LAYERS_MAX = 8;

/** The events of each bucket of days by name: the most frequent ones, and the rest together. */
export function layersOf(
  report: Pick<Report, "days" | "events">,
  series: EventSeries,
  bucketDays: number,
): readonly Layer[] {
  const days = report.days.length;
  const rest = new Float64Array(Math.ceil(days / bucketDays));
  report.days.forEach(({ events }, day) => {
    const bucket = Math.floor(day / bucketDays);
    rest[bucket] = (rest[bucket] ?? 0) + events;
  });
  const named = report.events.slice(0, LAYERS_MAX).map((_, event) => {
    const values = eventBuckets(series, event, days, bucketDays);
    for (let bucket = 0; bucket < rest.length; bucket++) {
      rest[bucket] = Math.max(0, (rest[bucket] ?? 0) - (values[bucket] ?? 0));
    }
    return { event, values };
  });
  const all = rest.some((events) => events > 0) ? [...named, { values: rest }] : named;
  return stacked(all);
}

/** Each layer begins where the one below it ends. */
function stacked(layers: readonly Omit<Layer, "spans">[]): readonly Layer[] {
  const heights = new Float64Array(layers[0]?.values.length ?? 0);
  return layers.map((layer) => ({
    ...layer,
    spans: Array.from(layer.values, (value, bucket) => {
      const low = heights[bucket] ?? 0;
      heights[bucket] = low + value;
      return [low, low + value] as const;
    }),
  }));
}

/** The same as one layer: a single event's days. */
export function singleLayer(values: Float64Array, event: number): readonly Layer[] {
  return stacked([{ event, values }]);
}

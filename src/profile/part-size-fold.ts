import { ROW_BUFFER_DAYS_MAX } from "../base/limits.js";
import type { SplitProfile } from "./split-profile.js";

/** Sums over the splits that measured a part with the same number of events. */
interface MeasuredPart {
  jsonBytes: number;
  partBytes: number;
  splits: number;
}

/** Adds up the sizes of parts that splits measured, and estimates the size of an export from them. */
export class PartSizeFold {
  readonly #parts: MeasuredPart[] = [];
  #partsOfSplits = 0;

  add({ events, partSizes = [] }: Pick<SplitProfile, "events" | "partSizes">): void {
    // A split with more days spills its rows, which are merged into one part for each day.
    const days = events.days.length;
    this.#partsOfSplits += days > ROW_BUFFER_DAYS_MAX ? 0 : days;
    for (const [index, [jsonBytes, partBytes]] of partSizes.entries()) {
      const part = this.#parts[index] ?? { jsonBytes: 0, partBytes: 0, splits: 0 };
      this.#parts[index] = part;
      part.jsonBytes += jsonBytes;
      part.partBytes += partBytes;
      part.splits++;
    }
  }

  /** Returns the bytes of an export of `jsonBytes` bytes of JSON lines on `days` days. */
  estimate(jsonBytes: number, days: number): number {
    const parts = Math.max(1, days, this.#partsOfSplits);
    return parts * this.#partBytes(jsonBytes / parts);
  }

  /** Interpolates between the measured parts; extrapolates from the last two beyond the largest. */
  #partBytes(jsonBytes: number): number {
    const means = this.#parts.map((part) => ({
      json: part.jsonBytes / part.splits,
      part: part.partBytes / part.splits,
    }));
    const [first] = means;
    if (first === undefined) return 0;
    const found = means.findIndex(({ json }) => json >= jsonBytes);
    const upper = Math.max(1, found < 0 ? means.length - 1 : found);
    const [low, high] = [means[upper - 1] ?? first, means[upper]];
    if (high === undefined || high.json <= low.json) return (first.part / first.json) * jsonBytes;
    const slope = (high.part - low.part) / (high.json - low.json);
    return Math.max(0, low.part + slope * (jsonBytes - low.json));
  }
}

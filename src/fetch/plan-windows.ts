import { sum } from "../base/sum.js";
import type { RequestsPerTime } from "./request-limit.js";
import type { Vendor } from "./vendor.js";
import type { WindowRecord } from "./window-files.js";
import { cutWindow, missingWindows, type Window } from "./windows.js";

interface WindowTask {
  readonly vendor: Vendor;
  readonly span: Window;
  /** Windows that are there are asked for again from this time on, in ms since 1970. */
  readonly recheckFrom?: number;
}

/** Returns the windows that nobody has fetched, in order. `begun`: those whose job works stay as they are. */
export function windowsToFetch(
  { vendor, span }: WindowTask,
  known: readonly Window[],
  begun: readonly Window[],
): readonly Window[] {
  const jobs = begun.filter(({ start, end }) => start < span.end && end > span.start);
  const missing = missingWindows(span, [...known, ...jobs], vendor.longestMs);
  return [...missing, ...jobs].sort((one, other) => one.start - other.start);
}

/** Returns the parts of windows that may have got events since. */
export function windowsToRecheck(
  { vendor, span, recheckFrom }: WindowTask,
  records: readonly WindowRecord[],
): readonly Window[] {
  if (recheckFrom === undefined) return [];
  const { keyOf, unitMs } = vendor;
  const from = Math.floor(recheckFrom / unitMs) * unitMs;
  return recordsIn(records, span)
    .filter(({ end, files }) => end > from && (keyOf !== undefined || files.length === 0))
    .map(({ start, end }) => ({ start: keyOf ? Math.max(start, from) : start, end }));
}

/** Returns the records that a span overlaps, in order. */
export function recordsIn(
  records: Iterable<WindowRecord>,
  { start, end }: Window,
): readonly WindowRecord[] {
  return [...records]
    .filter((record) => record.end > start && record.start < end)
    .sort((one, other) => one.start - other.start);
}

/** Returns windows as they are asked for if all answers are small: at first short ones, each twice the last. */
export function growingWindows(
  windows: readonly Window[],
  { firstMs, longestMs, answerBytes }: Vendor,
): readonly Window[] {
  if (answerBytes === undefined) return windows;
  const parts: Window[] = [];
  let longest = firstMs;
  for (const window of windows) {
    for (let rest: Window | undefined = window; rest !== undefined; ) {
      const [part, others]: readonly [Window, Window | undefined] = cutWindow(rest, longest);
      parts.push(part);
      longest = Math.min(longestMs, 2 * Math.max(longest, part.end - part.start));
      rest = others;
    }
  }
  return parts;
}

/** Returns how many windows these become if each is of the shortest length. */
export function unitsOf(windows: readonly Window[], unitMs: number): number {
  return sum(windows, ({ start, end }) => Math.ceil((end - start) / unitMs));
}

/** Returns the least time between the first and the last of these requests. */
export function leastMsOf(requests: number, limits: readonly RequestsPerTime[]): number {
  const full = (limit: RequestsPerTime) => Math.floor((requests - 1) / limit.requests) * limit.ms;
  return Math.max(0, ...limits.map(full));
}

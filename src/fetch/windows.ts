/** A span of time whose events one request asks for. Both in ms since 1970, whole units of the vendor. */
export interface Window {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/**
 * Returns the windows of a span that no known window covers, in order. Each is at most `longestMs` long, and
 * none crosses a multiple of it, so that another span gives the same windows where both overlap.
 */
export function missingWindows(
  span: Window,
  known: readonly Window[],
  longestMs: number,
): readonly Window[] {
  const missing: Window[] = [];
  const add = (start: number, end: number) => {
    for (let from = start; from < end; ) {
      const to = Math.min(end, (Math.floor(from / longestMs) + 1) * longestMs);
      missing.push({ start: from, end: to });
      from = to;
    }
  };
  let covered = span.start;
  for (const { start, end } of [...known].sort((one, other) => one.start - other.start)) {
    add(covered, Math.min(start, span.end));
    covered = Math.max(covered, end);
  }
  add(covered, span.end);
  return missing;
}

/** Returns the beginning of a window, at most `longestMs` long, and the rest if there is any. */
export function cutWindow(
  { start, end }: Window,
  longestMs: number,
): readonly [Window, Window | undefined] {
  const middle = start + longestMs;
  if (middle >= end) return [{ start, end }, undefined];
  return [
    { start, end: middle },
    { start: middle, end },
  ];
}

/** Returns half the length of a window of more than one unit, in whole units. */
export function halfOf({ start, end }: Window, unitMs: number): number {
  return Math.ceil((end - start) / unitMs / 2) * unitMs;
}

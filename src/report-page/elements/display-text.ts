import { formatCount } from "../../base/format-count.js";
import { formatShare } from "../../base/format-share.js";
import type { Estimate } from "../../profile/report.js";
import { formatBytes } from "../../report/quantities.js";
import { shown } from "../../ui/text.js";

/** `about 12,345 (± 1.6 %)`, or the bare number where it is exact. */
export function estimateText({ count, error }: Estimate): string {
  if (error === 0) return formatCount(count);
  return `about ${formatCount(count)} (${errorText({ count, error })})`;
}

/** A short form for narrow columns: `≈ 12,345`. */
export function shortEstimate({ count, error }: Estimate): string {
  return `${error === 0 ? "" : "≈ "}${formatCount(count)}`;
}

/** The error of an estimate; undefined if it is exact. */
export function errorText({ error }: Estimate): string | undefined {
  return error === 0 ? undefined : `± ${formatShare(error, 1)}`;
}

/** A time of the report, to the second: `2026-03-03 18:04:09`. */
export function timeText(time: string): string {
  return shown(time)
    .replace("T", " ")
    .replace(/(\.\d+)?Z$/, "");
}

/** A time as the value and note of a fact: the day, and `18:04:09 UTC`. */
export function timeParts(time: string): readonly [value: string, note: string] {
  const text = timeText(time);
  return [text.slice(0, 10), `${text.slice(11)} UTC`];
}

export function bytesRange(bytes: { readonly min: number; readonly max: number }): string {
  const { min, max } = bytes;
  return min === max ? formatBytes(min) : `${formatBytes(min)} – ${formatBytes(max)}`;
}

/** The position of a row: `events.jsonl, row 12, byte 3456`. */
export function positionText(position: {
  readonly source: string;
  readonly row?: number;
  readonly byte?: number;
  readonly element?: string;
}): string {
  const { source, row, byte, element } = position;
  const parts = [
    shown(source),
    row === undefined ? undefined : `row ${formatCount(row)}`,
    byte === undefined ? undefined : `byte ${formatCount(byte)}`,
    element === undefined ? undefined : `element ${element}`,
  ];
  return parts.filter((part) => part !== undefined).join(", ");
}

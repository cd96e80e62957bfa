import type { Difference } from "../pipeline/verify/verify-difference.js";
import { formatCount, formatNumberOf } from "./quantities.js";
import { cutEnd, harmless } from "./terminal-text.js";

const DIFFERENCES_SHOWN_MAX = 10;
const MESSAGE_COLUMNS_MAX = 320;

/** The first differences, and how many there are. Text from data is made harmless. */
export function describeDifferences(differences: readonly Difference[]): readonly string[] {
  const hidden = differences.length - DIFFERENCES_SHOWN_MAX;
  return [
    `${formatNumberOf(differences.length, "difference")}, the first one first`,
    ...differences
      .slice(0, DIFFERENCES_SHOWN_MAX)
      .map((one) => `  ${cutEnd(harmless(`${one.path}: ${one.message}`), MESSAGE_COLUMNS_MAX)}`),
    ...(hidden > 0 ? [`  and ${formatCount(hidden)} more; --json lists them all`] : []),
  ];
}

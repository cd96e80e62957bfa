import { formatCount, formatNumberOf } from "../quantities.js";
import type { Facts, Observation } from "./observation.js";
import { shareOf } from "./words.js";

/** Standard errors beyond which an estimate is more than noise. */
const ERRORS_MIN = 3;

/** Events whose insert id came before. */
export function findDuplicates({ rows }: Facts): readonly Observation[] {
  const { withInsertID, withinSplits, estimated, error } = rows.duplicates;
  const isSure = estimated > ERRORS_MIN * error;
  if (withinSplits === 0 && !isSure) return [];
  const count = isSure ? Math.max(estimated, withinSplits) : withinSplits;
  return [
    {
      code: "duplicates",
      title: `${isSure && error > 0 ? "About " : ""}${formatNumberOf(count, "event")} ${count === 1 ? "repeats" : "repeat"} an insert id`,
      detail:
        `${shareOf(count, withInsertID)} of the ${formatCount(withInsertID)} events that have one; ` +
        `${formatCount(withinSplits)} repeat one of the same split for sure. Overlapping exports do this: ` +
        "look for files that cover the same days twice. Nothing is left out for it: every row is " +
        "exported and sent, so take away the files that repeat others.",
      rows: Math.round(count),
    },
  ];
}

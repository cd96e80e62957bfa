import { describeCommas } from "../summary-parts.js";
import type { Facts, Observation } from "./observation.js";

/** JSON arrays with too many or too few commas between their rows. */
export function findMisplacedCommas({
  misplacedCommas,
}: Facts): Observation | readonly Observation[] {
  if (misplacedCommas === undefined) return [];
  return {
    code: "commas_misplaced",
    title: describeCommas(misplacedCommas),
    detail:
      "The rows around them are read as they are. Two commas in a row, a missing comma or one behind the last " +
      "row mean that the file was put together by hand or by a script: check that no row was lost there.",
    rows: 0,
  };
}

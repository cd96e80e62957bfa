import { formatCount } from "../base/format-count.js";
import type { QuickReport, Report } from "../profile/report.js";

type Figure = QuickReport["rows"]["read"];

/** Rows of the whole inputs below which a sample misses them in one of twenty cases: 3 / share. */
const MISSED_ROWS = 3;

/** Says what a sample of `share` of the bytes cannot tell. */
export function describeUnknown(
  { isExact, beginnings, days }: Omit<QuickReport, "unknown">,
  share: number,
): readonly string[] {
  if (isExact) return [];
  const rows = formatCount(twoDigits(MISSED_ROWS / share));
  const [first, last] = [days[0], days.at(-1)];
  return [
    "A sample does not find repeated events, and does not count distinct users and devices.",
    `An event name, a day or a reason of rejects with fewer than about ${rows} rows may be missing. With more, if its rows are next to each other, it may be missing or beyond its error.`,
    ...(first === undefined || last === undefined
      ? []
      : [`Events may begin before ${first.day} and end after ${last.day}.`]),
    ...(beginnings === 0
      ? []
      : [
          `Only the beginning of ${beginnings === 1 ? "1 input or row group that is" : `${formatCount(beginnings)} inputs or row groups that are`} too large to be read as a whole was read: the errors hold if the rest is like it.`,
        ]),
  ];
}

/** `about 1,204,000 ± 3,100`; an exact number as it is. */
export function figureText({ count, error }: Figure): string {
  if (error === 0) return formatCount(count);
  if (error === null) return `about ${formatCount(twoDigits(count))} (error unknown)`;
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(error)) - 1);
  const shown = Math.ceil(error / unit) * unit;
  return `about ${formatCount(Math.round(count / unit) * unit)} ± ${formatCount(shown)}`;
}

/** Describes the estimates of a quick dry run: label and text of each line; empty for other runs. */
export function quickLines({
  sample: { quick },
}: Pick<Report, "sample">): readonly (readonly [label: string, text: string])[] {
  if (quick === undefined) return [];
  if (quick.isExact)
    return [["quick", "the inputs are small: all rows were read, and figures are exact"]];
  const { rows, rejects, events, unknown, confidence } = quick;
  const parts = [
    `${figureText(rows.read)} rows`,
    `${figureText(rows.mapped)} events`,
    ...(rows.rejected.count > 0 ? [`${figureText(rows.rejected)} rejected`] : []),
    ...(rows.filtered.count > 0 ? [`${figureText(rows.filtered)} filtered`] : []),
  ];
  const listed = <Item>(items: readonly Item[], textOf: (item: Item) => string) =>
    [
      ...items.slice(0, SHOWN_MAX).map(textOf),
      ...(items.length > SHOWN_MAX ? [`${formatCount(items.length - SHOWN_MAX)} more`] : []),
    ].join(", ");
  return [
    [
      "estimate",
      `${parts.join(", ")} in all inputs (${confidence * 100} % confidence for all figures together)`,
    ],
    ...(events.length === 0
      ? []
      : [["", listed(events, (one) => `${one.event} ${figureText(one.rows)}`)] as const]),
    ...(rejects.length === 0
      ? []
      : [["", listed(rejects, (one) => `${one.code} ${figureText(one.rows)}`)] as const]),
    ...unknown.map((text, index) => [index === 0 ? "unknown" : "", text] as const),
  ];
}

const SHOWN_MAX = 4;

function twoDigits(count: number): number {
  return Number(count.toPrecision(2));
}

import { formatCount } from "../../base/format-count.js";
import { formatShare } from "../../base/format-share.js";
import { sum } from "../../base/sum.js";
import type { Comparison } from "../../profile/report.js";
import { formatNumberOf } from "../quantities.js";

/** Items of a list that a summary names. */
const SHOWN_MAX = 4;

/** Differences of one kind: what differs, and how. Texts of data are as they are. */
interface ComparedTable {
  readonly label: string;
  readonly caption: string;
  readonly total: number;
  readonly rows: readonly (readonly [what: string, change: string])[];
}

/** Returns the differences of two reports, a table for each kind that has some. */
export function comparedTables(comparison: Comparison): readonly ComparedTable[] {
  const { verdict, rows, rejects, findings } = comparison;
  const tables: readonly ComparedTable[] = [
    table("verdict", "Verdict", verdict === undefined ? [] : [["was", verdict.before.sentence]]),
    table(
      "rows",
      "Rows",
      rows.map(({ figure, ...volume }) => [figure, volumeText(volume)]),
    ),
    table(
      "rejects",
      "Rejected rows",
      rejects.map(({ code, ...volume }) => [code, volumeText(volume)]),
    ),
    table(
      "findings",
      "Findings",
      (["came", "went"] as const).flatMap((way) =>
        findings[way].map(({ code, title }) => [`${words[way]} ${code}`, title] as const),
      ),
    ),
    ...listTables(comparison),
  ];
  return tables.filter(({ rows: items }) => items.length > 0);
}

const words = { came: "new", went: "gone", changed: "changed" } as const;

function listTables({ events, fields, days }: Comparison): readonly ComparedTable[] {
  const counted = (count: number, word: string) => `${word}, ${formatNumberOf(count, "event")}`;
  const ways = ["came", "went"] as const;
  return [
    {
      label: "events",
      caption: "Event names",
      total: totalOf(events),
      rows: [
        ...ways.flatMap((way) =>
          events[way].items.map((one) => [one.event, counted(one.rows, words[way])] as const),
        ),
        ...events.changed.items.map(({ event, ...one }) => [event, volumeText(one)] as const),
      ],
    },
    {
      label: "fields",
      caption: "Fields",
      total: totalOf(fields),
      rows: [
        ...ways.flatMap((way) =>
          fields[way].items.map((one) => [fieldText(one), counted(one.rows, words[way])] as const),
        ),
        ...fields.changed.items.map(({ of, key, event, before, after }) => {
          const name = `${of}.${key}${event === undefined ? "" : ` of ${event}`}`;
          return [name, `filled ${formatShare(before, 1)} → ${formatShare(after, 1)}`] as const;
        }),
      ],
    },
    {
      label: "days",
      caption: "Days",
      total: totalOf(days),
      rows: [
        ...ways.flatMap((way) =>
          days[way].items.map((one) => [one.day, counted(one.events, words[way])] as const),
        ),
        ...days.changed.items.map(({ day, ...one }) => [day, volumeText(one)] as const),
      ],
    },
  ];
}

/** Describes the first differences of each kind, a line for each kind. */
export function comparedLines(comparison: Comparison): readonly ComparedLine[] {
  return comparedTables(comparison).map(({ label, total, rows }) => {
    const texts = rows.slice(0, SHOWN_MAX).map(([what, change]) => `${what} ${change}`);
    const more = total - texts.length;
    const rest = more > 0 ? [`and ${formatCount(more)} more`] : [];
    return [label, [...texts, ...rest].join("; ")];
  });
}

type ComparedLine = readonly [label: string, text: string];

function table(label: string, caption: string, rows: ComparedTable["rows"]): ComparedTable {
  return { label, caption, total: rows.length, rows };
}

function totalOf(lists: Comparison["events"] | Comparison["fields"] | Comparison["days"]): number {
  return sum([lists.came, lists.went, lists.changed], ({ total }) => total);
}

/** `1,000 → 1,200 (20.0 % more)`. */
function volumeText({
  before,
  after,
}: {
  readonly before: number;
  readonly after: number;
}): string {
  const counts = `${formatCount(before)} → ${formatCount(after)}`;
  if (before === 0) return counts;
  const share = formatShare(Math.abs(after - before), before);
  return `${counts} (${share} ${after < before ? "less" : "more"})`;
}

/** `metadata.price of Purchase and 3 more names`. */
function fieldText({
  of,
  key,
  events: [first],
  eventsTotal,
}: Comparison["fields"]["came"]["items"][number]): string {
  if (first === undefined) return `${of}.${key}`;
  const more = eventsTotal > 1 ? ` and ${formatCount(eventsTotal - 1)} more` : "";
  return `${of}.${key} of ${first}${more}`;
}

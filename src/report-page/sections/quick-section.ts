import type { QuickReport, Report } from "../../profile/report.js";
import { figureText } from "../../report/quick-text.js";
import { lead, section } from "../elements/blocks.js";
import { DataTable, textColumn } from "../elements/data-table.js";
import { shown } from "../elements/display-text.js";
import { element } from "../elements/element.js";

type Row = readonly [kind: string, name: string, figure: QuickReport["rows"]["read"]];

/** Shows what a sample says of all inputs; nothing for a report without estimates. */
export function quickSection({ sample: { quick } }: Report): HTMLElement | null {
  if (quick === undefined) return null;
  const { isExact, confidence, unknown, ...figures } = quick;
  const about = isExact
    ? "The inputs are small: all rows were read, and all figures are exact."
    : `Estimated from a sample. With ${confidence * 100} % confidence, all exact numbers are within these errors.`;
  return section(
    "estimates",
    "All inputs",
    lead(about),
    new DataTable<Row>({
      caption: "Estimates for all inputs",
      nouns: ["figure", "figures"],
      rows: rowsOf(figures),
      searchText: ([kind, name]) => `${kind} ${name}`.toLowerCase(),
      columns: [
        textColumn<Row>("Name", ([, name]) => name, "name"),
        textColumn<Row>("Of", ([kind]) => kind),
        { heading: "Number", isNumber: true, cell: ([, , figure]) => figureText(figure) },
      ],
    }).element,
    unknown.length === 0 ? null : lead("What the sample cannot tell:"),
    unknown.length === 0
      ? null
      : element("ul", {}, ...unknown.map((text) => element("li", {}, shown(text)))),
  );
}

function rowsOf({
  rows,
  rejects,
  events,
  days,
}: Pick<QuickReport, "rows" | "rejects" | "events" | "days">): readonly Row[] {
  return [
    ...(["read", "mapped", "rejected", "filtered"] as const).map(
      (name): Row => ["rows", name, rows[name]],
    ),
    ...rejects.map(({ code, rows: figure }): Row => ["rejects", code, figure]),
    ...events.map(({ event, rows: figure }): Row => ["event names", event, figure]),
    ...days.map(({ day, events: figure }): Row => ["days", day, figure]),
  ];
}

import type { QuickReport } from "../../profile/report.js";
import { figureText } from "../../report/quick-text.js";
import { DataTable, type TableColumn, textColumn } from "../../ui/data-table.js";
import { Section } from "../../ui/section.js";
import type { ReportProps } from "../elements/view-state.js";
import { Unknown } from "./comparison-section.js";

type Row = readonly [kind: string, name: string, figure: QuickReport["rows"]["read"]];

const columns: readonly TableColumn<Row>[] = [
  textColumn("Name", ([, name]) => name, "name"),
  textColumn("Of", ([kind]) => kind),
  { heading: "Number", isNumber: true, cell: ([, , figure]) => figureText(figure) },
];

/** Estimates of all inputs from a sample; nothing for a report without estimates. */
export function QuickSection({ report }: ReportProps) {
  const { quick } = report.sample;
  if (quick === undefined) return null;
  const about = quick.isExact
    ? "The inputs are small: all rows were read, and all figures are exact."
    : `Estimated from a sample. With ${quick.confidence * 100} % confidence, all exact numbers are within these errors.`;
  return (
    <Section id="estimates" title="All inputs" lead={about}>
      <DataTable<Row>
        caption="Estimates for all inputs"
        nouns={["figure", "figures"]}
        rows={rowsOf(quick)}
        searchText={([kind, name]) => `${kind} ${name}`.toLowerCase()}
        columns={columns}
      />
      <Unknown lead="What the sample cannot tell:" texts={quick.unknown} />
    </Section>
  );
}

function rowsOf({ rows, rejects, events, days }: QuickReport): readonly Row[] {
  return [
    ...(["read", "mapped", "rejected", "filtered"] as const).map(
      (name): Row => ["rows", name, rows[name]],
    ),
    ...rejects.map(({ code, rows: figure }): Row => ["rejects", code, figure]),
    ...events.map(({ event, rows: figure }): Row => ["event names", event, figure]),
    ...days.map(({ day, events: figure }): Row => ["days", day, figure]),
  ];
}

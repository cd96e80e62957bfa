import { comparedTables } from "../../report/comparison/comparison-text.js";
import { DataTable, type TableColumn, textColumn } from "../../ui/data-table.js";
import { Section } from "../../ui/section.js";
import { shown } from "../../ui/text.js";
import { timeText } from "../elements/display-text.js";
import type { ReportProps } from "../elements/view-state.js";

type Row = ReturnType<typeof comparedTables>[number]["rows"][number];

const columns: readonly TableColumn<Row>[] = [
  textColumn("What", ([what]) => what, "name"),
  textColumn("Change", ([, change]) => change),
];

/** Differences from an earlier report; nothing without one. */
export function ComparisonSection({ report: { comparison } }: ReportProps) {
  if (comparison === undefined) return null;
  const { earlier, unknown } = comparison;
  const { file, version, startedAt } = earlier;
  const date = startedAt === null ? "" : ` of ${timeText(startedAt).slice(0, 16)} UTC`;
  const tables = comparedTables(comparison);
  return (
    <Section
      id="comparison"
      title="Changes"
      lead={`Compared with ${shown(file)}${date}, Switchyard ${shown(version)}.`}
    >
      {tables.length === 0 && <p class="none">No differences were found.</p>}
      {tables.map(({ caption, total, rows }) => (
        <DataTable<Row>
          key={caption}
          caption={
            total > rows.length ? `${caption} (the first ${rows.length} of ${total})` : caption
          }
          nouns={["difference", "differences"]}
          rows={rows}
          searchText={(row) => row.join(" ").toLowerCase()}
          columns={columns}
        />
      ))}
      <Unknown lead="What the two reports cannot tell:" texts={unknown} />
    </Section>
  );
}

interface UnknownProps {
  readonly lead: string;
  readonly texts: readonly string[];
}

/** Limits of the figures. */
export function Unknown({ lead, texts }: UnknownProps) {
  if (texts.length === 0) return null;
  return (
    <>
      <p class="lead">{lead}</p>
      <ul>
        {texts.map((text) => (
          <li key={text}>{shown(text)}</li>
        ))}
      </ul>
    </>
  );
}

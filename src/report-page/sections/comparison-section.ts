import type { Report } from "../../profile/report.js";
import { comparedTables } from "../../report/comparison/comparison-text.js";
import { lead, none, section } from "../elements/blocks.js";
import { DataTable, textColumn } from "../elements/data-table.js";
import { shown, timeText } from "../elements/display-text.js";
import { element } from "../elements/element.js";

/** Shows what has changed since an earlier report; nothing without one. */
export function comparisonSection({ comparison }: Report): HTMLElement | null {
  if (comparison === undefined) return null;
  const { earlier, unknown } = comparison;
  const { file, version, startedAt } = earlier;
  const date = startedAt === null ? "" : ` of ${timeText(startedAt).slice(0, 16)} UTC`;
  const tables = comparedTables(comparison);
  return section(
    "comparison",
    "Changes",
    lead(`Compared with ${shown(file)}${date}, Switchyard ${shown(version)}.`),
    tables.length === 0 ? none("No differences were found.") : null,
    ...tables.map(({ caption, total, rows }) => {
      const more =
        total > rows.length ? `${caption} (the first ${rows.length} of ${total})` : caption;
      type Row = (typeof rows)[number];
      return new DataTable<Row>({
        caption: more,
        nouns: ["difference", "differences"],
        rows,
        searchText: (row) => row.join(" ").toLowerCase(),
        columns: [
          textColumn<Row>("What", ([what]) => what, "name"),
          textColumn<Row>("Change", ([, change]) => change),
        ],
      }).element;
    }),
    unknown.length === 0 ? null : lead("What the two reports cannot tell:"),
    unknown.length === 0
      ? null
      : element("ul", {}, ...unknown.map((text) => element("li", {}, shown(text)))),
  );
}

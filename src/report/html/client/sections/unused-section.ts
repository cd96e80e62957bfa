import type { Report } from "../../../../profile/report.js";
import { lead, none, section } from "../blocks.js";
import { DataTable } from "../data-table.js";
import { shown } from "../display-text.js";
import { element } from "../element.js";
import { fillBar } from "./property-table.js";

/** Source fields that no target of the mapping uses, and how often they have a value. */
export function unusedSection({ unusedFields }: Report): HTMLElement {
  const heading = "Unused source fields";
  if (unusedFields.length === 0) {
    return section(
      "unused-fields",
      heading,
      none("The mapping uses every field of the sampled rows."),
    );
  }
  const table = new DataTable({
    caption: "Fields without a target, and the share of sampled rows that have a value",
    nouns: ["field", "fields"],
    rows: unusedFields,
    searchText: ({ field }) => field.toLowerCase(),
    columns: [
      {
        heading: "Field",
        className: "name",
        cell: ({ field }) => element("code", {}, shown(field)),
        sortValue: ({ field }) => field,
      },
      { heading: "Filled", cell: ({ share }) => fillBar(share), sortValue: ({ share }) => share },
    ],
  });
  const advice =
    "Their values are in no event. To keep one, name it in metadata or user of the mapping.";
  return section("unused-fields", heading, lead(advice), table.element);
}

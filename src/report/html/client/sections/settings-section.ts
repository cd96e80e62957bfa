import type { Report } from "../../../../profile/report.js";
import { formatBytes, formatCount, formatNumberOf } from "../../../quantities.js";
import { DataTable, plainTable } from "../data-table.js";
import { element } from "../element.js";
import { shown } from "../words.js";
import { disclosure, lazyDisclosure, none, section } from "./section.js";

type Source = Report["inputs"]["sources"][number];

/** What the dry run was given: inputs, configuration, and the limits that lists were cut at. */
export function settingsSection(report: Report): HTMLElement {
  const { configuration, limits, inputs } = report;
  const text = JSON.stringify(configuration, null, 2).split("\n").map(shown).join("\n");
  const caps = Object.entries(limits).map(([name, limit]) => [
    element("code", {}, shown(name)),
    formatCount(limit),
  ]);
  const failed = inputs.sources.filter(({ failure }) => failure !== undefined);
  const further = inputs.sourcesTotal - inputs.sources.length;
  return section(
    "settings",
    "Inputs and configuration",
    failed.length === 0
      ? null
      : sourceTable("Sources that could not be read to their end", failed).element,
    lazyDisclosure(
      `All ${formatNumberOf(inputs.sources.length, "source")}`,
      () => sourceTable("Sources", inputs.sources).element,
    ),
    further > 0 ? none(`${formatNumberOf(further, "further source")} beyond the limit.`) : null,
    disclosure(
      "Configuration of this run",
      element("pre", { tabindex: 0, role: "region", "aria-label": "Configuration" }, text),
    ),
    disclosure(
      "Limits of this report",
      element("p", {}, "Lists end here; what lies beyond is counted, never dropped in silence."),
      plainTable("Limits", ["Limit", "Value"], caps, [1]),
    ),
  );
}

function sourceTable(caption: string, sources: readonly Source[]): DataTable<Source> {
  return new DataTable<Source>({
    caption,
    nouns: ["source", "sources"],
    rows: sources,
    searchText: ({ name }) => name.toLowerCase(),
    columns: [
      {
        heading: "Source",
        className: "name",
        cell: ({ name }) => shown(name),
        sortValue: ({ name }) => name,
      },
      { heading: "Format", cell: ({ format }) => shown(format), sortValue: ({ format }) => format },
      {
        heading: "Size",
        isNumber: true,
        cell: ({ bytes }) => formatBytes(bytes),
        sortValue: ({ bytes }) => bytes,
      },
      {
        heading: "Read",
        cell: ({ failure }) =>
          failure === undefined
            ? "to its end"
            : element(
                "span",
                {},
                element("strong", {}, `${shown(failure.code)}: `),
                shown(failure.message),
              ),
        sortValue: ({ failure }) => failure?.code ?? "",
      },
    ],
  });
}

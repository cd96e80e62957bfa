import type { Report, ReportEstimates } from "../../profile/report.js";
import { configurationLine } from "../../report/findings/configuration-fixes.js";
import { formatBytes, formatCount, formatNumberOf } from "../../report/quantities.js";
import {
  disclosure,
  lazyDisclosure,
  lead,
  none,
  preformatted,
  section,
} from "../elements/blocks.js";
import { DataTable, numberColumn, plainTable, textColumn } from "../elements/data-table.js";
import { shown } from "../elements/display-text.js";
import { element } from "../elements/element.js";

type ShownEvent = ReportEstimates["qualifyingEvents"][number];

/** Qualifying events that would be created. */
export function qualifyingSection({ estimates }: Report): HTMLElement {
  const { qualifyingEvents } = estimates;
  const refused = qualifyingEvents.filter((event) => event.refused !== undefined);
  const created = formatNumberOf(qualifyingEvents.length - refused.length, "qualifying event");
  const but = refused.length > 0 ? `, and refuse ${formatCount(refused.length)}` : "";
  return section(
    "qualifying-events",
    "Qualifying events",
    lead(`switchyard qualify would create ${created}${but}.`),
    refused.length > 0 && table("Refused qualifying events", refused),
    qualifyingEvents.length > 0 &&
      lazyDisclosure("All qualifying events", () =>
        table("Qualifying events by name", qualifyingEvents),
      ),
  );
}

function table(caption: string, qualifyingEvents: readonly ShownEvent[]): HTMLElement {
  return new DataTable<ShownEvent>({
    caption,
    nouns: ["qualifying event", "qualifying events"],
    rows: qualifyingEvents,
    searchText: ({ name, event }) => `${name} ${event}`.toLowerCase(),
    columns: [
      textColumn<ShownEvent>("Name", ({ name }) => name, "name"),
      textColumn<ShownEvent>("Event", ({ event }) => event),
      {
        heading: "Outcome",
        cell: ({ refused: reason }) =>
          reason === undefined
            ? "created"
            : element("span", {}, element("strong", {}, "refused: "), shown(reason)),
        sortValue: ({ refused: reason }) => reason ?? "",
      },
    ],
  }).element;
}

type RunSource = Report["inputs"]["sources"][number];

/** Inputs, configuration, and the limits of lists. */
export function settingsSection(report: Report): HTMLElement {
  const { configuration, limits, inputs } = report;
  const text = configurationLines(configuration).map(shown).join("\n");
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
      : sourceTable("Sources that could not be read completely", failed).element,
    lazyDisclosure(
      `All ${formatNumberOf(inputs.sources.length, "source")}`,
      () => sourceTable("Sources", inputs.sources).element,
    ),
    further > 0
      ? none(
          `${formatNumberOf(further, "further source")} beyond the limit ${further === 1 ? "is" : "are"} not listed.`,
        )
      : null,
    disclosure("Configuration of this run", preformatted("Configuration", text)),
    lazyDisclosure("Limits of this report", () =>
      plainTable(
        "Lists end at these limits; what is beyond is counted",
        ["Limit", "Value"],
        caps,
        [1],
      ),
    ),
  );
}

/** One line for each option, and one for each target of the mapping. */
function configurationLines(configuration: Report["configuration"]): readonly string[] {
  return Object.entries(configuration).flatMap(([name, value]) =>
    name === "mapping" && typeof value === "object" && value !== null
      ? Object.entries(value).map(([target, source]) => configurationLine([name, target], source))
      : [configurationLine([name], value)],
  );
}

function sourceTable(caption: string, sources: readonly RunSource[]): DataTable<RunSource> {
  return new DataTable<RunSource>({
    caption,
    nouns: ["source", "sources"],
    rows: sources,
    searchText: ({ name }) => name.toLowerCase(),
    columns: [
      textColumn<RunSource>("Source", ({ name }) => name, "name"),
      textColumn<RunSource>("Format", ({ format }) => format),
      numberColumn<RunSource>("Size", ({ bytes }) => bytes, formatBytes),
      {
        heading: "Read",
        cell: ({ failure }) =>
          failure === undefined
            ? "completely"
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

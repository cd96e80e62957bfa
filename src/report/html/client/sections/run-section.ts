import type { Report, ReportEstimates } from "../../../../profile/report.js";
import { formatBytes, formatCount, formatDuration, formatNumberOf } from "../../../quantities.js";
import { disclosure, facts, lazyDisclosure, none, preformatted, section } from "../blocks.js";
import { DataTable, numberColumn, plainTable, textColumn } from "../data-table.js";
import { shown } from "../display-text.js";
import { element } from "../element.js";

type QualifyingEvent = ReportEstimates["qualifyingEvents"][number];

/** Time and size of an export and of a send, and qualifying events that would be created. */
export function estimatesSection({ estimates }: Report): HTMLElement {
  const { export: exported, send, qualifyingEvents } = estimates;
  const refused = qualifyingEvents.filter((event) => event.refused !== undefined).length;
  return section(
    "estimates",
    "Estimates",
    facts(
      ["Export", formatDuration(exported.durationMs), `about ${formatBytes(exported.bytes)}`],
      ["Send", formatDuration(send.durationMs), `at ${formatCount(send.eventsPerSecond)} events/s`],
      [
        "Qualifying events",
        formatCount(qualifyingEvents.length - refused),
        refused > 0 ? `${formatCount(refused)} would be refused` : undefined,
      ],
    ),
    qualifyingEvents.length === 0
      ? null
      : lazyDisclosure("Qualifying events that would be created", () => table(qualifyingEvents)),
  );
}

function table(qualifyingEvents: readonly QualifyingEvent[]): HTMLElement {
  return new DataTable<QualifyingEvent>({
    caption: "Qualifying events that would be created",
    nouns: ["qualifying event", "qualifying events"],
    rows: qualifyingEvents,
    searchText: ({ name, event }) => `${name} ${event}`.toLowerCase(),
    columns: [
      textColumn<QualifyingEvent>("Name", ({ name }) => name, "name"),
      textColumn<QualifyingEvent>("Event", ({ event }) => event),
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

type Source = Report["inputs"]["sources"][number];

/** Inputs, configuration, and the limits of lists. */
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
    disclosure(
      "Limits of this report",
      element(
        "p",
        {},
        "Lists end at these limits. Entries beyond a limit are counted, not dropped silently.",
      ),
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
      textColumn<Source>("Source", ({ name }) => name, "name"),
      textColumn<Source>("Format", ({ format }) => format),
      numberColumn<Source>("Size", ({ bytes }) => bytes, formatBytes),
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

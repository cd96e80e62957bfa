import type { Report, ReportEstimates } from "../../../../profile/report.js";
import { formatBytes, formatCount, formatDuration } from "../../../quantities.js";
import { DataTable } from "../data-table.js";
import { element } from "../element.js";
import { shown } from "../words.js";
import { facts, lazyDisclosure, section } from "./section.js";

type QualifyingEvent = ReportEstimates["qualifyingEvents"][number];

/** What the real thing would take and make. */
export function estimatesSection({ estimates }: Report): HTMLElement {
  const { export: exported, send, qualifyingEvents } = estimates;
  const refused = qualifyingEvents.filter((event) => event.refused !== undefined).length;
  return section(
    "estimates",
    "What it will take",
    facts(
      {
        label: "Export",
        value: formatDuration(exported.durationMs),
        note: `about ${formatBytes(exported.bytes)}`,
      },
      {
        label: "Send",
        value: formatDuration(send.durationMs),
        note: `at ${formatCount(send.eventsPerSecond)} events/s`,
      },
      {
        label: "Qualifying events",
        value: formatCount(qualifyingEvents.length - refused),
        note: refused > 0 ? `${formatCount(refused)} would be refused` : undefined,
      },
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
      {
        heading: "Name",
        className: "name",
        cell: ({ name }) => shown(name),
        sortValue: ({ name }) => name.toLowerCase(),
      },
      { heading: "Event", cell: ({ event }) => shown(event), sortValue: ({ event }) => event },
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

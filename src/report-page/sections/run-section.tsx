import { formatCount } from "../../base/format-count.js";
import type { Report, ReportEstimates } from "../../profile/report.js";
import { configurationLine } from "../../report/findings/configuration-fixes.js";
import { formatBytes, formatNumberOf } from "../../report/quantities.js";
import { Details, Preformatted } from "../../ui/blocks.js";
import {
  DataTable,
  numberColumn,
  PlainTable,
  type TableColumn,
  textColumn,
} from "../../ui/data-table.js";
import { Section } from "../../ui/section.js";
import { shown } from "../../ui/text.js";
import type { ReportProps } from "../elements/view-state.js";

type ShownEvent = ReportEstimates["qualifyingEvents"][number];

/** Qualifying events that would be created. */
export function QualifyingSection({ report }: ReportProps) {
  const { qualifyingEvents } = report.estimates;
  const refused = qualifyingEvents.filter((event) => event.refused !== undefined);
  const created = formatNumberOf(qualifyingEvents.length - refused.length, "qualifying event");
  const but = refused.length > 0 ? `, and refuse ${formatCount(refused.length)}` : "";
  return (
    <Section
      id="qualifying-events"
      title="Qualifying events"
      lead={`switchyard qualify would create ${created}${but}.`}
    >
      {refused.length > 0 && <QualifyingTable caption="Refused qualifying events" rows={refused} />}
      {qualifyingEvents.length > 0 && (
        <Details summary="All qualifying events" isScreenOnly>
          <QualifyingTable caption="Qualifying events by name" rows={qualifyingEvents} />
        </Details>
      )}
    </Section>
  );
}

interface TableProps<Row> {
  readonly caption: string;
  readonly rows: readonly Row[];
}

const qualifyingColumns: readonly TableColumn<ShownEvent>[] = [
  textColumn("Name", ({ name }) => name, "name"),
  textColumn("Event", ({ event }) => event),
  {
    heading: "Outcome",
    cell: ({ refused }) =>
      refused === undefined ? "created" : <Failure what="refused" why={refused} />,
    sortValue: ({ refused }) => refused ?? "",
  },
];

function QualifyingTable(props: TableProps<ShownEvent>) {
  return (
    <DataTable
      {...props}
      nouns={["qualifying event", "qualifying events"]}
      searchText={({ name, event }) => `${name} ${event}`.toLowerCase()}
      columns={qualifyingColumns}
    />
  );
}

function Failure({ what, why }: { readonly what: string; readonly why: string }) {
  return (
    <>
      <strong>{shown(what)}: </strong>
      {shown(why)}
    </>
  );
}

type RunSource = Report["inputs"]["sources"][number];

/** Inputs, configuration, and the limits of lists. */
export function SettingsSection({ report: { configuration, limits, inputs } }: ReportProps) {
  const { sources, sourcesTotal } = inputs;
  const failed = sources.filter(({ failure }) => failure !== undefined);
  const further = sourcesTotal - sources.length;
  return (
    <Section id="settings" title="Inputs and configuration">
      {failed.length > 0 && (
        <SourceTable caption="Sources that could not be read completely" rows={failed} />
      )}
      <Details summary={`All ${formatNumberOf(sources.length, "source")}`} isScreenOnly>
        <SourceTable caption="Sources" rows={sources} />
      </Details>
      {further > 0 && (
        <p class="none">
          {`${formatNumberOf(further, "further source")} beyond the limit ${further === 1 ? "is" : "are"} not listed.`}
        </p>
      )}
      <Details summary="Configuration of this run">
        <Preformatted label="Configuration">
          {configurationLines(configuration).map(shown).join("\n")}
        </Preformatted>
      </Details>
      <Details summary="Limits of this report" isScreenOnly>
        <PlainTable
          caption="Lists end at these limits; what is beyond is counted"
          headings={["Limit", "Value"]}
          rows={Object.entries(limits).map(([name, limit]) => [
            <code key={name}>{shown(name)}</code>,
            formatCount(limit),
          ])}
          numbers={[1]}
        />
      </Details>
    </Section>
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

const sourceColumns: readonly TableColumn<RunSource>[] = [
  textColumn("Source", ({ name }) => name, "name"),
  textColumn("Format", ({ format }) => format),
  numberColumn("Size", ({ bytes }) => bytes, formatBytes),
  {
    heading: "Read",
    cell: ({ failure }) =>
      failure === undefined ? "completely" : <Failure what={failure.code} why={failure.message} />,
    sortValue: ({ failure }) => failure?.code ?? "",
  },
];

function SourceTable(props: TableProps<RunSource>) {
  return (
    <DataTable
      {...props}
      nouns={["source", "sources"]}
      searchText={({ name }) => name.toLowerCase()}
      columns={sourceColumns}
    />
  );
}

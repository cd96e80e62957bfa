import { formatCount } from "../../base/format-count.js";
import type { Estimate, Report, TopID } from "../../profile/report.js";
import { formatBytes, zoneOfShift } from "../../report/quantities.js";
import { Facts } from "../../ui/blocks.js";
import { DataTable, PlainTable, type TableColumn } from "../../ui/data-table.js";
import { Section } from "../../ui/section.js";
import { partText, shown } from "../../ui/text.js";
import { positionText, shortEstimate, timeParts } from "../elements/display-text.js";
import type { ReportProps } from "../elements/view-state.js";
import { FillBar, PropertyTable } from "./property-table.js";

export function UserPropertiesSection({ report }: ReportProps) {
  return (
    <Section id="user-properties" title="User properties">
      <PropertyTable caption="User properties" properties={report.userProperties} />
    </Section>
  );
}

/** User ids and device ids. */
export function IdentitySection({ report: { identity } }: ReportProps) {
  const { both, userOnly, deviceOnly, none: nobody, junkIDs, users, devices } = identity;
  const total = both + userOnly + deviceOnly + nobody;
  const kinds = [
    ["User and device", both],
    ["User only", userOnly],
    ["Device only", deviceOnly],
    ["Neither", nobody],
  ] as const;
  return (
    <Section id="identity" title="Identity">
      <div class="columns">
        <PlainTable
          caption="Events by ids"
          headings={["Ids", "Events", "Share"]}
          rows={kinds.map(([name, count]) => [name, formatCount(count), partText(count, total)])}
          numbers={[1, 2]}
        />
        {junkIDs.length === 0 ? (
          <p class="none">There are no placeholder ids, such as zeros or null.</p>
        ) : (
          <PlainTable
            caption="Placeholder ids"
            headings={["Id", "Field", "Events"]}
            rows={junkIDs.map(({ field, value, rows }) => [
              <code key="id">{shown(value)}</code>,
              field,
              formatCount(rows),
            ])}
            numbers={[2]}
          />
        )}
        <TopTable of="Users" with="events" list={identity.topUsers} />
        <TopTable of="Devices" with="events" list={identity.topDevices} />
        <TopTable of="Users" with="devices" list={identity.sharedUsers} all={users} />
        <TopTable of="Devices" with="users" list={identity.sharedDevices} all={devices} />
      </div>
    </Section>
  );
}

interface TopTableProps {
  readonly of: "Users" | "Devices";
  readonly with: "events" | "devices" | "users";
  readonly list: readonly TopID[];
  /** If all ids are too many to be counted, the events of each are a lower bound. */
  readonly all?: Estimate;
}

function TopTable({ of, with: most, list, all }: TopTableProps) {
  if (list.length === 0) return null;
  const bound = (all?.error ?? 0) === 0 ? "" : "≥ ";
  return (
    <PlainTable
      caption={`${of} with the most ${most}`}
      // The last column has the ids of the other kind in the same events.
      headings={of === "Users" ? ["User", "Events", "Devices"] : ["Device", "Events", "Users"]}
      rows={list.map((top) => [
        <code key="id">{shown(top.id)}</code>,
        `${bound}${formatCount(top.rows)}`,
        shortEstimate(top.others),
      ])}
      numbers={[1, 2]}
    />
  );
}

export function TimesSection({ report: { times, rows, dayZone } }: ReportProps) {
  const { first, last, future, suspicious, midnight, zoneGuess } = times;
  const part = (count: number) => partText(count, rows.mapped);
  const zoneWords = { none: "no guess", weak: "possible", strong: "likely" } as const;
  const { confidence, shiftHours } = zoneGuess;
  const guess = confidence === "none" || shiftHours === 0 ? "–" : zoneOfShift(shiftHours);
  return (
    <Section id="times" title="Times">
      <Facts
        list={[
          ["First event", ...(first === null ? (["–"] as const) : timeParts(first))],
          ["Last event", ...(last === null ? (["–"] as const) : timeParts(last))],
          ["In the future", formatCount(future), part(future)],
          ["At placeholder times", formatCount(suspicious), part(suspicious)],
          ["At exactly midnight", formatCount(midnight), `${part(midnight)}, ${shown(dayZone)}`],
          ["Most users near", guess, zoneWords[confidence]],
        ]}
      />
    </Section>
  );
}

export function SizesSection({ report: { sizes } }: ReportProps) {
  return (
    <Section id="sizes" title="Sizes">
      <Facts
        list={[
          ["All events", formatBytes(sizes.total), "as JSON lines"],
          ["Mean", formatBytes(sizes.mean)],
          ["Median", formatBytes(sizes.p50)],
          ["95th percentile", formatBytes(sizes.p95)],
          ["99th percentile", formatBytes(sizes.p99)],
          ["Largest", formatBytes(sizes.max)],
        ]}
      />
      {sizes.largest.length > 0 && (
        <PlainTable
          caption="Largest events"
          headings={["Event", "Size", "Position"]}
          rows={sizes.largest.map(({ event, bytes, ...position }) => [
            shown(event),
            formatBytes(bytes),
            <span key="position" class="position">
              {positionText(position)}
            </span>,
          ])}
          numbers={[1]}
        />
      )}
    </Section>
  );
}

const unusedColumns: readonly TableColumn<Report["unusedFields"][number]>[] = [
  {
    heading: "Field",
    className: "name",
    cell: ({ field }) => <code>{shown(field)}</code>,
    sortValue: ({ field }) => field,
  },
  {
    heading: "Filled",
    cell: ({ share }) => <FillBar fill={share} />,
    sortValue: ({ share }) => share,
  },
];

/** Source fields that no target of the mapping uses, and how often they have a value. */
export function UnusedSection({ report: { unusedFields } }: ReportProps) {
  return (
    <Section
      id="unused-fields"
      title="Unused source fields"
      none={unusedFields.length === 0 && "The mapping uses every field of the sampled rows."}
      lead="Their values are in no event. To keep one, name it in metadata or user of the mapping."
    >
      <DataTable
        caption="Fields without a target, and the share of sampled rows that have a value"
        nouns={["field", "fields"]}
        rows={unusedFields}
        searchText={({ field }) => field.toLowerCase()}
        columns={unusedColumns}
      />
    </Section>
  );
}

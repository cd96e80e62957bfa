import type { Estimate, Report, TopID } from "../../profile/report.js";
import { formatBytes, formatCount, zoneOfShift } from "../../report/quantities.js";
import { facts, lead, none, section } from "../elements/blocks.js";
import { DataTable, plainTable } from "../elements/data-table.js";
import {
  partText,
  positionText,
  shortEstimate,
  shown,
  timeParts,
} from "../elements/display-text.js";
import { element } from "../elements/element.js";
import { fillBar, propertyTable } from "./property-table.js";

export function userPropertiesSection({ userProperties }: Report): HTMLElement {
  return section(
    "user-properties",
    "User properties",
    propertyTable("User properties", userProperties),
  );
}

/** User ids and device ids. */
export function identitySection({ identity }: Report): HTMLElement {
  const { both, userOnly, deviceOnly, none: nobody, junkIDs } = identity;
  const total = both + userOnly + deviceOnly + nobody;
  const kind = (label: string, count: number) => [
    label,
    formatCount(count),
    partText(count, total),
  ];
  const kinds = [
    kind("User and device", both),
    kind("User only", userOnly),
    kind("Device only", deviceOnly),
    kind("Neither", nobody),
  ];
  const junk = junkIDs.map(({ field, value, rows }) => [
    element("code", {}, shown(value)),
    field,
    formatCount(rows),
  ]);
  return section(
    "identity",
    "Identity",
    element(
      "div",
      { class: "columns" },
      plainTable("Events by ids", ["Ids", "Events", "Share"], kinds, [1, 2]),
      junk.length === 0
        ? none("There are no placeholder ids, such as zeros or null.")
        : plainTable("Placeholder ids", ["Id", "Field", "Events"], junk, [2]),
      topTable("Users with the most events", userIDs, identity.topUsers),
      topTable("Devices with the most events", deviceIDs, identity.topDevices),
      topTable("Users with the most devices", userIDs, identity.sharedUsers, identity.users),
      topTable("Devices with the most users", deviceIDs, identity.sharedDevices, identity.devices),
    ),
  );
}

/** Headings of ids, and of the ids of the other kind in the same events. */
const userIDs = ["User", "Devices"] as const;
const deviceIDs = ["Device", "Users"] as const;

/** Shows ids with their events. If all ids are too many to be counted, these are a lower bound. */
function topTable(
  caption: string,
  [id, others]: readonly [string, string],
  list: readonly TopID[],
  all: Estimate = { count: 0, error: 0 },
) {
  if (list.length === 0) return null;
  const rows = list.map((top) => [
    element("code", {}, shown(top.id)),
    `${all.error === 0 ? "" : "≥ "}${formatCount(top.rows)}`,
    shortEstimate(top.others),
  ]);
  return plainTable(caption, [id, "Events", others], rows, [1, 2]);
}

export function timesSection({ times, rows, dayZone }: Report): HTMLElement {
  const { first, last, future, suspicious, midnight, zoneGuess } = times;
  const part = (count: number) => partText(count, rows.mapped);
  const zoneWords = { none: "no guess", weak: "possible", strong: "likely" } as const;
  const { confidence, shiftHours } = zoneGuess;
  const guess = confidence === "none" || shiftHours === 0 ? "–" : zoneOfShift(shiftHours);
  return section(
    "times",
    "Times",
    facts(
      ["First event", ...(first === null ? (["–"] as const) : timeParts(first))],
      ["Last event", ...(last === null ? (["–"] as const) : timeParts(last))],
      ["In the future", formatCount(future), part(future)],
      ["At placeholder times", formatCount(suspicious), part(suspicious)],
      ["At exactly midnight", formatCount(midnight), `${part(midnight)}, ${shown(dayZone)}`],
      ["Most users near", guess, zoneWords[zoneGuess.confidence]],
    ),
  );
}

export function sizesSection({ sizes }: Report): HTMLElement {
  const largest = sizes.largest.map(({ event, bytes, ...position }) => [
    shown(event),
    formatBytes(bytes),
    element("span", { class: "position" }, positionText(position)),
  ]);
  return section(
    "sizes",
    "Sizes",
    facts(
      ["All events", formatBytes(sizes.total), "as JSON lines"],
      ["Mean", formatBytes(sizes.mean)],
      ["Median", formatBytes(sizes.p50)],
      ["95th percentile", formatBytes(sizes.p95)],
      ["99th percentile", formatBytes(sizes.p99)],
      ["Largest", formatBytes(sizes.max)],
    ),
    largest.length === 0
      ? null
      : plainTable("Largest events", ["Event", "Size", "Position"], largest, [1]),
  );
}

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

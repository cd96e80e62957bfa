import type { Report, TopID } from "../../../../profile/report.js";
import { formatCount } from "../../../quantities.js";
import { plainTable } from "../data-table.js";
import { element } from "../element.js";
import { errorText, partText, shortEstimate, shown } from "../words.js";
import { propertyTable } from "./property-table.js";
import { facts, lazyDisclosure, none, section } from "./section.js";

const TOP_IDS_OPEN = 8;

export function userPropertiesSection({ userProperties }: Report): HTMLElement {
  return section(
    "user-properties",
    "User properties",
    propertyTable("User properties", userProperties),
  );
}

/** Who the events are of. */
export function identitySection({ identity }: Report): HTMLElement {
  const { both, userOnly, deviceOnly, none: nobody, users, devices, junkIDs } = identity;
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
    facts(
      { label: "Users", value: shortEstimate(users), note: errorText(users) },
      { label: "Devices", value: shortEstimate(devices), note: errorText(devices) },
    ),
    element(
      "div",
      { class: "columns" },
      plainTable("Ids that events have", ["Ids", "Events", "Share"], kinds, [1, 2]),
      junk.length === 0
        ? none("No id stands for nobody, as an empty text or zeros would.")
        : plainTable("Ids that stand for nobody", ["Id", "Field", "Events"], junk, [2]),
      topTable("Users with the most events", "User", "Devices", identity.topUsers),
      topTable("Devices with the most events", "Device", "Users", identity.topDevices),
    ),
  );
}

function topTable(caption: string, id: string, others: string, list: readonly TopID[]) {
  if (list.length === 0) return null;
  const table = (part: readonly TopID[]) => {
    const rows = part.map((top) => [
      element("code", {}, shown(top.id)),
      formatCount(top.rows),
      shortEstimate(top.others),
    ]);
    return plainTable(caption, [id, "Events", others], rows, [1, 2]);
  };
  const rest = list.length - TOP_IDS_OPEN;
  return element(
    "div",
    {},
    table(list.slice(0, TOP_IDS_OPEN)),
    rest > 0 && lazyDisclosure(`${rest} more`, () => table(list.slice(TOP_IDS_OPEN))),
  );
}

import type { Report } from "../../../../profile/report.js";
import { formatBytes, formatCount } from "../../../quantities.js";
import { plainTable } from "../data-table.js";
import { element } from "../element.js";
import { partText, placeText, shown, timeParts } from "../words.js";
import { facts, section } from "./section.js";

export function timesSection({ times, rows, dayZone }: Report): HTMLElement {
  const { first, last, future, suspicious, midnight, zoneGuess } = times;
  const part = (count: number) => partText(count, rows.mapped);
  const zoneWords = { none: "no guess", weak: "perhaps", strong: "likely" } as const;
  const hours = `${zoneGuess.shiftHours > 0 ? "+" : "−"}${Math.abs(zoneGuess.shiftHours)} h`;
  const guess = zoneGuess.confidence === "none" || zoneGuess.shiftHours === 0 ? "–" : hours;
  return section(
    "times",
    "Times",
    facts(
      { label: "First event", ...(first === null ? { value: "–" } : timeParts(first)) },
      { label: "Last event", ...(last === null ? { value: "–" } : timeParts(last)) },
      { label: "In the future", value: formatCount(future), note: part(future) },
      { label: "At made-up moments", value: formatCount(suspicious), note: part(suspicious) },
      {
        label: "At exactly midnight",
        value: formatCount(midnight),
        note: `${part(midnight)}, ${shown(dayZone)}`,
      },
      {
        label: "Shift of the zone",
        value: guess,
        note: zoneWords[zoneGuess.confidence],
      },
    ),
  );
}

export function sizesSection({ sizes }: Report): HTMLElement {
  const largest = sizes.largest.map(({ event, bytes, ...place }) => [
    shown(event),
    formatBytes(bytes),
    element("span", { class: "place" }, placeText(place)),
  ]);
  return section(
    "sizes",
    "Sizes",
    facts(
      { label: "All events", value: formatBytes(sizes.total), note: "as JSON lines" },
      { label: "Mean", value: formatBytes(sizes.mean) },
      { label: "Half are below", value: formatBytes(sizes.p50) },
      { label: "95 % are below", value: formatBytes(sizes.p95) },
      { label: "99 % are below", value: formatBytes(sizes.p99) },
      { label: "Largest", value: formatBytes(sizes.max) },
    ),
    largest.length === 0
      ? null
      : plainTable("The largest events", ["Event", "Size", "Where"], largest, [1]),
  );
}

import type { ReportEvent } from "../../profile/report.js";
import { formatCount, formatNumberOf } from "../quantities.js";
import type { Facts, Observation } from "./observation.js";
import { listFix } from "./recorded-options.js";
import { alikeGroups } from "./spelling.js";
import { NAME_CHARACTERS_MAX, NAMES_USUAL_MAX, NAMES_WITH_IDS } from "./thresholds.js";
import { quoted, quotedList } from "./words.js";

/** Pairs of names that one module renames. */
const RENAMED_MAX = 200;

/** UUIDs, long hexadecimal words, and numbers: what changes in a name that holds an id. */
const idPattern =
  /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b|\b(?=[a-f]*\d)[0-9a-f]{12,}\b|\d+/gi;

export function findAlikeNames({ events }: Facts): readonly Observation[] {
  const groups = alikeGroups(events, ({ event }) => event);
  if (groups.length === 0) return [];
  const renamed = groups.flatMap(([main, ...others]) =>
    others.map(({ event }) => [event, main?.event ?? event] as const),
  );
  const rows = groups.flatMap(([, ...others]) => others).reduce((sum, one) => sum + one.rows, 0);
  return [
    {
      code: "names_alike",
      title: `${formatNumberOf(groups.length, "event name")} ${groups.length === 1 ? "is" : "are"} written in several ways`,
      detail:
        `${describeGroups(groups)}. Each spelling would be an event of its own. ` +
        "The module gives all the most frequent one.",
      rows,
      ...(groups.length === 1 && groups[0]?.[0] !== undefined ? { event: groups[0][0].event } : {}),
      mend:
        `const names = new Map(${JSON.stringify(renamed.slice(0, RENAMED_MAX))});\n` +
        "event.event = names.get(event.event) ?? event.event;",
    },
  ];
}

function describeGroups(groups: readonly (readonly ReportEvent[])[]): string {
  return groups
    .slice(0, 3)
    .map((group) =>
      group.map(({ event, rows }) => `${quoted(event)} (${formatCount(rows)})`).join(", "),
    )
    .join("; ");
}

/** Many names that are one with an id inside: `Viewed /product/123`. */
export function findNamesWithIDs({ events }: Facts): readonly Observation[] {
  const forms = new Map<string, ReportEvent[]>();
  for (const one of events) {
    const form = one.event.replaceAll(idPattern, "*");
    if (form === one.event) continue;
    const same = forms.get(form);
    if (same === undefined) forms.set(form, [one]);
    else same.push(one);
  }
  const found = [...forms].filter(([, names]) => names.length >= NAMES_WITH_IDS);
  if (found.length === 0) return [];
  const names = found.flatMap(([, same]) => same);
  return [
    {
      code: "names_with_ids",
      title: `${formatNumberOf(names.length, "event name")} hold ids and are really ${quotedList(
        found.map(([form]) => form),
        3,
      )}`,
      detail:
        `Such as ${quotedList(
          names.map(({ event }) => event),
          3,
        )}. Each would be an event of its own, ` +
        "and most come once. The module puts * in the place of the ids.",
      rows: names.reduce((sum, { rows }) => sum + rows, 0),
      mend:
        `const forms = new Set(${JSON.stringify(found.map(([form]) => form).slice(0, RENAMED_MAX))});\n` +
        `const form = event.event.replaceAll(${idPattern}, "*");\n` +
        "if (forms.has(form)) event.event = form;",
    },
  ];
}

export function findTooManyNames({ events, otherEvents }: Facts): readonly Observation[] {
  const names = events.length + (otherEvents.names ?? 0);
  if (names <= NAMES_USUAL_MAX) return [];
  return [
    {
      code: "names_too_many",
      title: `There are ${otherEvents.names === null ? "more than " : ""}${formatCount(names)} event names`,
      detail:
        "Nobody can look through so many, and each that is qualified is one more entity. Take what is " +
        "needed with includeEvent, or leave out what is not with excludeEvent.",
      rows: otherEvents.rows,
    },
  ];
}

/** Names that the event route refuses. */
export function findLongNames(facts: Facts): readonly Observation[] {
  return facts.events
    .filter(({ event }) => event.length > NAME_CHARACTERS_MAX)
    .map(({ event, rows }) => ({
      code: "name_too_long" as const,
      title: `An event name has ${formatCount(event.length)} characters`,
      detail:
        `Services take up to ${formatCount(NAME_CHARACTERS_MAX)}: ${quoted(event)}. ` +
        "The line leaves out these events.",
      ...{ rows, event },
      fix: listFix(facts, "excludeEvent", [`${[...event].slice(0, 60).join("")}*`]),
    }));
}

/** Names that cannot be those of qualifying events. */
export function findRefusedNames({ estimates, events }: Facts): readonly Observation[] {
  const refused = estimates.qualifyingEvents.filter((one) => one.refused !== undefined);
  if (refused.length === 0) return [];
  const names = new Set(refused.map(({ event }) => event));
  const rows = events
    .filter(({ event }) => names.has(event))
    .reduce((sum, one) => sum + one.rows, 0);
  return [
    {
      code: "name_refused",
      title: `${formatNumberOf(refused.length, "event name")} cannot be ${refused.length === 1 ? "that of a qualifying event" : "those of qualifying events"}`,
      detail: `${refused
        .slice(0, 3)
        .map((one) => `${quoted(one.event)}: ${one.refused}`)
        .join(
          "; ",
        )}. The events are exported and sent all the same. The module makes such names fit.`,
      rows,
      ...(refused.length === 1 && refused[0] !== undefined ? { event: refused[0].event } : {}),
      mend:
        'event.event = event.event.replaceAll(/[\\\\\\p{Cc}\\p{Cs}]+/gu, " ").trim();\n' +
        'event.event = [...event.event].slice(0, 120).join("") || "unnamed";',
    },
  ];
}
